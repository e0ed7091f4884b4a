"""The narrow waist between the gateway and whatever keeps its data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Message = dict[str, Any]
"""A message of a history, in the shape of the OpenAI chat API."""

MemoryKind = Literal["memory", "user"]
"""`memory` belongs to a chat, `user` to a person across their chats on a platform."""


@dataclass(frozen=True, slots=True)
class Session:
    """A chat's current history."""

    id: str
    chat: str  # the session key, e.g. telegram:dm:42
    started_at: str  # ISO 8601, UTC


class Store(Protocol):
    """Sessions, history and memory. All methods raise `StoreError`."""

    async def current_session(self, chat: str) -> Session:
        """The open session of a chat; begun if there is none."""

    async def begin_session(self, chat: str, reason: str) -> Session:
        """End the open session, for `reason`, and begin another."""

    async def history(self, session_id: str) -> list[Message]:
        """All messages of a session, in order."""

    async def append_messages(self, session_id: str, messages: Sequence[Message]) -> None:
        """Add to the end of a history."""

    async def replace_messages(self, session_id: str, messages: Sequence[Message]) -> None:
        """Put another history in the place of the stored one."""

    async def truncate_messages(self, session_id: str, length: int) -> None:
        """Keep the first `length` messages."""

    async def memory(self, kind: MemoryKind, owner: str) -> str:
        """A memory text; empty if nothing was ever stored."""

    async def set_memory(self, kind: MemoryKind, owner: str, text: str) -> None:
        """Store a memory text."""

    async def close(self) -> None:
        """Write everything and let go of the file."""
