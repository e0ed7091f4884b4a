"""What is to be read, wherever its bytes are, and what there was to read in it."""

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

MAX_TEXT_CHARS = 400_000


@dataclass(frozen=True, slots=True)
class Source:
    """Something to read, of which somebody has said what it is.

    Its bytes are `content`, or those of `file` where there is one, or the next `size_bytes` of
    `stream`. Of a document with pages, those from `first_page` (from 1) are read, as many as fit
    into `max_chars`, but at least one; one without is read in parts of so many, which are its
    pages then. Parts with a line end between them are the whole text.
    """

    url: str  # what addresses in it are relative to
    media_type: str
    charset: str | None = None
    content: bytes = b""
    file: Path | None = None
    stream: BinaryIO | None = None
    size_bytes: int = 0
    first_page: int = 1
    max_chars: int = MAX_TEXT_CHARS


@dataclass(frozen=True, slots=True)
class Text:
    """What there is to read."""

    title: str
    text: str
    is_cut: bool = False  # there is more
    pages: int | None = None  # how many a document has in all
    next_page: int | None = None  # where to read on
