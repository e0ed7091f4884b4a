"""Whether a message is meant for the bot. Pure.

In a private chat all is. In groups the rules below are asked in their order, and the first that
has something to say decides; whether the sender may talk at all is the gateway's business.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from adapters.base import Address, ChatKind
from adapters.telegram.inbound.entities import (
    Found,
    Me,
    begins_with_mention,
    command,
    is_for,
    is_mention_of,
)
from adapters.telegram.inbound.places import GENERAL_TOPIC
from config.names import Names
from config.telegram import TelegramSettings


@dataclass(frozen=True, slots=True)
class Audience:
    """Who we are, and what we listen to in groups."""

    me: Me
    names: Names = field(default_factory=Names)
    needs_mention: bool = True
    free_chats: frozenset[str] = frozenset()
    free_topics: frozenset[str] = frozenset()  # as CHAT:TOPIC

    @classmethod
    def of(cls, settings: TelegramSettings, me: Me) -> "Audience":
        """As the settings say."""
        return cls(
            me,
            Names.of(settings.names),
            settings.require_mention,
            frozenset(map(str, settings.free_chats)),
            frozenset(settings.free_topics),
        )

    def is_free(self, address: Address) -> bool:
        """Whether every message there is answered."""
        topic = f"{address.chat_id}:{address.thread_id or GENERAL_TOPIC}"
        is_free_place = address.chat_id in self.free_chats or topic in self.free_topics
        return is_free_place or not self.needs_mention


@dataclass(frozen=True, slots=True)
class Said:
    """What is looked at: a text or a caption, and what it stands in."""

    address: Address
    text: str
    found: Sequence[Found]
    is_reply_to_me: bool = False
    is_forwarded: bool = False


def is_addressed(said: Said, audience: Audience) -> bool:
    """Whether the bot is spoken to."""
    verdicts = (rule(said, audience) for rule in _RULES)
    return next((verdict for verdict in verdicts if verdict is not None), False)


def _face_to_face(said: Said, _: Audience) -> bool | None:
    return True if said.address.kind is ChatKind.DIRECT else None


def _forwarded(said: Said, audience: Audience) -> bool | None:
    # Names and commands in it are somebody else's words, said to somebody else.
    return audience.is_free(said.address) if said.is_forwarded else None


def _mentioned(said: Said, audience: Audience) -> bool | None:
    return any(is_mention_of(one, audience.me) for one in said.found) or None


def _commanded(said: Said, audience: Audience) -> bool | None:
    first = command(said.found)
    return None if first is None else is_for(first, audience.me)


def _said_to_others(said: Said, _: Audience) -> bool | None:
    # Asked after _mentioned, so we are not among them.
    return False if begins_with_mention(said.text, said.found) else None


def _replied_to(said: Said, _: Audience) -> bool | None:
    return said.is_reply_to_me or None


def _called(said: Said, audience: Audience) -> bool | None:
    return audience.names.are_in(said.text) or None


def _free(said: Said, audience: Audience) -> bool | None:
    return audience.is_free(said.address) or None


_RULES: tuple[Callable[[Said, Audience], bool | None], ...] = (
    _face_to_face,
    _forwarded,
    _mentioned,
    _commanded,
    _said_to_others,
    _replied_to,
    _called,
    _free,
)
