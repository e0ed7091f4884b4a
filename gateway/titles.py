"""What a session is called in lists: as a person named it, or by what was said first. Pure."""

import re

from gateway.store.sessions import SessionInfo

MAX_TITLE_CHARS = 60
UNTITLED = "nothing said yet"

# What the agent puts before a text: who wrote it, the date, what is quoted.
_special = str.maketrans({c: "\\" + c for c in "\\`*_[]<>|~#"})
_HEAD = re.compile(r"\[[^\n]*\]|>.*|\s*")


def title_of(session: SessionInfo) -> str:
    """One line of at most 60 characters."""
    return clean_title(session.given_title or "") or made_title(session.first_words) or UNTITLED


def made_title(first_words: str) -> str:
    """A title from the first message; empty if it has no text."""
    lines = first_words.splitlines()
    while len(lines) > 1 and _HEAD.fullmatch(lines[0]):
        lines.pop(0)
    return clean_title(lines[0] if lines else "")


def clean_title(text: str) -> str:
    """A text as a title: on one line, cut at a word where that is possible."""
    line = " ".join("".join(c for c in text if c.isprintable() or c.isspace()).split())
    if len(line) <= MAX_TITLE_CHARS:
        return line
    cut = line[: MAX_TITLE_CHARS - 1]
    head, _, _ = cut.rpartition(" ")
    return f"{head if len(head) > MAX_TITLE_CHARS // 2 else cut}…"


def escaped(text: str) -> str:
    """A text as Markdown that shows just this text."""
    return text.translate(_special)
