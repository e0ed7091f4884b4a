"""Pictures for tests, made as they are needed."""

import random
import struct
import zlib
from io import BytesIO

from PIL import Image

RED = (200, 30, 30)


def drawn(
    width: int = 40, height: int = 20, form: str = "PNG", mode: str = "RGB", **options: object
) -> bytes:
    """A picture of one colour."""
    written = BytesIO()
    colour = (*RED, 0) if mode == "RGBA" else RED
    Image.new(mode, (width, height), colour).save(written, form, **options)
    return written.getvalue()


def noise(edge: int) -> bytes:
    """What compresses worst."""
    written = BytesIO()
    content = random.Random(7).randbytes(edge * edge * 3)  # noqa: S311 - no secret
    Image.frombytes("RGB", (edge, edge), content).save(written, "PNG", compress_level=1)
    return written.getvalue()


def bomb(width: int, height: int) -> bytes:
    """A PNG of a few bytes that claims any size."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        checked = kind + content
        length, check = struct.pack(">I", len(content)), struct.pack(">I", zlib.crc32(checked))
        return length + checked + check

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(b"\0" * 1_000)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
    )


def size_of(jpeg: bytes) -> tuple[int, int]:
    with Image.open(BytesIO(jpeg), formats=["JPEG"]) as picture:
        picture.load()
        return picture.size


def colour_of(jpeg: bytes, x: int = 0, y: int = 0) -> tuple[int, ...]:
    with Image.open(BytesIO(jpeg)) as picture:
        pixel = picture.convert("RGB").getpixel((x, y))
    assert isinstance(pixel, tuple)
    return pixel
