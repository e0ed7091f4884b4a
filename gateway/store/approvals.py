"""The narrow waist between approvals and whatever keeps those that are to be remembered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Remembered:
    """A yes that holds for later calls, too: of one person, in one chat, for one pattern."""

    chat: str  # the session key
    person: str  # `telegram:42`
    kind: str
    pattern: str
    session: str | None = None  # only in that session; None: always
    given_by: str = ""  # the person who said it: `telegram:42`
    given_at: str = ""  # ISO 8601, UTC; set by the store
    id: int = 0  # set by the store


class ApprovalStore(Protocol):
    """What was approved for more than once. All methods raise `StoreError`."""

    async def remember(self, approval: Remembered) -> None:
        """Keep a yes; the same twice is one."""

    async def holds(self, wanted: Remembered) -> bool:
        """Whether a yes for this was given for good, or for this session."""

    async def in_chat(self, chat: str, session: str) -> Sequence[Remembered]:
        """What holds in a chat and its session, the oldest first."""

    async def everywhere(self, platform: str) -> Sequence[Remembered]:
        """What was given for good in all chats of a platform, the oldest first."""

    async def revoke(self, approval_id: int, *, platform: str, chat: str | None) -> bool:
        """Forget a yes, in that chat or on all of the platform; False if there is no such."""
