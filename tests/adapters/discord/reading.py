"""How Discord reads a message: its Markdown rules, as its client has them, and the text they leave.

The client parses with simple-markdown; the patterns here are those of its rules, tried in its order
(of emphasis, strong and underline the longest wins). Blocks begin at a line's beginning only.
"""

import re
from dataclasses import dataclass, field

Styles = frozenset[str]

_CODE_BLOCK = re.compile(r"```(?:([a-z0-9_+\-.#]+?)\n)?\n*([^\n][\s\S]*?)\n*```", re.IGNORECASE)
_QUOTE = re.compile(r"((?:> [^\n]*(?:\n|$))+)")
_HEADING = re.compile(r"(#{1,3}) +([^\n]+?)(?:\n|$)")
_LIST_ITEM = re.compile(r"( *)([*-]|\d+\.) +([^\n]+?)(?:\n|$)")
_SUBTEXT = re.compile(r"-# +([^\n]+?)(?:\n|$)")
_ESCAPE = re.compile(r"\\([^0-9A-Za-z\s])")
_LINK = re.compile(
    r"\[((?:\[[^\]]*\]|[^\[\]]|\](?=[^\[]*\]))*)\]\(\s*<?((?:[^\s\\]|\\.)*?)>?"
    r"(?:\s+['\"]([\s\S]*?)['\"])?\s*\)"
)
_AUTOLINK = re.compile(r"<(https?://[^>\s]+)>")
_URL = re.compile(r"https?://[^\s<]+[^<.,:;\"')\]\s]")
_STRIKE = re.compile(r"~~([\s\S]+?)~~(?!_)")
_CODE = re.compile(r"(`+)([\s\S]*?[^`])\1(?!`)")
_SPOILER = re.compile(r"\|\|([\s\S]+?)\|\|")
_EMPHASES = {
    "*": re.compile(
        r"\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)"
        r"|_((?:__|\\[\s\S]|[^\\_])+?)_\b"
    ),
    "**": re.compile(r"\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)"),
    "__": re.compile(r"__((?:\\[\s\S]|[^\\])+?)__(?!_)"),
}


@dataclass
class Read:
    """What a person sees: characters with their styles, and blocks of code."""

    seen: list[tuple[str, Styles]] = field(default_factory=list)
    code: list[tuple[str, str]] = field(default_factory=list)  # language and text
    links: list[tuple[str, str]] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All that can be read."""
        return "".join(character for character, _ in self.seen)

    def styled(self, style: str) -> str:
        """What has this style."""
        return "".join(character for character, styles in self.seen if style in styles)


def read(message: str) -> Read:
    """A message as its reader sees it. Discord trims messages."""
    found = Read()
    _Reader(found).blocks(message.strip(), frozenset())
    return found


class _Reader:
    def __init__(self, found: Read) -> None:
        self._found = found

    def blocks(self, text: str, styles: Styles) -> None:
        """Text that may hold blocks, each of which begins at a line's beginning."""
        while text:
            for rule in (self._quote, self._heading, self._subtext, self._item):
                rest = rule(text, styles)
                if rest is not None:
                    text = rest
                    break
            else:
                text = self._line(text, styles)

    def _line(self, text: str, styles: Styles) -> str:
        """Inline text up to the end of a line; what spans lines takes them along."""
        while text:
            if text[0] == "\n":
                self._put("\n", styles)
                return text[1:]
            text = self._one(text, styles)
        return ""

    def _inline(self, text: str, styles: Styles) -> None:
        while text:
            text = self._one(text, styles)

    def _one(self, text: str, styles: Styles) -> str:
        """Read one thing and return what comes after it."""
        if match := _CODE_BLOCK.match(text):
            self._found.code.append(((match[1] or "").lower(), match[2]))
            self._put(match[2], styles | {"block"})
        elif match := _ESCAPE.match(text):
            self._put(match[1], styles)
        elif (match := _LINK.match(text)) and re.match("https?://", match[2]):
            self._found.links.append((match[1], match[2]))
            self._inline(match[1], styles | {"link"})
        elif match := _AUTOLINK.match(text):
            self._put(match[1], styles)
        elif match := _URL.match(text):
            self._put(match[0], styles)
        elif emphasis := _longest(text):
            style, match = emphasis
            self._inline(next(group for group in match.groups() if group), styles | {style})
        elif match := _STRIKE.match(text):
            self._inline(match[1], styles | {"~~"})
        elif match := _CODE.match(text):
            code = re.sub(r"^ (?=\s*`)|(`\s*) $", r"\1", match[2])
            self._put(code, styles | {"code"})
        elif match := _SPOILER.match(text):
            self._inline(match[1], styles | {"||"})
        else:
            self._put(text[0], styles)
            return text[1:]
        return text[match.end() :]

    def _quote(self, text: str, styles: Styles) -> str | None:
        match = _QUOTE.match(text)
        if match is None:
            return None
        self.blocks(re.sub(r"^> ", "", match[1], flags=re.MULTILINE), styles | {">"})
        return text[match.end() :]

    def _heading(self, text: str, styles: Styles) -> str | None:
        match = _HEADING.match(text)
        if match is None:
            return None
        self._found.headings.append(match[2])
        self._inline(match[2], styles | {match[1]})
        self._put("\n", styles)
        return text[match.end() :]

    def _subtext(self, text: str, styles: Styles) -> str | None:
        match = _SUBTEXT.match(text)
        if match is None:
            return None
        self._inline(match[1], styles | {"-#"})
        self._put("\n", styles)
        return text[match.end() :]

    def _item(self, text: str, styles: Styles) -> str | None:
        match = _LIST_ITEM.match(text)
        if match is None:
            return None
        marker = match[2] if match[2][0].isdigit() else "•"
        self._put(f"{marker} ", styles | {"marker"})
        self._inline(match[3], styles | {"item"})
        self._put("\n", styles)
        return text[match.end() :]

    def _put(self, text: str, styles: Styles) -> None:
        self._found.seen += [(character, styles) for character in text]


def _longest(text: str) -> tuple[str, re.Match[str]] | None:
    found = [(style, rule.match(text)) for style, rule in _EMPHASES.items()]
    matches = [(style, match) for style, match in found if match is not None]
    return max(matches, key=lambda found: found[1].end(), default=None)
