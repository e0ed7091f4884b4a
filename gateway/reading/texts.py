"""Takes the text out of a page, a PDF, JSON or plain text. Slow, and on hostile input: the gateway
itself never calls it, only `worker.py` does, in a process that can be ended.
"""

import contextlib
import importlib
import json
from collections.abc import Callable
from dataclasses import replace

from gateway.reading.errors import NoText
from gateway.reading.source import Source, Text

TYPES = (
    "text/*",
    "application/xhtml+xml",
    "application/json",
    "application/*+json",
    "application/xml",
    "application/*+xml",
    "application/pdf",
)
"""Patterns of the media types that can be read on the web."""

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

MAX_TITLE_CHARS = 300


def read(source: Source) -> Text:
    """The text of `source.content`. Raises `NoText`, and whatever the parsers break down with."""
    found = _reader_of(source.media_type)(source)
    if not found.text.strip() and source.first_page == 1 and not found.is_cut:
        raise NoText("There is no text in it.")
    title = " ".join(found.title.split())[:MAX_TITLE_CHARS]
    is_cut = found.is_cut or len(found.text) > source.max_chars
    return replace(found, title=title, text=found.text[: source.max_chars], is_cut=is_cut)


def prepare(media_type: str) -> None:
    """Import what reads such a thing, while what is compiled can still be kept on the disk."""
    if (module := _MODULES.get(_reader_of(media_type))) is not None:
        with contextlib.suppress(ImportError):  # said when it is read
            importlib.import_module(module)


def _reader_of(media_type: str) -> Callable[[Source], Text]:
    if media_type in {"text/html", "application/xhtml+xml"}:
        return _page
    if media_type == "application/pdf":
        return _pdf
    if media_type == WORD:
        return _word
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


def _plain(source: Source) -> Text:
    text = decoded(source.content, source.charset)
    if text.count("\0") > len(text) // 100:
        raise NoText("It is said to be text, and is none.")
    return Text("", text.replace("\0", ""))


def _json(source: Source) -> Text:
    text = decoded(source.content, source.charset)
    try:
        # One line of a megabyte can't be read in parts.
        return Text("", json.dumps(json.loads(text), ensure_ascii=False, indent=1))
    except (ValueError, RecursionError):
        return Text("", text)


def _page(source: Source) -> Text:
    import trafilatura  # noqa: PLC0415 - half a second, and not every worker gets a page

    # A page says in itself how it is encoded; the header wins, as in browsers.
    content, charset = source.content, source.charset
    html = decoded(content, charset) if charset else content
    tree = trafilatura.load_html(html)
    if tree is None:
        # Not enough of a page for it: the text in a piece of HTML, then.
        page = f"<html><body>{decoded(content, charset)}</body></html>"
        return Text("", trafilatura.html2txt(page))
    title = tree.findtext(".//title") or ""
    text = trafilatura.extract(
        tree,
        url=source.url,
        output_format="markdown",
        include_links=True,
        include_tables=True,
        include_formatting=True,
        favor_recall=True,
    )
    return Text(title, text or trafilatura.html2txt(html))


def _pdf(source: Source) -> Text:
    from gateway.reading.pdf import pdf_text  # noqa: PLC0415 - not every worker gets a PDF

    return pdf_text(source)


def _word(source: Source) -> Text:
    from gateway.reading.word import word_text  # noqa: PLC0415 - nor one of these

    return word_text(source)


_MODULES: dict[Callable[[Source], Text], str] = {
    _page: "trafilatura",
    _pdf: "gateway.reading.pdf",
    _word: "gateway.reading.word",
}
