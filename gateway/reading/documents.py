"""Documents in a chat's workspace, whose text a program has to be asked for.

What they are is told by how they begin, and not by what they are called. They are read in parts, so
that neither the time nor the memory that a text takes grows with the document; some parts are kept
for whoever reads on.
"""

import asyncio
import os
from collections import OrderedDict
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import BinaryIO

from gateway.reading.errors import Unreadable
from gateway.reading.readers import Readers
from gateway.reading.source import Source, Text
from gateway.reading.texts import WORD
from gateway.workspace.workspace import Workspace

PART_CHARS = 100_000
MAX_BYTES = 64 * 1024**2
HELD_PARTS = 32
"""Of all chats, 100,000 characters each at most."""

SNIFFED_BYTES = 8_192
_BEFORE = b"\xef\xbb\xbf \t\r\n"  # what some programs put before a document's beginning

_Key = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of document that can be read."""

    name: str
    media_type: str
    begins: bytes
    holds: bytes = b""  # somewhere in the first bytes


_KINDS = (
    Kind("PDF", "application/pdf", b"%PDF-"),
    # A ZIP archive with such a folder (ECMA-376, part 2); names stand in it as they are.
    Kind("Word document", WORD, b"PK\x03\x04", holds=b"word/"),
)


def kind_of(start: bytes) -> Kind | None:
    """What a file is that begins like this; None if it is no document that can be read."""
    begins = start.lstrip(_BEFORE)
    found = (kind for kind in _KINDS if begins.startswith(kind.begins) and kind.holds in start)
    return next(found, None)


class Documents:
    """The documents of all chats."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers
        self._held: OrderedDict[_Key, Text] = OrderedDict()

    async def kind(self, workspace: Workspace, path: str) -> Kind | None:
        """What a file is, if it is a document. Raises `WorkspaceError`."""
        return await asyncio.to_thread(_kind, workspace, path)

    async def beginning(self, workspace: Workspace, path: str, max_chars: int) -> Text:
        """Its first pages, as many as fit. Raises `ReadingError`, `WorkspaceError`."""
        return await self._read(workspace, path, 1, max_chars)

    async def parts(self, workspace: Workspace, path: str) -> AsyncGenerator[Text, None]:
        """All of its text, in parts that are read when they are asked for.

        Raises `ReadingError`, `WorkspaceError`.
        """
        page: int | None = 1
        while page is not None:
            part = await self._read(workspace, path, page, PART_CHARS)
            yield part
            page = part.next_page

    async def _read(self, workspace: Workspace, path: str, page: int, max_chars: int) -> Text:
        file = await asyncio.to_thread(workspace.open_read, path)
        try:
            key, source = await asyncio.to_thread(_source, file, page, max_chars)
            if max_chars != PART_CHARS:
                return await self._readers.read(source)
            text = self._held.pop(key, None) or await self._readers.read(source)
            self._held[key] = text
            if len(self._held) > HELD_PARTS:
                self._held.popitem(last=False)
            return text
        finally:
            await asyncio.to_thread(file.close)


def _kind(workspace: Workspace, path: str) -> Kind | None:
    with workspace.open_read(path) as file:
        return kind_of(file.read(SNIFFED_BYTES))


def _source(file: BinaryIO, page: int, max_chars: int) -> tuple[_Key, Source]:
    """What is to be read, and what it is kept by: a file that was written to is another one."""
    kind = kind_of(file.read(SNIFFED_BYTES))
    file.seek(0)
    if kind is None:
        raise Unreadable("It is another file by now, and no document.")
    found = os.fstat(file.fileno())
    if found.st_size > MAX_BYTES:
        raise Unreadable(f"It is larger than the {MAX_BYTES // 1024**2} MiB that can be read.")
    source = Source(
        "",
        kind.media_type,
        stream=file,
        size_bytes=found.st_size,
        first_page=page,
        max_chars=max_chars,
    )
    # Programs can set every time of a file but that of its last change.
    is_same_by = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return (*is_same_by, page), source
