"""What is stored about who may talk, and the narrow waist to whatever stores it.

Codes are kept only as salted digests. A change of the pairing requests is a pure function that
runs inside one transaction, so that the gateway and the command line can't get into each other's
way. What follows from these rows is `gateway.access`'s business.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Literal, Protocol, TypeVar

GrantedRole = Literal["owner", "member", "blocked"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Grant:
    """What one person, or everybody in a group, was made on a platform; a later one takes its
    place."""

    platform: str
    person_id: str  # of a group: its id after `chat:`
    role: GrantedRole
    source: str  # how it came about: "claim", "pairing", "/allow", "/block"
    granted_by: str  # "telegram:42", "console:local", "command line"
    granted_at: datetime


@dataclass(frozen=True, slots=True)
class Digest:
    """What is kept of a code."""

    salt: bytes
    digest: bytes


@dataclass(frozen=True, slots=True)
class Claim:
    """An open claim: who sends the code becomes an owner."""

    code: Digest
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class PairingRequest:
    """A stranger who was given a code. What they wrote is not kept."""

    platform: str
    person_id: str
    chat_id: str  # where to tell them that they were let in
    name: str  # what they call themselves
    code: Digest
    requested_at: datetime
    is_denied: bool = False


@dataclass(frozen=True, slots=True)
class Guard:
    """Wrong codes that somebody tried to approve, one after the other."""

    failures: int = 0
    failed_at: datetime | None = None  # the last of them


@dataclass(frozen=True, slots=True)
class Pairing:
    """All that is known of pairing; a few rows at most."""

    requests: tuple[PairingRequest, ...] = ()
    guard: Guard = Guard()


@dataclass(frozen=True, slots=True)
class Change(Generic[T]):
    """What a decision makes of the pairing requests, and what it says to whoever asked."""

    pairing: Pairing
    outcome: T
    grant: Grant | None = None


@dataclass(frozen=True, slots=True)
class StoredAccess:
    """All grants and the open claim, as they were at one moment."""

    revision: int
    grants: tuple[Grant, ...] = ()
    claim: Claim | None = None
    moves: tuple[tuple[str, str, str], ...] = ()  # (platform, a group's id, one that it had before)


class AccessStore(Protocol):
    """Grants, the claim and pairing requests. All methods raise `StoreError`."""

    async def revision(self) -> int:
        """A number that is another after each change of grants or claim, by whatever process."""

    async def load(self) -> StoredAccess:
        """All grants and the claim."""

    async def remove_grant(self, platform: str, person_id: str) -> bool:
        """Take a person's grant away; False if there was none."""

    async def put_claim(self, claim: Claim | None) -> None:
        """Let a claim take the place of the former one, or end that."""

    async def spend_claim(self, claim: Claim, grant: Grant) -> bool:
        """End this claim and store its grant; False if the claim was spent or replaced before."""

    async def pairing(self) -> Pairing:
        """All that is known of pairing."""

    async def change_pairing(self, decide: Callable[[Pairing], Change[T]]) -> T:
        """Decide over what is stored, and store what comes out, grant included, in one go."""
