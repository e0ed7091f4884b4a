"""What a file on this machine is to Telegram: a photo, a voice message, or only a document.

`form_of` decides, from what `opened` has seen of the file; sending.py calls. `albums_of` says
which files go together. The limits are those of the Bot API ("Sending files", sendPhoto, sendVoice,
sendAudio, sendVideo, sendMediaGroup); what they exclude is sent as a document, which takes all.
"""

import asyncio
import contextlib
import os
import warnings
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import BinaryIO

from PIL import Image
from telegram import InputFile

from adapters.base import MediaKind, OutgoingFile, Rejected
from adapters.base.albums import Item, together

LARGEST_PHOTO_BYTES = 10_000_000
LARGEST_FILE_BYTES = 50_000_000
MOST_IN_ALBUM = 10
_LARGEST_SUM = 10_000  # of a photo's width and height, in pixels
_LARGEST_RATIO = 20  # of the longer side to the shorter
_PHOTO_FORMATS = frozenset({"JPEG", "PNG", "WEBP"})
_FORMATS = ("GIF", *sorted(_PHOTO_FORMATS))
"""What Pillow is to look for: what it makes of other formats changes nothing, and breaks more."""

_LAYER_III = frozenset({b"\xfb", b"\xfa", b"\xf3", b"\xf2"})
_HEAD_BYTES = 64  # enough to know a container by

# So many pixels are an attack, or at least no photo; below twice that, Pillow only warns.
warnings.simplefilter("error", Image.DecompressionBombWarning)


class Form(StrEnum):
    """How a file is sent; the name is that of the field in the call."""

    PHOTO = "photo"
    ANIMATION = "animation"
    VIDEO = "video"
    AUDIO = "audio"
    VOICE = "voice"
    DOCUMENT = "document"


# "Documents and audio files can be only grouped in an album with messages of the same type."
_SORTS = {
    Form.PHOTO: "seen",
    Form.VIDEO: "seen",
    Form.AUDIO: "heard",
    Form.DOCUMENT: "documents",
}


@dataclass(frozen=True, slots=True)
class Facts:
    """What a file is by its bytes. `picture` is Pillow's name of a format, if it is one."""

    size_bytes: int
    head: bytes = b""
    picture: str | None = None
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that can be sent, as often as need be."""

    upload: InputFile
    form: Form


def form_of(kind: MediaKind, facts: Facts) -> Form:
    """The best form for a file that a person should take for this kind."""
    match kind:
        case MediaKind.IMAGE if facts.picture == "GIF":
            return Form.ANIMATION
        case MediaKind.IMAGE if _is_photo(facts):
            return Form.PHOTO
        case MediaKind.VOICE if facts.head.startswith(b"OggS") and b"OpusHead" in facts.head:
            return Form.VOICE
        case MediaKind.VOICE | MediaKind.AUDIO if _is_mp3(facts.head) or _is_mp4(facts.head):
            return Form.AUDIO
        case MediaKind.VIDEO if _is_mp4(facts.head):
            return Form.VIDEO
        case _:
            return Form.DOCUMENT


def albums_of(
    files: Sequence[OutgoingFile], largest_bytes: int | None
) -> list[tuple[OutgoingFile, ...]]:
    """The files in their order, those together that one album takes. Blocks.

    What can't be sent is alone, so that it takes nothing else along. A server with a limit has it
    for a whole request.
    """
    items = [_item(file, largest_bytes) for file in files]
    return together(items, MOST_IN_ALBUM, largest_bytes)


def _item(file: OutgoingFile, largest_bytes: int | None) -> Item:
    try:
        with _stream_of(file) as stream:
            facts = _facts(stream)
    except OSError:  # said in words when it is sent
        return Item(file, None, 0)
    size = facts.size_bytes
    is_sendable = size > 0 and (largest_bytes is None or size <= largest_bytes)
    return Item(file, _SORTS.get(form_of(file.kind, facts)) if is_sendable else None, size)


@asynccontextmanager
async def opened(
    file: OutgoingFile, largest_bytes: int | None, *, is_in_album: bool = False
) -> AsyncIterator[Opened]:
    """The file, open. Raises `Rejected` if it can't be read or is larger than this."""
    try:
        stream, facts, upload = await asyncio.to_thread(_open, file, is_in_album)
    except OSError as error:
        raise Rejected(f"the file {file.name!r} can't be read: {error.strerror}") from None
    try:
        if facts.size_bytes == 0:
            raise Rejected(f"the file {file.name!r} is empty")
        if largest_bytes is not None and facts.size_bytes > largest_bytes:
            raise Rejected(f"the file {file.name!r} is larger than {largest_bytes:,} bytes")
        yield Opened(upload, form_of(file.kind, facts))
    finally:
        await asyncio.to_thread(stream.close)


def _open(file: OutgoingFile, is_in_album: bool) -> tuple[BinaryIO, Facts, InputFile]:
    stream = _stream_of(file)
    try:
        facts = _facts(stream)
        upload = InputFile(stream, filename=file.name, attach=is_in_album, read_file_handle=False)
    except BaseException:
        stream.close()
        raise
    return stream, facts, upload


def _stream_of(file: OutgoingFile) -> BinaryIO:
    # What the host has checked is the path; a link put there since then leads elsewhere.
    descriptor = os.open(file.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    return os.fdopen(descriptor, "rb")


def _facts(stream: BinaryIO) -> Facts:
    size_bytes = os.fstat(stream.fileno()).st_size
    head = stream.read(_HEAD_BYTES)
    with (
        contextlib.suppress(
            OSError,
            SyntaxError,
            ValueError,
            Image.DecompressionBombError,
            Image.DecompressionBombWarning,
        ),
        Image.open(stream, formats=_FORMATS) as image,
    ):
        return Facts(size_bytes, head, image.format, image.width, image.height)
    return Facts(size_bytes, head)


def _is_photo(facts: Facts) -> bool:
    longer, shorter = max(facts.width, facts.height), min(facts.width, facts.height)
    return (
        facts.picture in _PHOTO_FORMATS
        and facts.size_bytes <= LARGEST_PHOTO_BYTES
        and facts.width + facts.height <= _LARGEST_SUM
        and longer <= _LARGEST_RATIO * shorter
    )


def _is_mp3(head: bytes) -> bool:
    """By its tag, or by the first bits of a frame of layer III (ISO 11172-3)."""
    return head.startswith(b"ID3") or (head[:1] == b"\xff" and head[1:2] in _LAYER_III)


def _is_mp4(head: bytes) -> bool:
    """An ISO base media file, m4a included (ISO 14496-12)."""
    return head[4:8] == b"ftyp"
