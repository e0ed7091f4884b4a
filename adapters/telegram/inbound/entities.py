"""Mentions and commands in a text, and the text without them. Pure.

What they mean for us is audience.py's business.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from telegram import MessageEntity
from telegram.constants import MessageEntityType

_MENTIONS = frozenset({MessageEntityType.MENTION, MessageEntityType.TEXT_MENTION})


@dataclass(frozen=True, slots=True)
class Me:
    """The bot itself, as `getMe` tells."""

    id: int
    username: str


@dataclass(frozen=True, slots=True)
class Found:
    """An entity with its place in code points; Telegram counts in UTF-16 units."""

    type: str
    start: int
    end: int
    text: str
    user_id: int | None = None
    url: str | None = None  # of a text_link
    language: str | None = None  # of a pre

    @classmethod
    def of(cls, entity: MessageEntity, text: str) -> "Found":
        """The entity within the text that it belongs to."""
        units = text.encode("utf-16-le", "surrogatepass")
        start = _code_points(units[: 2 * entity.offset])
        end = start + _code_points(units[2 * entity.offset : 2 * (entity.offset + entity.length)])
        user_id = entity.user.id if entity.user else None
        return cls(entity.type, start, end, text[start:end], user_id, entity.url, entity.language)


def _code_points(units: bytes) -> int:
    return len(units.decode("utf-16-le", "surrogatepass"))


def is_mention_of(found: Found, me: Me) -> bool:
    """Whether this is the bot's @name, or its name where it has no @name."""
    if found.type == MessageEntityType.MENTION:
        return found.text.lower() == f"@{me.username}".lower()
    return found.type == MessageEntityType.TEXT_MENTION and found.user_id == me.id


def begins_with_mention(text: str, found: Sequence[Found]) -> bool:
    """Whether the first thing said is somebody's name."""
    return any(one.type in _MENTIONS and not text[: one.start].strip() for one in found)


def command(found: Sequence[Found]) -> Found | None:
    """The command that the message begins with."""
    commands = (one for one in found if one.type == MessageEntityType.BOT_COMMAND)
    return next((one for one in commands if one.start == 0), None)


def is_for(command_: Found, me: Me) -> bool:
    """Whether a command names this bot, or none."""
    _, at, bot = command_.text.partition("@")
    return not at or bot.lower() == me.username.lower()


def without_me(text: str, found: Sequence[Found], me: Me) -> str:
    """The text as if it had been said to the bot's face; empty if nothing else was said."""
    mentions = [one for one in found if is_mention_of(one, me)]
    stripped = text
    for mention in sorted(mentions, key=lambda one: one.start, reverse=True):
        before, after = stripped[: mention.start], stripped[mention.end :]
        stripped = after.lstrip(" \t\n,:") if not before.strip() else before.rstrip(" ") + after
    first = command(found)
    if first is not None and is_for(first, me):
        name, _, _ = first.text.partition("@")
        stripped = name + stripped[first.end :]
    return stripped.strip()
