"""Word documents for the tests."""

import io
import zipfile
from collections.abc import Callable
from typing import Any

import docx

BOMB_BYTES = 300_000_000


def word(*paragraphs: str, with_more: Callable[[Any], None] | None = None) -> bytes:
    """A Word document with these paragraphs, and what else somebody puts into it."""
    document = docx.Document()
    for text in paragraphs:
        document.add_paragraph(text)
    if with_more is not None:
        with_more(document)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def with_body(body: str, prologue: str = "") -> bytes:
    """One whose text is this XML."""
    main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    xml = f'{prologue}<w:document xmlns:w="{main}"><w:body>{body}</w:body></w:document>'
    return with_entry("word/document.xml", xml.encode())


def with_entry(name: str, content: bytes) -> bytes:
    """One with another file at this place of the archive."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(word("one"))) as source,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for entry in source.namelist():
            if entry != name:
                target.writestr(entry, source.read(entry))
        target.writestr(name, content)
    return out.getvalue()


def bomb() -> bytes:
    """One whose text unpacks to a thousand times its length."""
    return with_entry("word/document.xml", b" " * BOMB_BYTES)
