"""The Markdown that models write, as markdown-it tokens: CommonMark, tables, ~~struck~~, and more.

    ||hidden||          a spoiler
    <br>                a line's end; all other HTML is text
    $x^2$ \\(…\\) \\[…\\]   formulas, kept as they are: no emphasis, no backslashes lost
    [^1]                a footnote's mark; a footnote is a paragraph like any other

How all of this looks is markdown.py's business.
"""

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from adapters.text.bounded import bounded
from adapters.text.definitions import with_footnotes
from adapters.text.nesting import DEEPEST

_FORMULAS = (("$$", "$$"), ("\\(", "\\)"), ("\\[", "\\]"))
_DOLLARS = re.compile(r"\$(?=\S)([^$\n]+)(?<=\S)\$(?!\d)")
_IN_FORMULAS = re.compile(r"[\\^_{]")  # and not in prices
_LINES = (("$$", "$$"), ("\\[", "\\]"))
_UNCLOSED = "formulas without an end"  # keys of the `env` that goes along with a parse
_UNCLOSED_LINES = "formulas on lines without an end"

_MARKS = re.compile(r"(?<!\|)\|\|(?!\|)|<br\s?/?>|\[\^[^\]\s]{1,30}\](?::(?=\s))?", re.IGNORECASE)
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_BEFORE_SPOILER = re.compile(r"[\s\W]", re.ASCII)
_BARS = "||"


def make_parser() -> MarkdownIt:
    """A parser that takes time in proportion to the text."""
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST})
    parser.enable(["table", "strikethrough"])
    parser.block.ruler.before(
        "fence",
        "formula",
        _formula_lines,
        {"alt": ["paragraph", "reference", "blockquote", "list"]},
    )
    parser.inline.ruler.before("escape", "formula", _formula)
    parser.core.ruler.after("inline", "marks", _marks)
    return bounded(with_footnotes(parser))


def _formula_lines(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """A formula on lines of its own, as code: what looks like a list in it is none."""
    first = state.getLines(start_line, start_line + 1, state.blkIndent, False)
    closing = next((end for opening, end in _LINES if first.lstrip().startswith(opening)), None)
    if closing is None or state.is_code_block(start_line):
        return False
    last = _last_line(state, closing, start_line, end_line)
    if last is None:
        return False
    if not silent:
        text = state.getLines(start_line, last + 1, state.blkIndent, False).strip()
        token = state.push("fence", "code", 0)
        token.info = "latex"
        token.content = text[len(closing) : -len(closing)].strip()
        token.map = [start_line, last + 1]
        state.line = last + 1
    return True


def _last_line(state: StateBlock, closing: str, start_line: int, end_line: int) -> int | None:
    unclosed: set[tuple[str, int]] = state.env.setdefault(_UNCLOSED_LINES, set())
    if (closing, end_line) in unclosed:
        return None
    for line in range(start_line, end_line):
        start, end = state.bMarks[line] + state.tShift[line], state.eMarks[line]
        if line == start_line:
            start += len(closing)
        elif state.sCount[line] < state.blkIndent and start < end:
            break  # the list item or quote has ended
        if state.src[start:end].rstrip().endswith(closing):
            has_content = line > start_line or state.src[start:end].strip() != closing
            return line if has_content else None
    unclosed.add((closing, end_line))
    return None


def _formula(state: StateInline, silent: bool) -> bool:
    for opening, closing in _FORMULAS:
        if state.src.startswith(opening, state.pos):
            start = state.pos + len(opening)
            end = _find(state, closing, start)
            if end is not None and state.src[start:end].strip():
                return _take_formula(
                    state, state.src[start:end].strip(), end + len(closing), silent
                )
    if state.src.startswith("$", state.pos):
        found = _DOLLARS.match(state.src, state.pos, state.posMax)
        if found and _IN_FORMULAS.search(found[1]):
            return _take_formula(state, found[1], found.end(), silent)
    return False


def _take_formula(state: StateInline, content: str, end: int, silent: bool) -> bool:
    if not silent:
        token = state.push("code_inline", "code", 0)
        token.markup = "$"
        token.content = content
    state.pos = end
    return True


def _find(state: StateInline, closing: str, start: int) -> int | None:
    """Where it ends; that there is no end any more is remembered, and not looked for again."""
    unclosed: dict[str, str] = state.env.setdefault(_UNCLOSED, {})
    if unclosed.get(closing) is state.src:
        return None
    end = state.src.find(closing, start, state.posMax)
    if end < 0:
        unclosed[closing] = state.src
        return None
    return end


def _marks(state: StateCore) -> None:
    for token in state.tokens:
        if token.type == "inline" and token.children:
            token.children = _marked(token.children)


def _marked(tokens: Sequence[Token]) -> list[Token]:
    """The tokens of a paragraph, with the marks in their texts made tokens of their own."""
    marked: list[Token] = []
    open_bars: list[Token | None] = [None]  # for each style that is open here
    for before, token, after in _with_neighbours(tokens):
        if token.nesting > 0:
            open_bars.append(None)
        elif token.nesting < 0:
            open_bars.pop()
        if token.type != "text":
            marked.append(token)
            continue
        place = 0
        for found in _MARKS.finditer(token.content):
            marked += _texts(token.content[place : found.start()])
            place = found.end()
            if found[0] == _BARS:
                left = token.content[found.start() - 1 : found.start()] or before
                right = token.content[place : place + 1] or after
                mark = _text(_BARS)
                if open_bars[-1] is not None and _closes(left, right):
                    _become_spoiler(open_bars[-1], mark)
                    open_bars[-1] = None
                elif _closes(right, left):
                    open_bars[-1] = mark
                marked.append(mark)
            elif found[0].startswith("<"):
                marked.append(Token("hardbreak", "br", 0))
            else:
                marked.append(_text(_footnote(found[0])))
        marked += _texts(token.content[place:])
    return marked


def _with_neighbours(tokens: Sequence[Token]) -> Iterator[tuple[str, Token, str]]:
    """Each token, and a character that stands for what is before it and after it."""
    around = ["", *map(_as_character, tokens), ""]
    yield from zip(around, tokens, around[2:], strict=False)


def _as_character(token: Token) -> str:
    return " " if token.type in {"softbreak", "hardbreak"} else "x" if token.nesting == 0 else "*"


def _closes(left: str, right: str) -> bool:
    """Whether bars between these two end what they began, as emphasis does: a || b has none."""
    return bool(left) and not left.isspace() and (not right or bool(_BEFORE_SPOILER.match(right)))


def _become_spoiler(opening: Token, closing: Token) -> None:
    opening.type, opening.content, opening.nesting = "spoiler_open", "", 1
    closing.type, closing.content, closing.nesting = "spoiler_close", "", -1


def _footnote(mark: str) -> str:
    label = mark.rstrip(":").removeprefix("[^").removesuffix("]")
    return label.translate(_SUPERSCRIPT) if label.isascii() and label.isdigit() else f"[{label}]"


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _texts(content: str) -> list[Token]:
    return [_text(content)] if content else []
