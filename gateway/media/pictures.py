"""A picture that somebody sent → a JPEG that is small enough for a model and for the network.

Every picture is decoded and written anew: what is hidden in a file (places, comments, tricks) stays
behind. Blocks, and takes memory: called off the event loop, few at a time.
"""

from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO

from PIL import Image, ImageOps, UnidentifiedImageError

from gateway.media.errors import NotSeen

MAX_EDGE_PIXELS = 1_568  # what Anthropic scales to; more only costs (its guide on vision)
MAX_BYTES = 700_000
MAX_SOURCE_PIXELS = 50_000_000
"""Decoded, three bytes each: a file of a few kilobytes can claim any size."""

FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "BMP")  # others have decoders with a past
QUALITIES = (85, 70, 50, 30)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as a model gets it, and its size as it was sent."""

    jpeg: bytes
    width: int
    height: int


def shrink(file: BinaryIO) -> Picture:
    """The picture in a file, the first one if it moves. Raises `NotSeen`."""
    try:
        with Image.open(file, formats=FORMATS) as source:
            width, height = source.size
            if width * height > MAX_SOURCE_PIXELS:
                raise NotSeen(f"It has {width:,} × {height:,} pixels, too many to look at.")
            source.draft("RGB", (MAX_EDGE_PIXELS, MAX_EDGE_PIXELS))  # JPEG only: decodes less
            return Picture(_jpeg(_upright(source)), width, height)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise NotSeen("It has too many pixels to look at.") from error  # Pillow's own, higher limit
    except UnidentifiedImageError as error:
        raise NotSeen("It is no picture of a kind that can be looked at.") from error
    except (OSError, ValueError, SyntaxError, EOFError, MemoryError, OverflowError) as error:
        # What Pillow's decoders raise of broken files.
        raise NotSeen("The picture is damaged.") from error


def _upright(source: Image.Image) -> Image.Image:
    """As a person sees it: turned by what the camera noted, on white where nothing is."""
    source.load()
    small = source.convert("RGBA" if source.has_transparency_data else "RGB")
    small.thumbnail((MAX_EDGE_PIXELS, MAX_EDGE_PIXELS))
    turned = ImageOps.exif_transpose(small)
    if turned.mode != "RGBA":
        return turned
    white = Image.new("RGB", turned.size, "white")
    white.paste(turned, mask=turned.getchannel("A"))
    return white


def _jpeg(picture: Image.Image) -> bytes:
    while True:
        for quality in QUALITIES:
            written = BytesIO()
            picture.save(written, "JPEG", quality=quality, optimize=True)
            if len(written.getvalue()) <= MAX_BYTES:
                return written.getvalue()
        picture = picture.resize((max(1, picture.width // 2), max(1, picture.height // 2)))
