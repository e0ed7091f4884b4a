"""What Discord lets a bot answer by for a quarter of an hour: a command, a button, a form. Pure.

It travels in the address of what was asked, so it is there after a restart as well. What is only
for whoever asked stays so: when the time is over, nothing takes its place.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import discord

from adapters.base import Address

LIFE = timedelta(minutes=15)  # Discord, "Interactions and Bots", interaction tokens
_MARGIN = timedelta(seconds=15)


@dataclass(frozen=True, slots=True)
class Pass:
    """Leave to answer one interaction."""

    application_id: int
    token: str
    ends_at: int  # seconds since 1970
    is_private: bool

    @classmethod
    def of(cls, interaction: discord.Interaction, *, is_private: bool) -> "Pass":
        """What an interaction gives."""
        ends_at = interaction.created_at + LIFE - _MARGIN
        return cls(
            interaction.application_id, interaction.token, int(ends_at.timestamp()), is_private
        )

    @classmethod
    def in_address(cls, address: Address) -> "Pass | None":
        """What an address holds."""
        if address.interaction is None:
            return None
        application_id, ends_at, private, token = address.interaction.split(":", 3)
        return cls(int(application_id), token, int(ends_at), private == "private")

    def __str__(self) -> str:
        """As it stands in an address."""
        who = "private" if self.is_private else "public"
        return f"{self.application_id}:{self.ends_at}:{who}:{self.token}"

    def is_over(self, now: datetime) -> bool:
        """Whether Discord takes no more answers by it."""
        return now.timestamp() >= self.ends_at
