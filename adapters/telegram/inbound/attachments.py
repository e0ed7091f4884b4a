"""The file of a message, if it has one. Pure; its bytes are downloads.py's business.

A message holds one file at most; the pictures of an album are messages of their own.
"""

import datetime as dt
from collections.abc import Sequence

from telegram import Document, ExternalReplyInfo, Message, PhotoSize

from adapters.base import Attachment, MediaKind

# What a person sees as a picture, though it was sent as a file to keep its quality.
_PICTURES = frozenset({"image/jpeg", "image/png", "image/webp", "image/gif"})


def attachment_of(message: Message | ExternalReplyInfo) -> Attachment | None:
    """The photo, voice message, film or other file."""
    if message.photo:
        return _photo(message.photo)
    if message.voice is not None:
        voice = message.voice
        return Attachment(
            MediaKind.VOICE,
            voice.file_id,
            media_type=voice.mime_type or "audio/ogg",
            size_bytes=voice.file_size,
            duration_s=_seconds(voice.duration),
        )
    if message.audio is not None:
        audio = message.audio
        titled = " - ".join(filter(None, (audio.performer, audio.title)))
        return Attachment(
            MediaKind.AUDIO,
            audio.file_id,
            name=audio.file_name or titled or None,
            media_type=audio.mime_type,
            size_bytes=audio.file_size,
            duration_s=_seconds(audio.duration),
        )
    if message.video_note is not None:
        note = message.video_note
        return Attachment(
            MediaKind.VIDEO,
            note.file_id,
            media_type="video/mp4",
            size_bytes=note.file_size,
            duration_s=_seconds(note.duration),
        )
    # An animation is called a document as well (Bot API, Message.animation).
    if film := message.video or message.animation:
        return Attachment(
            MediaKind.VIDEO,
            film.file_id,
            name=film.file_name,
            media_type=film.mime_type,
            size_bytes=film.file_size,
            duration_s=_seconds(film.duration),
        )
    return _document(message.document) if message.document is not None else None


def _photo(sizes: Sequence[PhotoSize]) -> Attachment:
    largest = max(sizes, key=lambda size: size.width * size.height)
    return Attachment(
        MediaKind.IMAGE,
        largest.file_id,
        media_type="image/jpeg",  # Telegram makes every photo one
        size_bytes=largest.file_size,
    )


def _document(document: Document) -> Attachment:
    return Attachment(
        MediaKind.IMAGE if document.mime_type in _PICTURES else MediaKind.FILE,
        document.file_id,
        name=document.file_name,
        media_type=document.mime_type,
        size_bytes=document.file_size,
    )


def _seconds(duration: dt.timedelta | int) -> float:
    return duration.total_seconds() if isinstance(duration, dt.timedelta) else duration
