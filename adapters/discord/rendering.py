"""Markdown to the parts of a reply, each of which is one message on Discord.

A part's text is what is sent. Its payload says what stands around it: nothing, a coloured card, or
a file, which long code becomes: in a chat nobody scrolls through ten messages of it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adapters.base import Part, Style
from adapters.discord.lines import LIMIT, Block, Code
from adapters.discord.markdown import parse
from adapters.discord.splitting import split

CURSOR = " ▉"
MOST_PARTS_OF_CODE = 3  # a longer block is a file

_EXTENSIONS = {
    "bash": "sh", "c": "c", "cpp": "cpp", "c++": "cpp", "cs": "cs", "csharp": "cs", "css": "css",
    "csv": "csv", "diff": "diff", "go": "go", "html": "html", "java": "java", "javascript": "js",
    "js": "js", "json": "json", "kotlin": "kt", "lua": "lua", "markdown": "md", "md": "md",
    "php": "php", "py": "py", "python": "py", "rb": "rb", "ruby": "rb", "rust": "rs", "rs": "rs",
    "sh": "sh", "shell": "sh", "sql": "sql", "swift": "swift", "toml": "toml", "ts": "ts",
    "typescript": "ts", "xml": "xml", "yaml": "yaml", "yml": "yaml",
}  # fmt: skip
_ZERO_WIDTH = "\u200b"


@dataclass(frozen=True, slots=True)
class Card:
    """The text stands in an embed with the colour of its style."""

    style: Style


@dataclass(frozen=True, slots=True)
class CodeFile:
    """Code that comes as a file; the part's text says so, for where no file can be sent."""

    name: str
    content: str


def render(markdown: str, style: Style = Style.ANSWER, limit: int = LIMIT) -> Sequence[Part]:
    """The final form. No parts if there is nothing to see."""
    payload = None if style is Style.ANSWER else Card(style)
    parts: list[Part] = []
    for run in _runs(parse(markdown), limit):
        if isinstance(run, Code):
            parts.append(_as_file(run, sum(isinstance(p.payload, CodeFile) for p in parts) + 1))
        else:
            parts += [Part(text, payload) for text in split(run, limit)]
    return parts


def preview(markdown: str, limit: int = LIMIT) -> Sequence[Part]:
    """The form while the text grows: the last part ends in a cursor if one fits."""
    parts = list(render(markdown, limit=limit))
    if parts and parts[-1].payload is None:
        parts[-1] = Part(_with_cursor(parts[-1].text, limit))
    return parts


def _runs(blocks: Sequence[Block], limit: int) -> Iterator[list[Block] | Code]:
    """What is sent as messages, and between it the code that is sent as files."""
    run: list[Block] = []
    for block in blocks:
        if isinstance(block, Code) and len(block.written()) > MOST_PARTS_OF_CODE * limit:
            if run:
                yield run
            yield block
            run = []
        else:
            run.append(block)
    if run:
        yield run


def _as_file(code: Code, number: int) -> Part:
    extension = _EXTENSIONS.get(code.language.lower(), "txt")
    name = f"code-{number}.{extension}"
    content = "\n".join(code.lines).replace(_ZERO_WIDTH, "") + "\n"
    return Part(f"{len(code.lines):,} lines of code, as the file {name}", CodeFile(name, content))


def _with_cursor(text: str, limit: int) -> str:
    if len(text) + len(CURSOR) > limit:
        return text
    if text.endswith("\n```"):
        return f"{text[:-4]}{CURSOR}\n```"
    return text + CURSOR
