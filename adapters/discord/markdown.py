"""Markdown to the lines that Discord is shown: parsed once, by markdown-it-py.

What Discord has as well keeps its form (emphasis, lists, quotes, three levels of headings, code);
what it hasn't becomes something readable (tables, rules, pictures, deeper headings). HTML is text
like any other. How lines become messages is splitting.py's business.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from adapters.discord.escaping import at_line_start, code_line, escaped, inline_code
from adapters.discord.lines import LIMIT, Block, Code, Line, Piece, Styles
from adapters.text import tables
from adapters.text.bounded import bounded
from adapters.text.cells import Cell, cells_of, has_link, texts_of
from adapters.text.characters import is_blank, without_surrogates
from adapters.text.definitions import unused_definitions, with_footnotes
from adapters.text.lines import lines_of
from adapters.text.nesting import DEEPEST, is_too_deep
from adapters.text.plain import plain_inline

_PARSER = bounded(
    with_footnotes(
        MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST}).enable(
            ["table", "strikethrough"]
        )
    )
)
_MARKERS = {"strong": "**", "em": "*", "s": "~~"}
_DEEPEST_HEADING = 3
_TASKS = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}
_LANGUAGE = re.compile(r"[A-Za-z0-9_+\-.#]{1,30}")
_RULE = "———"
_QUOTE = "> "
_LONGEST_LINK = LIMIT // 2


def parse(markdown: str) -> list[Block]:
    """The text as lines and blocks of code. What would show nothing is shown as it was written."""
    source = without_surrogates(markdown).replace("\0", "\ufffd")
    known: dict[str, Any] = {}
    tokens = _PARSER.parse(source, known)
    if is_too_deep(tokens):
        return _as_it_is(source)
    reader = _Reader(lines_of(source))
    reader.blocks(SyntaxTreeNode(tokens).children)
    reader.as_they_are(unused_definitions(tokens, known))
    return reader.out if any(map(_is_visible, reader.out)) else _as_it_is(source)


def _as_it_is(source: str) -> list[Block]:
    return [
        Line((Piece(at_line_start(escaped(line))),)) if line.strip() else Line()
        for line in lines_of(source)
    ]


def _is_visible(block: Block) -> bool:
    if isinstance(block, Code):
        return not is_blank("".join(block.lines))
    return not is_blank("".join(piece.text for piece in block.pieces))


class _Reader:
    """Walks the syntax tree of one text."""

    def __init__(self, source: Sequence[str]) -> None:
        self.out: list[Block] = []
        self._source = source
        self._quote = ""  # one level: Discord has no quotes within quotes
        self._indent = ""
        self._marker = ""  # of a list's item whose first line is still to come
        self._read: dict[str, Callable[[SyntaxTreeNode], None]] = {
            "paragraph": self._paragraph,
            "heading": self._heading,
            "bullet_list": self._list,
            "ordered_list": self._list,
            "blockquote": self._blockquote,
            "fence": self._code,
            "code_block": self._code,
            "table": self._table,
            "hr": self._rule,
        }

    def blocks(self, nodes: Sequence[SyntaxTreeNode]) -> None:
        """Blocks that follow each other in one container."""
        for number, node in enumerate(nodes):
            if number and self._has_blank_line_before(node):
                self._blank()
            self._read[node.type](node)

    def as_they_are(self, ranges: Iterable[range]) -> None:
        """Lines of the source, at the end."""
        for number, lines in enumerate(ranges):
            if not number and self.out:
                self._blank()
            for line in lines:
                self._add([Piece(escaped(self._source[line].lstrip(" \t>")))])

    def _has_blank_line_before(self, node: SyntaxTreeNode) -> bool:
        first = node.map[0] if node.map else 0
        return bool(first) and not self._source[first - 1].strip(" \t>")

    def _blank(self) -> None:
        self.out.append(Line(prefix=self._quote))

    def _add(self, pieces: Sequence[Piece], *, heading: str = "") -> None:
        """A line, behind the marker of its item if it is the first of it."""
        indent = self._indent
        if self._marker:
            indent = indent[: len(indent) - len(self._marker)] + self._marker
            self._marker = ""
        hanging = self._quote + self._indent
        self.out.append(
            Line(
                tuple(pieces) if heading else _beginning(pieces),
                prefix=f"{self._quote}{indent}{heading}",
                hanging=f"{hanging}{heading}",
                is_heading=bool(heading),
            )
        )

    def _paragraph(self, node: SyntaxTreeNode) -> None:
        for line in _lines_of(node):
            self._add(line)

    def _heading(self, node: SyntaxTreeNode) -> None:
        level = len(node.tag) and int(node.tag[1:])
        is_real = level <= _DEEPEST_HEADING and not self._indent
        pieces = [piece for line in _lines_of(node) for piece in (*line, Piece(" "))][:-1]
        if not pieces:
            return
        if is_real:
            self._add(pieces, heading="#" * level + " ")
        else:
            self._add([_bold(piece) for piece in pieces])

    def _list(self, node: SyntaxTreeNode) -> None:
        is_numbered = node.type == "ordered_list"
        for number, item in enumerate(node.children):
            if number and self._has_blank_line_before(item):
                self._blank()
            self._item(item, f"{item.info}. " if is_numbered else "- ")

    def _item(self, item: SyntaxTreeNode, marker: str) -> None:
        before = self._indent
        if self._marker:  # a list that begins its outer item: the outer marker gets its own line
            self._add([Piece("\u200b")])
        self._indent += " " * len(marker)
        self._marker = marker
        content = item.children
        if not content or content[0].type in {"fence", "code_block", "table", "blockquote"}:
            self._add([Piece("\u200b")])  # a marker alone would be no list
        self._tick(content)
        self.blocks(content)
        self._marker = ""
        self._indent = before

    def _tick(self, content: Sequence[SyntaxTreeNode]) -> None:
        """Draw the box of a task list's item."""
        if not content or content[0].type != "paragraph" or not content[0].children:
            return
        words = content[0].children[0].children
        if words and words[0].type == "text" and words[0].token is not None:
            text = words[0].content
            words[0].token.content = _TASKS.get(text[:4], text[:4]) + text[4:]

    def _blockquote(self, node: SyntaxTreeNode) -> None:
        before = (self._quote, self._indent)
        if not self._quote:
            self._quote, self._indent = _QUOTE, ""  # a quote begins at the line's beginning
        self.blocks(node.children)
        self._quote, self._indent = before

    def _code(self, node: SyntaxTreeNode) -> None:
        words = node.info.split() if node.info else []
        language = words[0] if words and _LANGUAGE.fullmatch(words[0]) else ""
        lines = node.content.removesuffix("\n").split("\n")
        self._add_code([code_line(line) for line in lines], language)

    def _add_code(self, lines: Sequence[str], language: str) -> None:
        if any(line.strip() for line in lines):
            self.out.append(Code(tuple(lines), language, self._quote))

    def _rule(self, _node: SyntaxTreeNode) -> None:
        self._add([Piece(_RULE)])

    def _table(self, node: SyntaxTreeNode) -> None:
        rows = cells_of(node, self._source)
        texts = texts_of(rows)
        if len(rows) > 1 and tables.is_narrow(texts) and not has_link(node):
            self._add_code([code_line(line) for line in tables.grid(texts).split("\n")], "")
            return
        header, body = texts[0], rows[1:] or rows[:1]
        for number, row in enumerate(body):
            if number:
                self._blank()
            for column, cell in enumerate(row):
                name = header[column] if len(rows) > 1 else ""
                label = [Piece(escaped(f"{name}:"), ("**",)), Piece(" ")] if name else []
                if column:
                    label.insert(0, Piece("- "))
                for line in _lines_of_cell(cell) or [[]]:
                    self._add_raw([*label, *line])

    def _add_raw(self, pieces: Sequence[Piece]) -> None:
        hanging = self._quote + self._indent
        self.out.append(Line(tuple(pieces), prefix=hanging, hanging=hanging))


def _beginning(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """The pieces of a line that nothing stands before."""
    if not pieces or pieces[0].styles or pieces[0].is_whole:
        return tuple(pieces)
    return (replace(pieces[0], text=at_line_start(pieces[0].text)), *pieces[1:])


def _bold(piece: Piece) -> Piece:
    if "**" in piece.styles or _is_confusing(piece.code):
        return piece
    return replace(piece, styles=("**", *piece.styles))


def _lines_of(node: SyntaxTreeNode) -> list[list[Piece]]:
    """The lines of a block of prose, each as its pieces."""
    lines: list[list[Piece]] = [[]]
    for child in node.children:
        has_brackets = "](" in child.content
        for found in _inline(child.children, (), has_brackets=has_brackets):
            if found is None:
                lines.append([])
            else:
                lines[-1].append(found)
    return [line for line in lines if line]


def _lines_of_cell(cell: Cell) -> list[list[Piece]]:
    return [[Piece(escaped(cell))]] if isinstance(cell, str) else _lines_of(cell)


def _inline(
    nodes: Sequence[SyntaxTreeNode], styles: Styles, *, has_brackets: bool
) -> Iterator[Piece | None]:
    """The pieces of a stretch of prose; None where a line ends."""
    for node in nodes:
        if node.type in {"softbreak", "hardbreak"}:
            yield None
        elif node.type in _MARKERS:
            marker = _MARKERS[node.type]
            within = styles if marker in styles else (*styles, marker)
            yield from _inline(node.children, within, has_brackets=has_brackets)
        elif node.type == "code_inline":
            yield _code_piece(node.content, styles)
        elif node.type == "link":
            yield from _link(node, str(node.attrs.get("href", "")), styles)
        elif node.type == "image":
            yield from _link(node, str(node.attrs.get("src", "")), styles)
        elif node.content:
            text = escaped(node.content, in_link=has_brackets and "[" in node.content)
            if "~~" in styles:
                text = text.replace("~", "~\u200b")
            yield Piece(text, styles)


def _code_piece(text: str, styles: Styles) -> Piece:
    """Code in a line."""
    styles = () if _is_confusing(text) else styles
    return Piece(inline_code(text), styles, is_whole=True, code=text)


def _is_confusing(code: str) -> bool:
    """Whether it may not have a style: Discord looks for the end of one in the code, too."""
    return any(marker in code for marker in ("*", "~~", "\\"))


def _link(node: SyntaxTreeNode, url: str, styles: Styles) -> Iterator[Piece]:
    label = plain_inline(node.children) or node.content
    address = url.replace("(", "%28").replace(")", "%29").replace("*", "%2A")
    is_web = _is_web(url)
    if is_blank(label) or label == url:
        yield Piece(url if is_web else escaped(url), styles, is_whole=True)
    elif is_web and not set("[]") & set(label) and len(label) + len(address) < _LONGEST_LINK:
        words = _one_style(label)
        yield Piece(f"[{words}]({address})", styles, is_whole=True)
    else:
        yield Piece(escaped(label, in_link=True), styles)
        if url:
            yield Piece(f" (<{url}>)" if is_web else f" ({escaped(url)})", styles)


def _one_style(label: str) -> str:
    """A link's words. Discord takes an address in them for a deception and shows no link."""
    return escaped(label.replace("://", ":\u200b//"))


def _is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.netloc) and parts.port != 0
    except ValueError:
        return False
