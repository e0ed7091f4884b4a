"""What a turn waits for, and which message answers it. Protocol as data: one table."""

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from agent_core.wire import Message

MODEL, SUMMARY, TOOL, CLARIFY, MEMORY, SKILLS = (
    "model",
    "summary",
    "tool",
    "clarify",
    "memory",
    "skills",
)

# Message type → what it may answer, and the field that says which one it answers.
ANSWERS: dict[str, tuple[tuple[str, ...], str | None]] = {
    "api_response": ((MODEL,), "request_id"),
    "error": ((MODEL, SUMMARY), "request_id"),
    "compress_response": ((SUMMARY,), "request_id"),
    "tool_result": ((TOOL,), "tool_call_id"),
    "clarify_response": ((CLARIFY,), "clarify_id"),
    "memory_data": ((MEMORY,), None),
    "skills_data": ((SKILLS,), None),
}


@dataclass(frozen=True, slots=True)
class Expected:
    """An open request: its kind, and its id where there can be several."""

    kind: str
    id: str | None = None


class Answer(NamedTuple):
    """A message together with the request that it answers."""

    expected: Expected
    message: Message


T = TypeVar("T")
Steps = Generator[tuple[Expected, ...], Answer, T]
"""A piece of a turn: yields what it waits for (any one of them), is sent the answer."""


class Interrupted(Exception):
    """The person stopped the turn; thrown into it where it waits."""

    def __init__(self, partial: str = "") -> None:
        super().__init__("interrupted")
        self.partial = partial  # what they had already been shown of the answer


def find_expected(message: Message, expected: Iterable[Expected]) -> Expected | None:
    """The first open request that this message answers: of its kind, and of its id if given."""
    kinds, id_field = ANSWERS[message["type"]]
    given_id = message.get(id_field) if id_field else None
    return next(
        (e for e in expected if e.kind in kinds and (given_id is None or e.id == given_id)), None
    )


def is_awaited(message: Message, expected: Iterable[Expected]) -> bool:
    """Whether a request of the kind that this message answers is open, be it another one."""
    kinds, _ = ANSWERS[message["type"]]
    return any(e.kind in kinds for e in expected)
