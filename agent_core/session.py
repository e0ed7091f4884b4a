"""What an agent remembers between turns, and the lines that go out because of it.

A session owns its history: every change goes through it, so that the host is told of each one
(level 2) and the list is sound after each. What a turn does with it is the turn's business.
"""

from dataclasses import dataclass, field
from typing import Any

from agent_core import history as rules
from agent_core.prompts import date_of, system_prompt
from agent_core.protocol import AGENT_NAME, PROTOCOL_VERSION, __version__
from agent_core.registry import INTERACTIVE, LOCAL, REMOTE, load_tools
from agent_core.settings import Settings, read_settings
from agent_core.tokens import estimate_messages, estimate_text
from agent_core.tools.todo import Item, read_todos
from agent_core.wire import Message


@dataclass(slots=True)
class TurnState:
    """What is counted anew in each turn."""

    api_calls: int = 0
    messages: list[Message] = field(default_factory=list)  # added to the history in this turn
    steers: list[Message] = field(default_factory=list)  # said in mid-turn, not yet recorded
    may_be_silent: bool = False  # nobody waits for an answer, even in a direct chat
    memory_overflows: int = 0
    failures: dict[tuple[str, str, str], int] = field(default_factory=dict)


class Session:
    """One chat's state. Built from an `init`."""

    def __init__(self, init: Message) -> None:
        self.settings: Settings = read_settings(init)
        self.tools = load_tools(self.settings)
        self.tool_schemas = [tool.schema for tool in self.tools.values()]
        self._tool_tokens = sum(tool.tokens for tool in self.tools.values())
        self.memory = {"memory": init.get("memory") or "", "user": init.get("user") or ""}
        self.skills: list[dict[str, Any]] = init.get("skills") or []
        self.todos: list[Item] = read_todos(init.get("todos") or [])
        self.system_message: str | None = None
        self.date = date_of(self.settings.now)
        self.turn = TurnState()
        self.weak_compressions = 0  # passes in a row that saved next to nothing
        self.early: list[Message] = []  # answers that came before their request
        self.outbox: list[Message] = []
        self._ids: dict[str, int] = {}
        self._prompt: str | None = None
        self._measured: tuple[int, int] | None = None  # tokens, and messages they were counted for
        given = init.get("history") or []
        self.history = rules.mend(given)
        self._emit_ready()
        if self.history != given:
            self._tell("replace", self.history)

    # What goes out

    def emit(self, kind: str, /, **fields: object) -> None:
        """Send a message; fields that only level 2 knows are the caller's to leave out."""
        self.outbox.append({"type": kind, **fields})

    def emit_for_level(self, kind: str, level_2: dict[str, object], /, **fields: object) -> None:
        """Send a message, with the fields in `level_2` if the host speaks that level."""
        self.outbox.append({"type": kind, **fields, **(level_2 if self.is_level_2 else {})})

    def status(self, message: str, kind: str, /, **detail: object) -> None:
        """Tell the host what is going on, unless it wants quiet."""
        if not self.settings.quiet_mode:
            self.emit_for_level("status", {"kind": kind, "detail": detail}, message=message)

    def next_id(self, prefix: str) -> str:
        """An id that nothing else of this session has: r1, r2, … for requests, and so on."""
        self._ids[prefix] = self._ids.get(prefix, 0) + 1
        return f"{prefix}{self._ids[prefix]}"

    @property
    def is_level_2(self) -> bool:
        """Whether the host speaks level 2."""
        return self.settings.level >= 2

    # History

    def record(self, *messages: Message) -> None:
        """Add to the history; together the messages must leave it sound."""
        self.history.extend(messages)
        self.turn.messages.extend(messages)
        self._tell("append", list(messages))

    def record_user(self, content: str | list[Any]) -> None:
        """Add what the user says; behind another word of theirs it becomes one message with it."""
        if self.history and self.history[-1]["role"] == "user":
            before = self.history[-1]
            self.truncate_history(len(self.history) - 1)
            if self.turn.messages and self.turn.messages[-1] is before:
                self.turn.messages.pop()
            content = rules.join_contents(before["content"], content)
        self.record({"role": "user", "content": content})

    def replace_history(self, messages: list[Message]) -> None:
        """Put another history in place; the prompt is built anew with it."""
        self.history = rules.mend(messages)
        self._prompt = None
        self._measured = None
        self._tell("replace", self.history)

    def truncate_history(self, length: int) -> None:
        """Keep the first `length` messages."""
        del self.history[length:]
        self._measured = None
        if self.is_level_2:
            self.emit("history", op="truncate", messages=[], length=length)

    def take_history(self, messages: list[Message]) -> None:
        """Use the history that the host gave with its message."""
        self.history = rules.mend(messages)
        self._measured = None
        self._tell("replace", self.history)

    # The prompt

    def prompt(self) -> str:
        """The system prompt: the same text until the history is replaced or the host changes it."""
        if self._prompt is None:
            self._prompt = system_prompt(
                self.settings,
                self.tools,
                skills=self.skills,
                memory=self.memory["memory"],
                user=self.memory["user"],
                system_message=self.system_message,
                date=self.date,
            )
        return self._prompt

    def set_system_message(self, text: str | None) -> None:
        """Take the host's own addition to the prompt."""
        if text != self.system_message:
            self.system_message = text
            self._prompt = None

    def new_date(self, now: str | None) -> str | None:
        """The date in words if it is not the one that the model was last told."""
        date = date_of(now)
        if date is None or date == self.date:
            return None
        known, self.date = self.date, date
        return date if known is not None or self._prompt is not None else None

    # Size

    def measure(self, tokens: int, messages: int) -> None:
        """Take the provider's own count of a request that held the first `messages` messages."""
        self._measured = (tokens, messages)

    def context_tokens(self) -> int:
        """The size of the next request: the provider's own count as far as it goes, then ours."""
        if self._measured is not None:
            tokens, counted = self._measured
            return tokens + estimate_messages(self.history[counted:])
        return self.fixed_tokens() + estimate_messages(self.history)

    def fixed_tokens(self) -> int:
        """The part of every request that no compression shrinks: prompt and tool schemas."""
        return estimate_text(self.prompt()) + self._tool_tokens

    def _tell(self, op: str, messages: list[Message]) -> None:
        if self.is_level_2:
            # The list as it is now: it goes on changing, the line must not.
            self.emit("history", op=op, messages=list(messages))

    def _emit_ready(self) -> None:
        by_kind = {
            kind: [tool.name for tool in self.tools.values() if tool.kind == kind]
            for kind in (LOCAL, REMOTE, INTERACTIVE)
        }
        agent = {"name": AGENT_NAME, "version": __version__}
        self.emit_for_level(
            "ready",
            {"protocol": PROTOCOL_VERSION, "agent": agent},
            tools=list(self.tools),
            local_tools=by_kind[LOCAL],
            remote_tools=by_kind[REMOTE],
            interactive_tools=by_kind[INTERACTIVE],
            session_id=self.settings.session_id,
        )
