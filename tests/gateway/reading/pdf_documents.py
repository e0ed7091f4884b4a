"""PDFs for the tests: what people send, and what nobody should."""

import io
import zlib

from pypdf import PdfWriter
from pypdf.generic import (
    DecodedStreamObject,
    DictionaryObject,
    NameObject,
    NumberObject,
    StreamObject,
)

BOMB_BYTES = 300_000_000


def pdf(*pages: str, title: str | None = None, filling: bytes = b"") -> bytes:
    """A PDF with these pages, line by line, and something that is on none of them."""
    writer = _with_pages(pages, title)
    if filling:
        stream = StreamObject()
        stream._data = filling
        writer.root_object[NameObject("/Filling")] = writer._add_object(stream)
    return _written(writer)


def locked(*pages: str, password: str, owner: str | None = None) -> bytes:
    """One that is encrypted. With a password of "", everybody may read it."""
    writer = _with_pages(pages, None)
    writer.encrypt(password, owner, algorithm="AES-256")
    return _written(writer)


def scanned(pages: int = 2) -> bytes:
    """One that has pages and no text on them."""
    writer = PdfWriter()
    for _ in range(pages):
        writer.add_blank_page(612, 792)
    return _written(writer)


def bomb() -> bytes:
    """A page whose content is a thousand times as long when it is unpacked."""
    writer = _with_pages(["harmless"], None)
    packer = zlib.compressobj(9)
    piece = b"(x) Tj " * 100_000
    packed = [packer.compress(piece) for _ in range(BOMB_BYTES // len(piece))]
    content = StreamObject()
    content._data = b"".join([*packed, packer.flush()])
    content[NameObject("/Filter")] = NameObject("/FlateDecode")
    writer.pages[0][NameObject("/Contents")] = writer._add_object(content)
    return _written(writer)


def spoiled(content: bytes, page: int = 1) -> bytes:
    """The same with a page whose content is none."""
    writer = PdfWriter(clone_from=io.BytesIO(content))
    broken = StreamObject()
    broken._data = b"no zlib"
    broken[NameObject("/Filter")] = NameObject("/FlateDecode")
    broken[NameObject("/DecodeParms")] = DictionaryObject(
        {NameObject("/Predictor"): NumberObject(99)}
    )
    writer.pages[page - 1][NameObject("/Contents")] = writer._add_object(broken)
    return _written(writer)


def _with_pages(pages: tuple[str, ...] | list[str], title: str | None) -> PdfWriter:
    writer = PdfWriter()
    if title is not None:
        writer.add_metadata({"/Title": title})
    font = writer._add_object(
        DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Font"),
                NameObject("/Subtype"): NameObject("/Type1"),
                NameObject("/BaseFont"): NameObject("/Helvetica"),
            }
        )
    )
    fonts = DictionaryObject({NameObject("/F1"): font})
    for text in pages:
        page = writer.add_blank_page(612, 792)
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        lines = " ".join(f"({line}) Tj 0 -14 Td" for line in text.split("\n"))
        content = DecodedStreamObject()
        content.set_data(f"BT /F1 12 Tf 72 700 Td {lines} ET".encode())
        page[NameObject("/Contents")] = writer._add_object(content.flate_encode())
    return writer


def _written(writer: PdfWriter) -> bytes:
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()
