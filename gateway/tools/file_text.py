"""Text files of a workspace, read within limits however large and whatever they hold. Blocking.

A file is never read whole to show a part of it, and a line that has no end is cut.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from gateway.tools.tool import ToolFailed
from gateway.tools.untrusted import marked
from gateway.workspace.workspace import Workspace

MAX_LINE_CHARS = 2_000
MAX_EDITED_BYTES = 2 * 1024**2
"""A larger file is not changed by quoting from it: it would be in memory, more than once."""

_PIECE_BYTES = 65_536
_SNIFFED_BYTES = 8_192
_NUMBER_CHARS = 8  # what stands before a line
_KINDS = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"OggS", "an Ogg recording"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "a SQLite database"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end, cut if it is too long."""

    number: int  # from 1
    text: str


def is_binary(start: bytes) -> bool:
    """Whether the first bytes of a file are no text in UTF-8."""
    if b"\0" in start:
        return True
    try:
        start.decode()
    except UnicodeDecodeError as error:
        return error.start < len(start) - 4  # the last character may be cut in two
    return False


def binary_text(path: str, start: bytes, size_bytes: int) -> str:
    """What a model is told of a file that is no text."""
    kind = next((name for magic, name in _KINDS if start.startswith(magic)), "a binary file")
    return f"{path} is {kind} of {size_bytes:,} bytes, and no text."


def open_text(workspace: Workspace, path: str) -> BinaryIO:
    """A text file, at its beginning. Raises `ToolFailed` and `WorkspaceError`."""
    file = workspace.open_read(path)
    try:
        start = file.read(_SNIFFED_BYTES)
        if is_binary(start):
            raise ToolFailed(binary_text(path, start, file.seek(0, 2)))
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def lines_of(file: BinaryIO) -> Iterator[Line]:
    """All lines, one after the other; a line takes a piece of memory and not more."""
    number = 0
    while piece := file.readline(_PIECE_BYTES):
        number += 1
        text = piece.decode("utf-8", "replace").rstrip("\r\n")
        size = len(text)
        while not piece.endswith(b"\n") and (piece := file.readline(_PIECE_BYTES)):
            size += len(piece)
        if size > MAX_LINE_CHARS:
            text = f"{text[:MAX_LINE_CHARS]} [… {size - MAX_LINE_CHARS:,} more]"
        yield Line(number, text)


def lines_in(text: str, first: int) -> Iterator[Line]:
    """The lines of a document's text, of which the first has this number.

    A paragraph may be one of any length. It is several then, since nobody could see the rest.
    """
    *whole, last = text.split("\n")
    number = first
    for line in [*whole, last] if last else whole:
        for piece in _pieces(line):
            yield Line(number, piece)
            number += 1


def _pieces(line: str) -> Iterator[str]:
    """It, or pieces of it between words where that can be."""
    while len(line) > MAX_LINE_CHARS:
        cut = line.rfind(" ", 1, MAX_LINE_CHARS + 1)
        yield line[:cut] if cut > 0 else line[:MAX_LINE_CHARS]
        line = line[cut + 1 :] if cut > 0 else line[MAX_LINE_CHARS:]
    yield line


class Shown:
    """The lines of a file that one call shows: `limit` of them from `offset`, and so many chars."""

    def __init__(self, offset: int, limit: int, max_chars: int) -> None:
        self._offset = offset
        self._limit = limit
        self._room = max_chars
        self._rows: list[str] = []
        self._is_full = False
        self.last = 0  # the number of the last line that was looked at

    def take(self, lines: Iterable[Line]) -> bool:
        """Look at the next lines; False if there is no room for one."""
        for line in lines:
            self.last = line.number
            if line.number < self._offset:
                continue
            self._room -= len(line.text) + _NUMBER_CHARS
            if len(self._rows) == self._limit or self._room < 0:
                self._is_full = True
                return False
            self._rows.append(f"{line.number}|{line.text}")
        return True

    def text(self, path: str) -> str:
        """What the model gets to read. Raises `ToolFailed` if there is no such line."""
        if self._is_full:
            more = f"\n[The file goes on: read with offset {self.last}.]"
            return marked("\n".join(self._rows), path) + more
        if self._rows:
            return marked("\n".join(self._rows), path)
        if not self.last:
            return f"{path} is empty."
        raise ToolFailed(f"{path} has {self.last} lines: there is none at offset {self._offset}.")


def whole_text(workspace: Workspace, path: str) -> str:
    """A file that is to be changed. Raises `ToolFailed` and `WorkspaceError`."""
    with open_text(workspace, path) as file:
        content = file.read(MAX_EDITED_BYTES + 1)
    if len(content) > MAX_EDITED_BYTES:
        raise ToolFailed(f"{path} is too large to be changed in this way.")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise ToolFailed(f"{path} is no text in UTF-8.") from error
