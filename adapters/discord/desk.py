"""What the adapter has to ask the gateway before it does something by itself.

A thread is not begun, and no name of a session shown while somebody types, for people who may not
talk. Whether they may is not decided here.
"""

from collections.abc import Sequence
from typing import Protocol

from adapters.base import Address, Sender


class Desk(Protocol):
    """The gateway, as far as the adapter asks it."""

    async def may_talk(self, address: Address, sender: Sender) -> bool:
        """Whether somebody may talk there."""

    async def suggestions(
        self, address: Address, sender: Sender, command: str
    ) -> Sequence[tuple[str, str]]:
        """What a command's argument may be there, most likely first: what is shown, and what it
        stands for. Nothing for those who may not talk.
        """


class ClosedDesk:
    """Where there is nobody to ask: nobody may do anything."""

    async def may_talk(self, address: Address, sender: Sender) -> bool:  # noqa: ARG002 - a protocol's
        """Nobody may."""
        return False

    async def suggestions(
        self,
        address: Address,  # noqa: ARG002 - a protocol's
        sender: Sender,  # noqa: ARG002 - a protocol's
        command: str,  # noqa: ARG002 - a protocol's
    ) -> Sequence[tuple[str, str]]:
        """There are none."""
        return ()
