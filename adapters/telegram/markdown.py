"""Markdown to styled text: parsed once, by dialect.py's rules, and written out token by token.

HTML is not a thing here: `List<int>` and `<CoT>` are text like any other. Blank lines between
blocks are those of the source, so a text that grows does not change what was already written.
How a table looks is decided in adapters/text/tables.py, what may nest in builder.py.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from typing import Any
from urllib.parse import urlsplit

from markdown_it.tree import SyntaxTreeNode

from adapters.telegram.builder import Builder
from adapters.telegram.dialect import make_parser
from adapters.telegram.styled import Styled
from adapters.text import tables
from adapters.text.cells import Cell, cells_of, has_link, texts_of
from adapters.text.characters import is_blank, without_surrogates
from adapters.text.definitions import unused_definitions
from adapters.text.lines import lines_of
from adapters.text.nesting import is_too_deep
from adapters.text.plain import plain_inline

_PARSER = make_parser()
_BULLETS = ("•", "◦", "▪")
_TASK_MARKS = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}
_STYLES = {"strong": "bold", "em": "italic", "s": "strikethrough", "spoiler": "spoiler"}
_LINK_SCHEMES = frozenset({"http", "https"})
_HOST = re.compile(r"[\w-]+(\.[\w-]+)+(:\d{1,5})?")
_TAB_WIDTH = 4  # Telegram shows a tab as one space


def parse(markdown: str) -> Styled:
    """The text as it will be shown. Markdown that would show nothing is shown as it was written."""
    source = without_surrogates(markdown)
    known: dict[str, Any] = {}
    tokens = _PARSER.parse(source, known)
    if is_too_deep(tokens):
        return Styled(source)
    writer = _Writer(lines_of(source))
    writer.blocks(SyntaxTreeNode(tokens).children)
    writer.lines(unused_definitions(tokens, known))
    styled = writer.out.finish()
    return Styled(source) if is_blank(styled.text) else styled


class _Writer:
    """Walks the syntax tree of one text."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.out = Builder()
        self._lines = lines
        self._list_depth = 0
        self._write_block: dict[str, Callable[[SyntaxTreeNode], None]] = {
            "paragraph": self._paragraph,
            "heading": self._heading,
            "bullet_list": self._list,
            "ordered_list": self._list,
            "blockquote": self._quote,
            "fence": self._code_block,
            "code_block": self._code_block,
            "table": self._table,
            "hr": self._rule,
        }
        self._write_inline: dict[str, Callable[[SyntaxTreeNode], None]] = {
            "text": self._text,
            "softbreak": self._break,
            "hardbreak": self._break,
            "code_inline": self._inline_code,
            "strong": self._styled,
            "em": self._styled,
            "s": self._styled,
            "spoiler": self._styled,
            "link": self._link,
            "image": self._image,
        }

    def blocks(self, nodes: Sequence[SyntaxTreeNode]) -> None:
        """Blocks that follow each other in one container."""
        for number, node in enumerate(nodes):
            if number:
                self._separate(node)
            self._write_block[node.type](node)

    def lines(self, ranges: Iterable[range]) -> None:
        """Lines of the source as they are, at the end."""
        for number, lines in enumerate(ranges):
            if not self.out.is_empty():
                self.out.write("\n" if number else "\n\n")
            self.out.write("\n".join(self._lines[line].lstrip(" \t>") for line in lines))

    def _separate(self, node: SyntaxTreeNode) -> None:
        first_line = node.map[0] if node.map else 0
        self.out.newline()
        if first_line and not self._lines[first_line - 1].strip(" \t>"):
            self.out.newline()

    # Blocks

    def _paragraph(self, node: SyntaxTreeNode) -> None:
        for child in node.children:
            self._inline(child.children)

    def _heading(self, node: SyntaxTreeNode) -> None:
        with self.out.style("bold"):
            self._paragraph(node)

    def _list(self, node: SyntaxTreeNode) -> None:
        bullet = _BULLETS[min(self._list_depth, len(_BULLETS) - 1)]
        self._list_depth += 1
        for number, item in enumerate(node.children):
            if number:
                self._separate(item)
            is_numbered = node.type == "ordered_list"
            marker = f"{item.info}{item.markup}" if is_numbered else bullet
            self._list_item(item, f"{marker} ")
        self._list_depth -= 1

    def _list_item(self, item: SyntaxTreeNode, marker: str) -> None:
        content = item.children
        task = _task_mark(content)
        if content and content[0].type in {"fence", "code_block", "table"}:
            self.out.marker(marker.rstrip())
            self.out.newline()
        else:
            self.out.marker(task if task and marker[0] in _BULLETS else marker)
        with self.out.indented(len(marker) + 1):
            self.blocks(content)

    def _quote(self, node: SyntaxTreeNode) -> None:
        with self.out.quote():
            self.blocks(node.children)

    def _code_block(self, node: SyntaxTreeNode) -> None:
        code = node.content.removesuffix("\n").expandtabs(_TAB_WIDTH)
        words = node.info.split()
        self.out.code_block(code, words[0] if words else None)

    def _rule(self, _node: SyntaxTreeNode) -> None:
        self.out.write("———")

    def _table(self, node: SyntaxTreeNode) -> None:
        rows = cells_of(node, self._lines)
        texts = texts_of(rows)
        if len(rows) == 1:
            self._record([""] * len(rows[0]), rows[0])
        elif tables.is_narrow(texts) and not has_link(node):
            self.out.code_block(tables.grid(texts), None)
        else:
            self._records(texts, rows)

    def _records(self, texts: Sequence[Sequence[str]], cells: Sequence[Sequence[Cell]]) -> None:
        for number, row in enumerate(cells[1:], start=1):
            if number > 1:
                self.out.newline()
                self.out.newline()
            # A cell with nothing in it is left out, but each name is to be read once.
            filled = [bool(text) or number == 1 for text in texts[number][: len(row)]]
            self._record(list(compress(texts[0], filled)), list(compress(row, filled)))

    def _record(self, names: Sequence[str], row: Sequence[Cell]) -> None:
        for number, (name, cell) in enumerate(zip(names, row, strict=True)):
            if number:
                self.out.newline()
                self.out.marker("• ")
            with self.out.style("bold"):
                self.out.write(f"{name}: " if name else "")
            if isinstance(cell, str):
                self.out.write(cell)
            else:
                self._paragraph(cell)

    # Within a line

    def _inline(self, nodes: Sequence[SyntaxTreeNode]) -> None:
        for node in nodes:
            self._write_inline[node.type](node)

    def _text(self, node: SyntaxTreeNode) -> None:
        self.out.write(node.content)

    def _break(self, _node: SyntaxTreeNode) -> None:
        self.out.newline()

    def _inline_code(self, node: SyntaxTreeNode) -> None:
        self.out.inline_code(node.content)

    def _styled(self, node: SyntaxTreeNode) -> None:
        with self.out.style(_STYLES[node.type]):
            self._inline(node.children)

    def _link(self, node: SyntaxTreeNode) -> None:
        url = str(node.attrs.get("href", ""))
        label = plain_inline(node.children)
        if is_blank(label):
            self.out.write(url)
        elif node.info == "auto" or label == url:
            self._inline(node.children)  # Telegram finds bare addresses by itself
        elif _can_lead_somewhere(url):
            with self.out.link(url):
                self._inline(node.children)
        else:
            self._inline(node.children)
            self.out.write(f" ({url})" if url else "")

    def _image(self, node: SyntaxTreeNode) -> None:
        url = str(node.attrs.get("src", ""))
        label = plain_inline(node.children) or node.content
        if is_blank(label):
            self.out.write(url)
        elif _can_lead_somewhere(url):
            with self.out.link(url):
                self.out.write(label)
        else:
            self.out.write(f"{label} ({url})" if url else label)


def _task_mark(content: Sequence[SyntaxTreeNode]) -> str | None:
    """The box of a task list's item; its source text is taken out of the tree."""
    if not content or content[0].type != "paragraph":
        return None
    words = content[0].children[0].children
    if not words or words[0].type != "text" or words[0].token is None:
        return None
    mark = _TASK_MARKS.get(words[0].content[:4])
    if mark is not None:
        words[0].token.content = words[0].content[4:]
    return mark


def _can_lead_somewhere(url: str) -> bool:
    """Whether Telegram takes this as a link. One that it doesn't makes it refuse the message.

    It wants a web address whose host has a dot in it, and says "Wrong HTTP URL" otherwise. Names
    before the host are not let through: they are there to deceive.
    """
    try:
        parts = urlsplit(url)
        has_good_port = parts.port != 0
    except ValueError:
        return False
    return parts.scheme in _LINK_SCHEMES and has_good_port and bool(_HOST.fullmatch(parts.netloc))
