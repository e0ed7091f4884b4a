"""Where it is written down what of a reply is on a screen, so that a restart neither loses nor
doubles it. This file has the interface and the one that writes nothing; turns bring their own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Found:
    """A part that an earlier run of the gateway has sent, or was about to."""

    position: int
    message_ids: tuple[str, ...]  # none: nobody knows whether it is there
    final: str | None  # the final text, of which it was sent as a part; None for a preview


class Ledger(Protocol):
    """The book of one reply. A ledger that can't be written is no reason not to reply."""

    found: Sequence[Found]

    def finish(self, markdown: str) -> None:
        """From now on what is sent is part of this final text."""

    async def sending(self, position: int) -> None:
        """A new part is about to be sent."""

    async def sent(self, position: int, message_ids: Sequence[str]) -> None:
        """It is there, as these messages of the platform."""

    async def unsent(self, position: int) -> None:
        """It is not there, or not any more."""

    async def unknown(self, position: int) -> None:
        """Nobody knows."""


class NoLedger:
    """For texts that are no part of a turn."""

    found: Sequence[Found] = ()

    def finish(self, markdown: str) -> None:
        """Nothing."""

    async def sending(self, position: int) -> None:
        """Nothing."""

    async def sent(self, position: int, message_ids: Sequence[str]) -> None:
        """Nothing."""

    async def unsent(self, position: int) -> None:
        """Nothing."""

    async def unknown(self, position: int) -> None:
        """Nothing."""
