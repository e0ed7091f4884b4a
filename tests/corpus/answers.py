"""Answers as models write them, in Markdown and in many languages; written for these tests.

Each file of `markdown/` is a theme, and holds answers with a line of `%%%%` between them. They know
no platform: whatever shows answers can be tried with them.
"""

import html
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

_WORD = re.compile(r"[^\W_]{2,}")
# What Markdown does not mean to be read: breaks, pictures that are links, names and titles of
# addresses.
_HIDDEN = re.compile(
    r"<br ?/?>|(?<=\[)!\[[^]]*\]\([^)]*\)|(?<=\])\[[^]]+\]|^\[[^]^]+\]: \S+ \".*\"$"
    r"|^\[[^]^]+\](?=: \S+$)"
    r"|(?<=\]\()\S+ \"[^\"\n]*\"(?=\))",
    re.MULTILINE,
)
_FOLDER = Path(__file__).parent / "markdown"
_BETWEEN = "\n%%%%\n"

THEMES = sorted(path.stem for path in _FOLDER.glob("*.md"))


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer; `name` says where it stands, such as `code 7`."""

    theme: str
    name: str
    markdown: str

    def lost_in(self, seen: str) -> list[str]:
        """The words of the answer that do not stand in `seen` as often as they were written."""
        meant = _WORD.findall(html.unescape(_HIDDEN.sub(" ", self.markdown)))
        return [word for word, times in Counter(meant).items() if seen.count(word) < times]


def read_answers() -> list[Answer]:
    """All of them, in order."""
    return [answer for theme in THEMES for answer in of_theme(theme)]


def of_theme(theme: str) -> list[Answer]:
    """Those of one theme."""
    return [
        Answer(theme, f"{theme} {number}", markdown)
        for number, markdown in enumerate(_read(theme).split(_BETWEEN), start=1)
    ]


def _read(theme: str) -> str:
    path = _FOLDER / f"{theme}.md"
    return path.read_text(encoding="utf-8").removesuffix("\n")
