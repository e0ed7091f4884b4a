"""What is known of a chat's sessions, and of who has been in which chat."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gateway.store.base import Session


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session as lists show it. Times are ISO 8601 in UTC."""

    id: str
    chat: str
    started_at: str
    updated_at: str  # when something was last said in it
    ended_at: str | None
    end_reason: str | None
    parent: str | None  # the session that it followed
    given_title: str | None
    first_words: str  # what was said first, cut short
    messages: int  # in its history now; 0 if nothing was ever said


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody who has written in a chat."""

    chat: str
    person: str  # platform:id
    name: str


class SessionStore(Protocol):
    """Sessions, apart from what is said in them. All methods raise `StoreError`."""

    async def info(self, session_id: str) -> SessionInfo:
        """One session."""

    async def recent(self, chat: str, limit: int) -> Sequence[SessionInfo]:
        """The sessions of a chat in which something was said, the last used first."""

    async def set_title(self, session_id: str, title: str) -> None:
        """Give it a title."""

    async def reopen(self, session_id: str, reason: str) -> Session:
        """Go on with a session of the past. The open one of its chat is ended, for `reason`."""

    async def note_member(self, member: Member) -> None:
        """Somebody has written in a chat."""

    async def chats_of(self, person: str) -> Sequence[str]:
        """The chats in which a person has written, the latest first."""

    async def members_of(self, chat: str) -> Sequence[str]:
        """The people who have written in a chat, as `platform:id`, the latest first."""

    async def names_in(self, chat: str, limit: int) -> Sequence[str]:
        """What those who have written in a chat call themselves, the latest first."""
