"""Takes the text out of a page, a PDF, JSON or plain text. Slow, and on hostile input: the gateway
itself never calls it, only `worker.py` does, in a process that can be ended.
"""

import io
import json
from collections.abc import Callable
from dataclasses import dataclass

TYPES = (
    "text/*",
    "application/xhtml+xml",
    "application/json",
    "application/*+json",
    "application/xml",
    "application/*+xml",
    "application/pdf",
)
"""Patterns of the media types that can be read."""

MAX_TEXT_CHARS = 400_000
MAX_PDF_PAGES = 500
MAX_TITLE_CHARS = 300


@dataclass(frozen=True, slots=True)
class Text:
    """What there is to read. `is_cut`: there is more."""

    title: str
    text: str
    is_cut: bool = False


class NoText(Exception):
    """There is nothing to read; the text says why, for the model."""


def read(content: bytes, media_type: str, charset: str | None, url: str) -> Text:
    """The text of some content. Raises `NoText`, and whatever the parsers break down with."""
    found = _reader_of(media_type)(content, charset, url)
    if not found.text.strip():
        raise NoText("There is no text in it.")
    is_cut = found.is_cut or len(found.text) > MAX_TEXT_CHARS
    title = " ".join(found.title.split())[:MAX_TITLE_CHARS]
    return Text(title, found.text[:MAX_TEXT_CHARS], is_cut)


def _reader_of(media_type: str) -> Callable[[bytes, str | None, str], Text]:
    if media_type in {"text/html", "application/xhtml+xml"}:
        return _page
    if media_type == "application/pdf":
        return _pdf
    if media_type == "application/json" or media_type.endswith("+json"):
        return _json
    return _plain


def decoded(content: bytes, charset: str | None) -> str:
    """Text of bytes that are probably what they are said to be. Never fails."""
    for encoding in filter(None, ("utf-8-sig", charset)):
        try:
            return content.decode(encoding)
        except (ValueError, LookupError):  # ValueError: some codecs have objections of their own
            continue
    return content.decode("cp1252", "replace")


def _plain(content: bytes, charset: str | None, _url: str) -> Text:
    text = decoded(content, charset)
    if text.count("\0") > len(text) // 100:
        raise NoText("It is said to be text, and is none.")
    return Text("", text.replace("\0", ""))


def _json(content: bytes, charset: str | None, _url: str) -> Text:
    text = decoded(content, charset)
    try:
        # One line of a megabyte can't be read in parts.
        return Text("", json.dumps(json.loads(text), ensure_ascii=False, indent=1))
    except (ValueError, RecursionError):
        return Text("", text)


def _page(content: bytes, charset: str | None, url: str) -> Text:
    import trafilatura  # noqa: PLC0415 - half a second, and not every worker gets a page

    # A page says in itself how it is encoded; the header wins, as in browsers.
    source = decoded(content, charset) if charset else content
    tree = trafilatura.load_html(source)
    if tree is None:
        # Not enough of a page for it: the text in a piece of HTML, then.
        page = f"<html><body>{decoded(content, charset)}</body></html>"
        return Text("", trafilatura.html2txt(page))
    title = tree.findtext(".//title") or ""
    text = trafilatura.extract(
        tree,
        url=url,
        output_format="markdown",
        include_links=True,
        include_tables=True,
        include_formatting=True,
        favor_recall=True,
    )
    return Text(title, text or trafilatura.html2txt(source))


def _pdf(content: bytes, _charset: str | None, _url: str) -> Text:
    from pypdf import PdfReader  # noqa: PLC0415 - not every worker gets a PDF
    from pypdf.errors import PyPdfError  # noqa: PLC0415

    try:
        document = PdfReader(io.BytesIO(content))
        parts: list[str] = []
        size = 0
        for number, page in enumerate(document.pages[:MAX_PDF_PAGES], 1):
            text = page.extract_text().strip()
            if text:
                parts.append(f"## Page {number}\n\n{text}")
                size += len(text)
            if size > MAX_TEXT_CHARS:
                break
        is_cut = len(document.pages) > MAX_PDF_PAGES
        title = (document.metadata.title if document.metadata else None) or ""
    except PyPdfError as error:
        raise NoText("The PDF is locked or broken.") from error
    if not parts:
        raise NoText("The PDF holds pictures of pages and no text.")
    return Text(title, "\n\n".join(parts), is_cut)
