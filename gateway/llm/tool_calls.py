"""Puts streamed tool calls together, whatever a server makes of `index` and `id`. Sans-IO.

The rules, strongest first: an id that we know continues its call; a new id beside a name begins
one; then the index decides; a piece that has none of these continues the latest call. Whether the
arguments are good JSON is the agent's business.
"""

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

KNOWN_FIELDS = frozenset({"index", "id", "type", "function"})


@dataclass(slots=True)
class Call:
    """A tool call being received."""

    index: int | None
    id: str = ""
    name: str = ""
    arguments: str = ""
    # Fields beside the standard ones, which some servers want back with the call (Gemini's
    # thought signatures come in `extra_content`).
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def is_whole(self) -> bool:
        """The arguments are a complete JSON object: nothing more can belong to them."""
        if not self.arguments.rstrip().endswith("}"):
            return False
        try:
            return isinstance(json.loads(self.arguments), dict)
        except ValueError:
            return False


@dataclass(frozen=True, slots=True)
class Piece:
    """A tool-call delta, with what is unusable in it read as missing."""

    index: int | None
    id: str
    name: str
    arguments: str
    extra: dict[str, Any]


class ToolCalls:
    """The tool calls of one answer."""

    def __init__(self, new_id: Callable[[], str] = lambda: f"call_{secrets.token_hex(8)}") -> None:
        self._calls: list[Call] = []
        self._new_id = new_id

    def __bool__(self) -> bool:
        return bool(self._calls)

    def feed(self, deltas: object) -> None:
        """Take the `tool_calls` of a delta or a message; anything but a list has no calls."""
        for delta in deltas if isinstance(deltas, list) else ():
            if isinstance(delta, dict):
                self._take(_piece(delta))

    def finish(self) -> list[dict[str, Any]]:
        """All calls, each with an id of its own: the results are told apart by it."""
        seen: set[str] = set()
        for call in self._calls:
            if not call.id or call.id in seen:
                call.id = self._new_id()
            seen.add(call.id)
        return [
            {
                **call.extra,
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in self._calls
        ]

    def _take(self, piece: Piece) -> None:
        call = self._belongs_to(piece)
        if call is None:
            call = Call(piece.index)
            self._calls.append(call)
        call.id = call.id or piece.id
        call.extra.update(piece.extra)
        if piece.name and piece.name != call.name:
            # A name in pieces, as OpenAI's own client would join it.
            call.name += piece.name
        if piece.arguments == call.arguments and call.is_whole:
            return  # all of it once more at the end
        call.arguments += piece.arguments

    def _belongs_to(self, piece: Piece) -> Call | None:
        """The call that a piece continues; None if it begins one."""
        if not self._calls:
            return None
        if piece.id and (known := self._latest(lambda call: call.id == piece.id)):
            return None if _is_another(known, piece) else known
        if not piece.name:
            # Nothing begins without a name. A late id, or a fresh id for each piece (seen from
            # vLLM), changes nothing; nor does an index that leads nowhere.
            return self._at(piece.index) or self._calls[-1]
        at = self._calls[-1] if piece.index is None else self._at(piece.index)
        if at is None or (piece.id and at.id):
            return None
        if at.name != piece.name and (piece.id or piece.index is None):
            return None
        return None if _begins_over(at, piece) else at

    def _at(self, index: int | None) -> Call | None:
        if index is None:
            return None
        return self._latest(lambda call: call.index == index)

    def _latest(self, is_wanted: Callable[[Call], bool]) -> Call | None:
        return next(filter(is_wanted, reversed(self._calls)), None)


def _is_another(known: Call, piece: Piece) -> bool:
    """The id is known, but a server gives the same one to several calls."""
    if not piece.name:
        return False
    is_elsewhere = None not in (piece.index, known.index) and piece.index != known.index
    return is_elsewhere or _begins_over(known, piece)


def _begins_over(call: Call, piece: Piece) -> bool:
    """A named piece that can't belong to the call before it: the next one, under its index."""
    if piece.name != call.name:
        # A piece of a name comes without arguments.
        return call.is_whole or bool(piece.arguments)
    return call.is_whole and piece.arguments not in ("", call.arguments)


def _piece(delta: dict[str, Any]) -> Piece:
    function = delta.get("function")
    function = function if isinstance(function, dict) else {}
    index, id_, name = delta.get("index"), delta.get("id"), function.get("name")
    return Piece(
        index=index if isinstance(index, int) else None,
        id=id_ if isinstance(id_, str) else "",
        name=name if isinstance(name, str) else "",
        arguments=_arguments(function.get("arguments")),
        extra={key: value for key, value in delta.items() if key not in KNOWN_FIELDS},
    )


def _arguments(value: object) -> str:
    """A string, as it should be, or the object itself, as some servers send it."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)
