"""Files that can be sent: the smallest that are what they say they are."""

import io
import struct
from collections.abc import Callable

from PIL import Image

from adapters.base import MediaKind, OutgoingFile

MP4 = b"\x00\x00\x00\x18ftypisom" + bytes(40)
OPUS = b"OggS" + bytes(24) + b"OpusHead" + bytes(40)
MP3 = b"ID3" + bytes(40)

# Its pixels are of no format, which Pillow does not raise one of its usual errors for.
STRANGE_DDS = b"DDS " + struct.pack("<7I", 124, 0, 16, 16, 0, 0, 0) + bytes(96)

MakeFile = Callable[[MediaKind, bytes, str], OutgoingFile]
"""Puts bytes into a file that may be sent."""


def picture(width: int = 40, height: int = 30, form: str = "PNG", grey: int = 0) -> bytes:
    """A picture of one shade."""
    written = io.BytesIO()
    Image.new("L", (width, height), grey).save(written, form)
    return written.getvalue()
