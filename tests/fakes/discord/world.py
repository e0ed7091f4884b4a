"""People, servers, channels and messages, as the payloads that Discord sends (API version 10)."""

import itertools
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Json = dict[str, Any]

EPOCH_MS = 1_420_070_400_000  # 2015, when Discord's ids begin
TEXT, DIRECT, THREAD = 0, 1, 11
_serial = itertools.count()


def new_id() -> int:
    """A snowflake: the time in milliseconds, and a number."""
    milliseconds = int(time.time() * 1000) - EPOCH_MS
    return (milliseconds << 22) | (next(_serial) & 0x3FFFFF)


def now() -> str:
    """The time as Discord writes it."""
    return datetime.now(UTC).isoformat()


@dataclass
class Person:
    """A user. `direct` is the channel of the bot's chat with them."""

    name: str
    id: int = field(default_factory=new_id)
    is_bot: bool = False
    direct: "Channel | None" = None

    def payload(self) -> Json:
        """A user object."""
        return {
            "id": str(self.id),
            "username": self.name.lower(),
            "global_name": self.name,
            "discriminator": "0",
            "avatar": None,
            "bot": self.is_bot,
        }


@dataclass
class Message:
    """A message; `versions` are all texts that it has had."""

    channel: "Channel"
    author: Person
    fields: Json
    id: int = field(default_factory=new_id)
    versions: list[str] = field(default_factory=list)
    reactions: list[tuple[str, int]] = field(default_factory=list)
    is_deleted: bool = False
    is_private: bool = False

    @property
    def text(self) -> str:
        """What it says now."""
        return str(self.fields.get("content") or "")

    @property
    def labels(self) -> list[str]:
        """Its buttons, or what its menu offers."""
        return [
            offered["label"] for one in self._components for offered in one.get("options", [one])
        ]

    def custom_id(self, label: str) -> str:
        """What one of its buttons is known by."""
        return str(next(o["custom_id"] for o in self._components if o.get("label") == label))

    def choice(self, label: str) -> tuple[str, str]:
        """What its menu is known by, and what stands behind one of its options."""
        (menu,) = self._components
        return menu["custom_id"], next(o["value"] for o in menu["options"] if o["label"] == label)

    @property
    def _components(self) -> list[Json]:
        return [one for row in self.fields.get("components") or () for one in row["components"]]

    def payload(self) -> Json:
        """A message object."""
        made: Json = {
            "id": str(self.id),
            "channel_id": str(self.channel.id),
            "author": self.author.payload(),
            "content": "",
            "timestamp": now(),
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": False,
            "mentions": [],
            "mention_roles": [],
            "attachments": [],
            "embeds": [],
            "components": [],
            "pinned": False,
            "type": 0,
            "flags": 0,
            **self.fields,
        }
        if self.channel.guild is not None:
            made["guild_id"] = str(self.channel.guild.id)
        return made


@dataclass
class Channel:
    """A channel of a server, a thread, or a direct chat."""

    name: str
    guild: "Guild | None" = None
    parent: "Channel | None" = None
    id: int = field(default_factory=new_id)
    messages: list[Message] = field(default_factory=list)
    recipient: Person | None = None

    def shown(self) -> list[Message]:
        """What everybody sees."""
        return [one for one in self.messages if not one.is_deleted and not one.is_private]

    def find(self, message_id: int) -> Message | None:
        """One of its messages."""
        found = (one for one in self.messages if one.id == message_id and not one.is_deleted)
        return next(found, None)

    def payload(self) -> Json:
        """A channel object."""
        made: Json = {"id": str(self.id), "name": self.name, "flags": 0, "last_message_id": None}
        if self.recipient is not None:
            return {**made, "type": DIRECT, "recipients": [self.recipient.payload()]}
        assert self.guild is not None
        made |= {"guild_id": str(self.guild.id), "position": 0, "permission_overwrites": []}
        if self.parent is None:
            return {**made, "type": TEXT, "topic": None, "nsfw": False, "rate_limit_per_user": 0}
        return {
            **made,
            "type": THREAD,
            "parent_id": str(self.parent.id),
            "owner_id": str(self.guild.bot.id),
            "message_count": 0,
            "member_count": 1,
            "rate_limit_per_user": 0,
            "thread_metadata": {
                "archived": False,
                "auto_archive_duration": 1440,
                "archive_timestamp": now(),
                "locked": False,
            },
        }


@dataclass
class Guild:
    """A server in which the bot is."""

    name: str
    bot: Person
    id: int = field(default_factory=new_id)
    channels: list[Channel] = field(default_factory=list)

    def member(self, person: Person) -> Json:
        """A member object, without the user."""
        return {
            "roles": [],
            "joined_at": now(),
            "deaf": False,
            "mute": False,
            "nick": None,
            "avatar": None,
            "flags": 0,
            "pending": False,
        }

    def payload(self) -> Json:
        """A guild object as GUILD_CREATE has it."""
        everyone = {
            "id": str(self.id),
            "name": "@everyone",
            "color": 0,
            "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
            "hoist": False,
            "position": 0,
            "permissions": str((1 << 53) - 1),
            "managed": False,
            "mentionable": False,
            "flags": 0,
        }
        return {
            "id": str(self.id),
            "name": self.name,
            "icon": None,
            "splash": None,
            "owner_id": str(new_id()),
            "afk_timeout": 300,
            "verification_level": 0,
            "default_message_notifications": 0,
            "explicit_content_filter": 0,
            "roles": [everyone],
            "emojis": [],
            "stickers": [],
            "features": [],
            "mfa_level": 0,
            "system_channel_flags": 0,
            "premium_tier": 0,
            "preferred_locale": "en-US",
            "nsfw_level": 0,
            "member_count": 2,
            "large": False,
            "unavailable": False,
            "voice_states": [],
            "presences": [],
            "stage_instances": [],
            "guild_scheduled_events": [],
            "soundboard_sounds": [],
            "members": [{**self.member(self.bot), "user": self.bot.payload()}],
            "channels": [one.payload() for one in self.channels if one.parent is None],
            "threads": [one.payload() for one in self.channels if one.parent is not None],
        }
