"""What is stored of one person, to be given to them or deleted; and which chats there are.

A person is `platform:id`. Theirs are their direct chats, their notes, and the texts that they wrote
in groups; what others wrote, and what the agent answered there, belongs to the group.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gateway.store.sessions import SessionInfo


@dataclass(frozen=True, slots=True)
class Said:
    """A message, or a person's part of one."""

    at: str  # ISO 8601, UTC
    role: str
    text: str
    is_in_history: bool = True  # no longer, if it was undone or summed up


@dataclass(frozen=True, slots=True)
class PersonalData:
    """All of one person."""

    person: str
    notes: Sequence[str]  # the memory texts: of the person, and of their direct chats
    sessions: Sequence[tuple[SessionInfo, Sequence[Said]]]  # of their direct chats
    in_groups: Sequence[tuple[str, Said]]  # (the chat, what they wrote there)
    jobs: Sequence[tuple[str, str]] = ()  # (the chat, what is to be done there on a schedule)
    not_told: Sequence[tuple[str, str]] = ()  # (the chat, what its next message will be told)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was deleted."""

    chats: Sequence[str]  # all whose history has changed: their agents have to be let go
    sessions: int
    messages: int


@dataclass(frozen=True, slots=True)
class ChatInfo:
    """A chat as the administrator sees it."""

    chat: str
    sessions: int
    messages: int
    last_used_at: str
    members: str  # names, with commas


class PeopleStore(Protocol):
    """The data of people. All methods raise `StoreError`."""

    async def data_of(self, person: str) -> PersonalData:
        """All that is stored of a person."""

    async def forget(self, person: str) -> Forgotten:
        """Delete it."""

    async def chats(self) -> Sequence[ChatInfo]:
        """All chats, the last used first."""
