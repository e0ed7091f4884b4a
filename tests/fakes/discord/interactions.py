"""What people click and type beside messages, and how the bot answers: within three seconds."""

import secrets
import time
from dataclasses import dataclass, field

from tests.fakes.discord.checks import Refused
from tests.fakes.discord.world import Channel, Json, Message, Person, new_id

COMMAND, COMPONENT, SUGGESTIONS, FORM = 2, 3, 4, 5
FIRST_ANSWER_S = 3.0
LIFE_S = 15 * 60.0


@dataclass
class Interaction:
    """One of them. `kind` is the type of the first answer, None as long as there is none."""

    channel: Channel
    token: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    began: float = field(default_factory=time.monotonic)
    kind: int | None = None
    data: Json | None = None
    messages: list[Message] = field(default_factory=list)
    is_cleared: bool = False

    def is_late(self) -> bool:
        """Whether it is too late for a first answer."""
        return time.monotonic() - self.began > FIRST_ANSWER_S

    def is_over(self) -> bool:
        """Whether it is too late for any."""
        return time.monotonic() - self.began > LIFE_S


class Interactions:
    """All of them, by their tokens."""

    def __init__(self) -> None:
        self._by_token: dict[str, Interaction] = {}

    def begin(
        self,
        application_id: int,
        *,
        person: Person,
        channel: Channel,
        kind: int,
        data: Json,
        message: Message | None = None,
    ) -> tuple[Interaction, Json]:
        """A new one, and the payload of its event."""
        made = Interaction(channel)
        self._by_token[made.token] = made
        payload: Json = {
            "id": str(new_id()),
            "application_id": str(application_id),
            "type": kind,
            "data": data,
            "channel_id": str(channel.id),
            "channel": channel.payload(),
            "token": made.token,
            "version": 1,
            "entitlements": [],
            "authorizing_integration_owners": {},
            "attachment_size_limit": 10 << 20,
            "locale": "en-US",
        }
        if channel.guild is None:
            payload |= {"user": person.payload(), "context": 1}
        else:
            member = {**channel.guild.member(person), "user": person.payload(), "permissions": "0"}
            payload |= {"member": member, "guild_id": str(channel.guild.id), "context": 0}
        if message is not None:
            payload["message"] = message.payload()
        return made, payload

    def answered(self, token: str) -> Interaction:
        """The one that is being answered."""
        if token not in self._by_token:
            raise Refused(404, 10015, "Unknown Webhook")
        return self._by_token[token]
