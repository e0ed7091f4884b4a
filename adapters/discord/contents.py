"""What a message holds: its text as a person reads it, its files, what others put in. Pure.

Ids in a text become names. What somebody sent instead of words stands in brackets. Previews of
links are written by strangers on the web, so they are no part of the text but context; what a bot
has laid out in embeds is what it says.
"""

import re
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

import discord

from adapters.base import Attachment, MediaKind

LONGEST_EMBED_CHARS = 1_000  # of one embed

_CUSTOM_EMOJI = re.compile(r"<a?(:\w{2,32}:)\d{15,20}>")
_MENTION = re.compile(r"<(@!?|@&|#)(\d{15,20})>")
_SEPARATORS = " \t\n,:"
_KINDS = (("image/", MediaKind.IMAGE), ("audio/", MediaKind.AUDIO), ("video/", MediaKind.VIDEO))
_PICTURES = {
    discord.StickerFormatType.png: "image/png",
    discord.StickerFormatType.apng: "image/png",
    discord.StickerFormatType.gif: "image/gif",
}

Holder = discord.Message | discord.MessageSnapshot


def text_of(message: discord.Message, me: discord.abc.User | None) -> str:
    """What the person wrote, as if to the bot's face, and what they sent instead of words."""
    words = readable(_without_me(message.content, message, me), message)
    return "\n".join(filter(None, [words, *_instead_of_words(message)]))


def snapshot_text(snapshot: discord.MessageSnapshot) -> str:
    """The text of a forwarded message; whom it mentions is not told to us."""
    words = _CUSTOM_EMOJI.sub(r"\1", snapshot.content)
    previews = [f"[{one}]" for one in embeds_of(snapshot)]
    return "\n".join(filter(None, [words, *_instead_of_words(snapshot), *previews]))


def readable(text: str, message: discord.Message) -> str:
    """The text with names in place of ids."""
    names = {("@", user.id): f"@{user.display_name}" for user in message.mentions}
    names |= {("@&", role.id): f"@{role.name}" for role in message.role_mentions}
    names |= {("#", channel.id): f"#{channel.name}" for channel in message.channel_mentions}

    def name(found: re.Match[str]) -> str:
        return names.get((found[1].rstrip("!"), int(found[2])), found[0])

    return _CUSTOM_EMOJI.sub(r"\1", _MENTION.sub(name, text))


def files_of(holder: Holder, channel_id: int, message_id: int) -> tuple[Attachment, ...]:
    """The files of a message, or of one that was forwarded in it; pictures of stickers, too."""
    files = [attachment_of(file, channel_id, message_id) for file in holder.attachments]
    stickers = [
        Attachment(
            kind=MediaKind.IMAGE,
            ref=reference(channel_id, message_id, sticker.id, sticker.url),
            name=f"{sticker.name}.{sticker.format.file_extension}",
            media_type=_PICTURES[sticker.format],
        )
        for sticker in holder.stickers
        if sticker.format in _PICTURES
    ]
    return (*files, *stickers)


def attachment_of(file: discord.Attachment, channel_id: int, message_id: int) -> Attachment:
    """A file that came with a message, or (both ids 0) with a command."""
    return Attachment(
        kind=MediaKind.VOICE if file.is_voice_message() else _kind(file),
        ref=reference(channel_id, message_id, file.id, file.url),
        name=file.filename,
        media_type=(file.content_type or "").partition(";")[0] or None,
        size_bytes=file.size,
        duration_s=file.duration,
    )


def reference(channel_id: int, message_id: int, file_id: int, url: str) -> str:
    """What a file is found by: addresses of files run out, the message gives a new one."""
    return f"{channel_id}/{message_id}/{file_id} {url}"


def embeds_of(holder: Holder) -> Sequence[str]:
    """What embeds say: previews of links, or what a bot has laid out."""
    found = []
    for embed in holder.embeds:
        text = "\n".join(_lines_of(embed))[:LONGEST_EMBED_CHARS]
        host = urlsplit(embed.url or "").hostname
        if text:
            found.append(f"preview of {host}: {text}" if host else text)
    return found


def _lines_of(embed: discord.Embed) -> Iterator[str]:
    if embed.author.name:
        yield embed.author.name
    if embed.title:
        yield embed.title
    if embed.description:
        yield embed.description
    for field in embed.fields:
        yield f"{field.name}: {field.value}"


def _instead_of_words(holder: Holder) -> Iterator[str]:
    for sticker in holder.stickers:
        yield f"[sticker: {sticker.name}]"
    poll = holder.poll if isinstance(holder, discord.Message) else None
    if poll is not None:
        answers = "; ".join(answer.text for answer in poll.answers)
        yield f"[poll: {poll.question} {answers}]"


def _kind(file: discord.Attachment) -> MediaKind:
    media_type = file.content_type or ""
    return next((kind for start, kind in _KINDS if media_type.startswith(start)), MediaKind.FILE)


def _without_me(text: str, message: discord.Message, me: discord.abc.User | None) -> str:
    """The text without the bot's name at its ends; unchanged if nothing else is said."""
    if me is None:
        return text
    ids = [str(me.id)]
    if message.guild is not None and message.guild.self_role is not None:
        ids.append(str(message.guild.self_role.id))
    name = rf"<@[!&]?(?:{'|'.join(ids)})>"
    stripped = re.sub(rf"^\s*(?:{name}[{_SEPARATORS}]*)+|(?:\s*{name})+\s*$", "", text)
    return stripped.strip() or text
