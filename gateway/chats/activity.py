"""What an agent's tools are doing, in one quiet line (or a few) that turns into the answer.

Owns which calls are to be seen and in which words. Where the line appears, how often it may change
and how it goes is the reply's business: to it this is a text like any that is not final. A turn
whose tools are quick shows nothing.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

Level = Literal["off", "brief", "full"]

MAX_LINES = 8
_DETAIL_CHARS = 60
_MARKS = {None: "…", False: "✓", True: "✗"}  # by whether it failed


@dataclass(frozen=True, slots=True)
class Activity:
    """One call of a tool."""

    id: str
    name: str
    detail: str = ""  # what it is about, or how far it has come
    has_failed: bool | None = None  # None: it runs


def describe(calls: Sequence[Activity], level: Level) -> str:
    """The Markdown of what is seen; empty if nothing is."""
    if level == "brief":
        running = dict.fromkeys(_words(call.name) for call in calls if call.has_failed is None)
        return f"⚙️ {', '.join(running)} …" if running else ""
    if level == "full":
        lines = [_line(call) for call in calls[-MAX_LINES:]]
        left_out = len(calls) - len(lines)
        return "  \n".join([*([f"… {left_out} more"] if left_out else []), *lines])
    return ""


def subject(arguments: str) -> str:
    """What a call is about: the first of its arguments that is a text. Any string is taken."""
    try:
        found = json.loads(arguments)
    except ValueError:
        return ""
    values = found.values() if isinstance(found, dict) else ()
    return next((value for value in values if isinstance(value, str)), "")


class ActivityLine:
    """The line of one turn. `show` is given its Markdown whenever that changes."""

    def __init__(self, level: Level, show: Callable[[str], None], after_s: float) -> None:
        self._level = level
        self._show = show
        self._after_s = after_s
        self._calls: dict[str, Activity] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._is_seen = False
        self._is_held = False

    def begin(self, call_id: str, name: str, arguments: str) -> None:
        """A call has begun."""
        if self._level == "off":
            return
        self._set(Activity(call_id, name, subject(arguments)))
        if not self._is_seen and self._timer is None:
            self._start_timer()

    def report(self, call_id: str, text: str) -> None:
        """A call, or one that it has made (its id then begins with this one's), has come so far."""
        for call in list(self._calls.values()):
            if call_id == call.id or call_id.startswith(f"{call.id}/"):
                self._set(replace(call, detail=text))

    def end(self, call_id: str, *, has_failed: bool) -> None:
        """A call is over."""
        if call := self._calls.get(call_id):
            self._set(replace(call, has_failed=has_failed))

    def pause(self) -> None:
        """Something else has been said: what still runs is shown below that, if it takes long."""
        self._stop_timer()
        self._is_seen = False
        self._calls = {call.id: call for call in self._calls.values() if call.has_failed is None}
        if self._calls:
            self._start_timer()

    def hold(self, is_held: bool) -> None:
        """People are asked something, or are not any more: nothing shows up below a question."""
        self._is_held = is_held
        self.pause()

    def close(self) -> None:
        """Nothing more is shown."""
        self._level = "off"
        self._stop_timer()

    def _set(self, call: Activity) -> None:
        self._calls[call.id] = call
        if self._is_seen:
            self._update()

    def _start_timer(self) -> None:
        if self._is_held or self._level == "off":
            return
        self._timer = asyncio.get_running_loop().call_later(self._after_s, self._appear)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _appear(self) -> None:
        self._timer = None
        if any(call.has_failed is None for call in self._calls.values()):
            self._is_seen = True
            self._update()

    def _update(self) -> None:
        if text := describe(list(self._calls.values()), self._level):
            self._show(text)


def _line(call: Activity) -> str:
    detail = " ".join(call.detail.replace("`", "'").split())
    if len(detail) > _DETAIL_CHARS:
        detail = detail[: _DETAIL_CHARS - 1] + "…"
    return f"{_MARKS[call.has_failed]} {_words(call.name)}" + (f": `{detail}`" if detail else "")


def _words(name: str) -> str:
    """A tool's name as people may read it; nothing in it is Markdown."""
    return " ".join("".join(c if c.isalnum() else " " for c in name).split())
