"""Holds what is fetched until it is read: what is short in memory, the rest in a file.

Twenty long pages that wait for a reader are twenty files, and not twenty times their length of
memory.
"""

import asyncio
import contextlib
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO

from gateway.reading.source import Source
from gateway.web.fetch import Body

IN_MEMORY_BYTES = 512 * 1024


@asynccontextmanager
async def spooled(body: Body) -> AsyncIterator[Source]:
    """Receive all of it; the file is gone afterwards. Raises what `body.pieces` does."""
    held = bytearray()
    file: BinaryIO | None = None
    path: Path | None = None
    try:
        async for piece in body.pieces:
            held += piece
            if len(held) > IN_MEMORY_BYTES:
                if file is None:
                    file = await asyncio.to_thread(_new_file)
                    path = Path(file.name)
                await asyncio.to_thread(file.write, bytes(held))
                held.clear()
        if file is not None:
            await asyncio.to_thread(_end, file, bytes(held))
            held.clear()
        yield Source(body.url, body.media_type, body.charset, bytes(held), path)
    finally:
        if file is not None:
            await asyncio.to_thread(_remove, file)


def _new_file() -> BinaryIO:
    # A reader opens it by its name, and `_remove` removes it.
    descriptor, path = tempfile.mkstemp(prefix="hermes-page-")
    os.close(descriptor)
    return Path(path).open("wb")


def _end(file: BinaryIO, rest: bytes) -> None:
    file.write(rest)
    file.close()


def _remove(file: BinaryIO) -> None:
    file.close()
    with contextlib.suppress(FileNotFoundError):
        Path(file.name).unlink()
