"""The text of a PDF, page by page. Slow, and on hostile input: see `texts`."""

import io
import time
from collections.abc import Iterator

from pypdf import PageObject, PdfReader
from pypdf.errors import FileNotDecryptedError, LimitReachedError, PyPdfError

from gateway.reading.errors import NoText
from gateway.reading.source import Source, Text

BUDGET_S = 12.0
"""No page is begun after that: what there is by then is worth more than none."""

LOCKED = "The PDF is locked with a password."
BROKEN = "The PDF is broken."
TOO_MUCH = "The PDF unpacks to more than can be read."
PICTURES = "The PDF holds pictures of pages and no text."
NOTHING_YET = "There is no text on the first {} pages of the PDF, and to read on takes too long."

_NOTE_CHARS = 80


def pdf_text(source: Source) -> Text:
    """Its pages from `source.first_page`, each below a heading of its own. Raises `NoText`.

    A page that can't be read is said in its place, if there is another one that can.
    """
    try:
        document = PdfReader(io.BytesIO(source.content))
        count = len(document.pages)
        title = (document.metadata.title if document.metadata else None) or ""
        pages = _Pages(source)
        next_page = pages.read(document)
    except FileNotDecryptedError as error:
        raise NoText(LOCKED) from error
    except LimitReachedError as error:
        raise NoText(TOO_MUCH) from error
    except PyPdfError as error:
        raise NoText(BROKEN) from error
    if source.first_page == 1 and not pages.has_text:
        nothing = PICTURES if next_page is None else NOTHING_YET.format(next_page - 1)
        raise NoText(pages.reason or nothing)
    text = "\n\n".join(pages.parts)
    if next_page is not None:
        text += "\n"  # parts are lines, and before a page is an empty one
    return Text(title, text, pages.is_cut or next_page is not None, count, next_page)


class _Pages:
    """The pages as they are read."""

    def __init__(self, source: Source) -> None:
        self.parts: list[str] = []
        self.has_text = False
        self.is_cut = False  # within a page
        self.reason: str | None = None  # why the first of them could not be read
        self._room = source.max_chars - 1  # a line end may follow
        self._first = source.first_page
        self._ends_at = time.monotonic() + BUDGET_S

    def read(self, document: PdfReader) -> int | None:
        """Read on; returns the page at which it ended before the last one was read."""
        for number, page in _from(document, self._first):
            if number > self._first and time.monotonic() > self._ends_at:
                return number
            text = self._text_of(page)
            if not text:
                continue
            part = f"## Page {number}\n\n{text}"
            if len(part) > self._room:
                if self.parts:
                    return number
                part = self._cut(part)
            self.parts.append(part)
            self._room -= len(part) + 2
        return None

    def _text_of(self, page: PageObject) -> str:
        try:
            text = page.extract_text().replace("\0", "").strip()
        except (FileNotDecryptedError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - one page; pypdf breaks down in many ways on bad ones
            reason = TOO_MUCH if isinstance(error, LimitReachedError) else BROKEN
            self.reason = self.reason or reason
            return "[This page could not be read.]"
        self.has_text = self.has_text or bool(text)
        return text

    def _cut(self, part: str) -> str:
        """A page that is too long alone."""
        self.is_cut = True
        kept = max(self._room - _NOTE_CHARS, 0)
        return f"{part[:kept]} [… {len(part) - kept:,} more characters of this page are left out]"


def _from(document: PdfReader, first: int) -> Iterator[tuple[int, PageObject]]:
    for index in range(first - 1, len(document.pages)):
        yield index + 1, document.pages[index]
