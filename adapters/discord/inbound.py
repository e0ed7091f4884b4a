"""What a message means: a text for the bot or beside it, an edit, or nothing of ours. Pure.

Taken: what people, bots and webhooks write in direct chats, channels, threads and posts. Not taken:
our own messages, and what Discord itself writes into channels (a thread was begun, somebody
joined). Who may talk is the gateway's business.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import discord

from adapters.base import Attachment, ChatKind, Edited, Inbound, Observed, Sender
from adapters.discord.contents import embeds_of, files_of, readable, snapshot_text, text_of
from adapters.discord.places import address_of, family_of, title_of
from config.discord import DiscordSettings

_WRITTEN = frozenset({discord.MessageType.default, discord.MessageType.reply})


@dataclass(frozen=True, slots=True)
class Hearing:
    """When the bot feels addressed."""

    requires_mention: bool = True
    free_chats: frozenset[int] = frozenset()
    follows_threads: bool = True

    @classmethod
    def of(cls, settings: DiscordSettings) -> "Hearing":
        """What the settings say."""
        return cls(
            settings.require_mention, frozenset(settings.free_chats), settings.follow_threads
        )


def to_inbound(
    message: discord.Message, me: discord.ClientUser, hearing: Hearing
) -> Inbound | None:
    """The message for the gateway, or None if it is none of ours."""
    if message.type not in _WRITTEN or message.author.id == me.id:
        return None
    address = address_of(message.channel, message.id)
    sender = sender_of(message.author, message.webhook_id)
    text, files, label = _said(message, me)
    embeds = [] if label else embeds_of(message)
    if sender.is_bot:
        text, embeds = "\n".join(filter(None, [text, *embeds])), []
    if not text and not files:
        return None  # without the intent, what is not for us comes empty
    return Inbound(
        event_id=str(message.id),
        address=address,
        sender=sender,
        text=text,
        is_addressed=address.kind is ChatKind.DIRECT or is_for_me(message, me, hearing),
        chat_title=title_of(message.channel),
        quoted_text=_quoted(message),
        message_id=str(message.id),
        attachments=files,
        forwarded_from=label,
        context=tuple(Observed(sender, embed) for embed in embeds),
    )


def to_edited(message: discord.Message, me: discord.ClientUser, hearing: Hearing) -> Edited | None:
    """The edit in an update of a message. Previews of links and pins come as updates, too."""
    changed = to_inbound(message, me, hearing)
    if changed is None or message.edited_at is None:
        return None
    event_id = f"{message.id}:{int(message.edited_at.timestamp() * 1000)}"
    return Edited(replace(changed, event_id=event_id))


def sender_of(author: discord.abc.User, webhook_id: int | None = None) -> Sender:
    """Who wrote. A webhook is a bot with an id of its own."""
    if webhook_id is not None:
        return Sender(str(webhook_id), author.display_name, is_bot=True)
    roles: Sequence[discord.Role] = author.roles if isinstance(author, discord.Member) else ()
    return Sender(
        id=str(author.id),
        name=author.display_name,
        is_bot=author.bot,
        roles=tuple(str(role.id) for role in roles),
    )


def observed(message: discord.Message) -> Observed | None:
    """A message as context: what somebody else has said."""
    text = text_of(message, None)
    if message.type not in _WRITTEN or not text:
        return None
    return Observed(sender_of(message.author, message.webhook_id), text)


def is_for_me(message: discord.Message, me: discord.ClientUser, hearing: Hearing) -> bool:
    """Whether a message in a server is meant for the bot."""
    place = message.channel
    if not hearing.requires_mention or hearing.free_chats.intersection(family_of(place)):
        return True
    if any(user.id == me.id for user in message.mentions):
        return True
    own_role = message.guild.self_role if message.guild else None
    if own_role is not None and own_role in message.role_mentions:
        return True
    replied = _replied_to(message)
    if replied is not None and replied.author.id == me.id:
        return True
    return hearing.follows_threads and isinstance(place, discord.Thread) and _is_in(place, me)


def _is_in(thread: discord.Thread, me: discord.ClientUser) -> bool:
    return thread.me is not None or thread.owner_id == me.id


def _said(
    message: discord.Message, me: discord.ClientUser
) -> tuple[str, tuple[Attachment, ...], str | None]:
    """The text, the files, and the origin if all of it was forwarded."""
    if not message.message_snapshots:
        return text_of(message, me), files_of(message, message.channel.id, message.id), None
    snapshots = message.message_snapshots
    text = "\n\n".join(filter(None, map(snapshot_text, snapshots)))
    files = tuple(
        file for one in snapshots for file in files_of(one, message.channel.id, message.id)
    )
    return text, files, _origin(message)


def _origin(message: discord.Message) -> str:
    """Where a forwarded message comes from; Discord doesn't say from whom."""
    source = message.reference
    guild = message.guild
    if source is not None and guild is not None and source.guild_id == guild.id:
        channel = guild.get_channel_or_thread(source.channel_id)
        if channel is not None:
            return f"#{channel.name}"
    return "another chat"


def _replied_to(message: discord.Message) -> discord.Message | None:
    reference = message.reference
    if reference is None or reference.type is not discord.MessageReferenceType.reply:
        return None
    resolved = reference.resolved
    return resolved if isinstance(resolved, discord.Message) else None


def _quoted(message: discord.Message) -> str | None:
    replied = _replied_to(message)
    if replied is None:
        return None
    words = readable(replied.content, replied)
    embeds = embeds_of(replied) if not words else []
    files = [f"[file: {file.filename}]" for file in replied.attachments]
    return "\n".join(filter(None, [words, *embeds, *files])) or None
