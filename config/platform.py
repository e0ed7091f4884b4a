"""What is set for every chat platform in the same way: whether it is on, and who may talk.

What a platform has beyond that stands in a file of its own. Ids are the platform's.
"""

from pydantic import Field

from config.section import NumericId, PersonId, Secret, Section


class PlatformSettings(Section):
    """A chat platform. On as soon as there is a token."""

    enabled: bool = Field(
        default=True, description="`false` leaves this platform alone even if there is a token."
    )
    token: Secret | None = None
    owners: tuple[PersonId, ...] = Field(
        default=(),
        description="Ids of the people who may talk to the bot and say who else may. Whoever sends "
        "the bot the code that is shown at the start becomes an owner, too.",
    )
    allowed_users: tuple[NumericId, ...] = Field(
        default=(),
        description="Ids of the people who may talk to the bot anywhere. Owners can let in others.",
    )
    allowed_chats: tuple[NumericId, ...] = ()
    allowed_bots: tuple[PersonId, ...] = ()

    @property
    def is_on(self) -> bool:
        """Whether the platform is to be served."""
        return self.enabled and self.token is not None
