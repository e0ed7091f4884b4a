"""The text of a Word document (.docx) as Markdown: headings, lists, tables. Slow, and on hostile
input: see `texts`. Headers, footnotes, comments and text boxes are left out.
"""

import io
import re
import zipfile
from collections.abc import Iterator

import docx
from docx.document import Document
from docx.opc.exceptions import PackageNotFoundError
from docx.table import Table, _Cell
from docx.text.paragraph import Paragraph

from gateway.reading.errors import NoText
from gateway.reading.source import Source, Text

MAX_UNPACKED_BYTES = 256 * 1024**2
MAX_NESTING = 8
"""Of tables in tables."""

BROKEN = "The Word document is broken."
TOO_MUCH = "The Word document unpacks to more than can be read."
EMPTY = "The Word document holds no text."

_HEADING = re.compile(r"Heading ([1-6])")


def word_text(source: Source) -> Text:
    """Its text; it has no pages, so `source.first_page` counts parts. Raises `NoText`."""
    try:
        # What an entry unpacks to is never more than this table says (zipfile holds it to that).
        with zipfile.ZipFile(io.BytesIO(source.content)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
        if unpacked > MAX_UNPACKED_BYTES:
            raise NoText(TOO_MUCH)
        document = docx.Document(io.BytesIO(source.content))
        text, is_last = _part(_Blocks().lines(document), source)
    except (zipfile.BadZipFile, PackageNotFoundError, KeyError, SyntaxError) as error:
        # lxml's errors about XML are SyntaxErrors.
        raise NoText(BROKEN) from error
    if source.first_page == 1 and is_last and not text.strip():
        raise NoText(EMPTY)
    next_part = None if is_last else source.first_page + 1
    return Text(document.core_properties.title or "", text, not is_last, next_page=next_part)


def _part(lines: Iterator[str], source: Source) -> tuple[str, bool]:
    """The part of that number, in whole lines if they fit, and whether it is the last."""
    number, room = 1, source.max_chars
    kept: list[str] = []
    for line in _pieces(lines, max(source.max_chars, 1)):
        if len(line) > room:
            if number == source.first_page:
                return "\n".join(kept), False
            number, room = number + 1, source.max_chars
        room -= len(line) + 1
        if number == source.first_page:
            kept.append(line)
    return "\n".join(kept), True


def _pieces(lines: Iterator[str], max_chars: int) -> Iterator[str]:
    """The lines, and of one that is longer than that its pieces."""
    for line in lines:
        for start in range(0, max(len(line), 1), max_chars):
            yield line[start : start + max_chars]


class _Blocks:
    """Paragraphs and tables of one document, in lines."""

    def __init__(self) -> None:
        self._styles: dict[str | None, str] = {}  # by id; to look one up takes long

    def lines(self, document: Document) -> Iterator[str]:
        """All of them, with an empty line between each two."""
        for number, block in enumerate(document.iter_inner_content()):
            if number:
                yield ""
            if isinstance(block, Table):
                yield from _rows(block)
            else:
                yield from self._paragraph(block).split("\n")

    def _paragraph(self, paragraph: Paragraph) -> str:
        text = paragraph.text.rstrip()
        if not text:
            return text
        style = self._style_of(paragraph)
        if heading := _HEADING.fullmatch(style):
            return f"{'#' * int(heading[1])} {text}"
        if style == "Title":
            return f"# {text}"
        properties = paragraph._p.pPr
        if style.startswith("List ") or (properties is not None and properties.numPr is not None):
            return f"- {text}"
        return text

    def _style_of(self, paragraph: Paragraph) -> str:
        key = paragraph._p.style
        if key not in self._styles:
            self._styles[key] = (paragraph.style.name if paragraph.style else None) or ""
        return self._styles[key]


def _rows(table: Table, depth: int = 1) -> Iterator[str]:
    for number, row in enumerate(table.rows):
        # A cell that spans several columns stands in each of them.
        cells = list(dict.fromkeys(row.cells))
        yield f"| {' | '.join(_cell(cell, depth) for cell in cells)} |"
        if number == 0:
            yield "|" + " --- |" * len(cells)


def _cell(cell: _Cell, depth: int) -> str:
    parts: list[str] = []
    for block in cell.iter_inner_content():
        if isinstance(block, Paragraph):
            parts.append(block.text)
        elif depth < MAX_NESTING:
            parts += _rows(block, depth + 1)
    return " ".join(" ".join(parts).split()).replace("|", "\\|")
