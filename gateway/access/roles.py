"""What a person may do here, and where that comes from."""

from dataclasses import dataclass
from enum import IntEnum


class Role(IntEnum):
    """From nothing at all to everything: a higher role may do what a lower one may."""

    BLOCKED = 0  # thrown out by an owner
    STRANGER = 1  # nobody has said anything about them
    MEMBER = 2  # may talk
    OWNER = 3  # may say who talks

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Standing:
    """A person's role in one chat, and why they have it."""

    role: Role
    reason: str  # completes "because of …": a setting, a command, a claim

    @property
    def may_talk(self) -> bool:
        """Whether anything they send is taken at all."""
        return self.role >= Role.MEMBER
