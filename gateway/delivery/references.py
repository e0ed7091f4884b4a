"""The files that an answer speaks of, taken out of its Markdown. Pure.

`MEDIA:<path>` on a line of its own, and `![caption](path or address)`, stand for files; a block of
code may be too long to be read in a chat. Nothing within code stands for anything, nor within
tables. Whether a file may be sent, and where it is, is decided by whoever gets the reference.
"""

import re
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from adapters.text.bounded import bounded
from adapters.text.lines import lines_of

MAX_FILES = 10
"""When there are so many, what comes in later paragraphs stays as it was written."""

_MEDIA = re.compile(r"\s*MEDIA:\s*(?P<path>\S(?:.*\S)?)\s*")
_QUOTES = {'"': '"', "'": "'", "“": "”", "<": ">"}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_LANGUAGES = (  # the suffix of a file, and what else its language is called
    "c,cpp c++,cs c# csharp,css,csv,diff patch,go,html,java,js javascript,json,kt kotlin,lua,"
    "md markdown,php,py python,r,rb ruby,rs rust,sh bash shell zsh,sql,swift,toml,ts typescript,"
    "xml,yaml yml"
)
_SUFFIXES = {name: names.split()[0] for names in _LANGUAGES.split(",") for name in names.split()}


@dataclass(frozen=True, slots=True)
class Reference:
    """A file that is to be sent: a path, or an address on the web."""

    target: str
    caption: str = ""

    @property
    def is_remote(self) -> bool:
        """Whether it has to be fetched from the web."""
        return self.target.lower().startswith(("http://", "https://"))


@dataclass(frozen=True, slots=True)
class LongCode:
    """A block of code that is to be sent as a file."""

    name: str
    code: str


@dataclass(frozen=True, slots=True)
class Taken:
    """A text without its files, and these in their order."""

    text: str
    found: tuple[Reference | LongCode, ...] = ()


def take_out(markdown: str, is_long: Callable[[str], bool] | None = None) -> Taken:
    """Take the files out of a text, and the blocks of code whose Markdown `is_long`."""
    if "MEDIA:" not in markdown and "![" not in markdown and is_long is None:
        return Taken(markdown)
    lines = lines_of(markdown)
    cut = _Cut(lines)
    depth_of_table = 0
    for token in _PARSER.parse("\n".join(lines)):
        depth_of_table += token.nesting if token.type in {"table_open", "table_close"} else 0
        if token.map is None or depth_of_table or len(cut.found) >= MAX_FILES:
            continue
        if token.type == "inline":
            _take_from_inline(token, cut)
        elif token.type == "fence" and token.level == 0 and is_long is not None:
            _take_code(token, cut, is_long)
    return Taken(cut.text(), tuple(cut.found)) if cut.found else Taken(markdown)


def without_begun(markdown: str) -> str:
    """A text that still grows, without a last line that may be the beginning of `MEDIA:`."""
    before, _, last = markdown.rpartition("\n")
    begun = last.strip()
    return before.rstrip("\n") if begun and "MEDIA:".startswith(begun) else markdown


@dataclass(slots=True)
class _Cut:
    """The lines of a text, and what was taken from them."""

    lines: list[str]
    found: list[Reference | LongCode] = field(default_factory=list)
    gone: set[int] = field(default_factory=set)

    def text(self) -> str:
        kept: list[str] = []
        for number, line in enumerate(self.lines):
            follows_gap = number - 1 in self.gone and (not kept or not kept[-1].strip())
            if number in self.gone:
                continue
            if follows_gap and not line.strip():
                self.gone.add(number)  # one blank line is enough where there were two
                continue
            kept.append(line)
        return "\n".join(kept).strip("\n")


def _take_from_inline(token: Token, cut: _Cut) -> None:
    if "MEDIA:" not in token.content and "![" not in token.content:
        return
    begin, end = token.map or (0, 0)
    spans: list[_Span] = []
    env: MutableMapping[str, Any] = {"source": token.content, "spans": spans}
    _INLINE.inline.parse(token.content, _INLINE, env, [])
    room = MAX_FILES - len(cut.found)
    images = [span for span in spans if span.reference is not None][:room]
    taken: list[tuple[int, Reference]] = [
        (span.start, span.reference)
        for span in reversed(images)  # so that what comes before is still as it was written
        if span.reference is not None and _cut_image(cut, begin, end, token.content, span)
    ]
    code = [span for span in spans if span.reference is None]
    at = 0
    for number, line in enumerate(token.content.split("\n"), start=begin):
        match = _MEDIA.fullmatch(line) if number < end and len(taken) < room else None
        if match and not any(span.start < at + len(line) and span.end > at for span in code):
            cut.gone.add(number)
            taken.append((at, Reference(_unquoted(match["path"]))))
        at += len(line) + 1
    cut.found += [reference for _, reference in sorted(taken, key=lambda pair: pair[0])]


def _cut_image(cut: _Cut, begin: int, end: int, content: str, span: "_Span") -> bool:
    """Take an image out of its line; False if it is not on one line as it was written."""
    written = content[span.start : span.end]
    left_in_content = content[: span.start].count(written)
    for number in range(begin, end):
        line = cut.lines[number]
        before = line.count(written)
        if left_in_content >= before:
            left_in_content -= before
            continue
        place = -1
        for _ in range(left_in_content + 1):
            place = line.index(written, place + 1)
        caption = span.reference.caption if span.reference else ""
        rest = line[:place] + line[place + len(written) :]
        if rest.strip(" \t>*+-"):
            cut.lines[number] = line[:place] + caption + line[place + len(written) :]
        else:
            cut.gone.add(number)
        return True
    return False


def _take_code(token: Token, cut: _Cut, is_long: Callable[[str], bool]) -> None:
    begin, end = token.map or (0, 0)
    if not is_long("\n".join(cut.lines[begin:end])):
        return
    words = token.info.split()
    suffix = _SUFFIXES.get(words[0].lower(), "txt") if words else "txt"
    number = 1 + sum(isinstance(one, LongCode) for one in cut.found)
    name = f"code-{number}.{suffix}"
    cut.found.append(LongCode(name, token.content))
    cut.lines[begin] = f"*The code is in the file {name}.*"
    cut.gone.update(range(begin + 1, end))


def _unquoted(path: str) -> str:
    closing = _QUOTES.get(path[0])
    return path[1:-1].strip() or path if closing and len(path) > 1 and path[-1] == closing else path


# The parser: one that leaves the lines' insides alone, and one that says where in them things are.


@dataclass(frozen=True, slots=True)
class _Span:
    """An image, or (without a reference) code, in the text of a paragraph."""

    start: int
    end: int
    reference: Reference | None = None


def _noting(rule: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    def apply(state: StateInline, silent: bool) -> bool:
        start, count = state.pos, len(state.tokens)
        is_one = rule(state, silent)
        # The text in an image's brackets is parsed by itself, with positions of its own.
        if is_one and not silent and state.src == state.env.get("source"):
            found = _spans_of(start, state.pos, state.tokens[count:])
            state.env["spans"].extend(found)
        return is_one

    return apply


def _spans_of(start: int, end: int, tokens: Sequence[Token]) -> list[_Span]:
    for token in tokens:
        if token.type == "code_inline":
            return [_Span(start, end)]
        if token.type == "image" and (target := _target(str(token.attrs.get("src", "")))):
            return [_Span(start, end, Reference(target, token.content))]
    return []


def _target(source: str) -> str | None:
    """What an image points to, if that may be a file: the parser has quoted what is in paths."""
    if source.lower().startswith(("http://", "https://")):
        return source
    return None if not source or _SCHEME.match(source) else unquote(source)


def _make_inline() -> MarkdownIt:
    parser = bounded(MarkdownIt("commonmark", {"html": False}))
    rules = {rule.name: rule.fn for rule in parser.inline.ruler.__rules__}
    for name in ("backticks", "image"):
        parser.inline.ruler.at(name, _noting(rules[name]))
    return parser


_PARSER = bounded(MarkdownIt("commonmark", {"html": False})).enable("table").disable("inline")
_INLINE = _make_inline()
