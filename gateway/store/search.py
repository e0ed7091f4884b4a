"""Finding what was said, in chats that the caller names; and what a query means. Pure but for that.

A query is words, or phrases in quotes, all of which must occur. Nothing in it is an operator:
each word reaches SQLite as a quoted string.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

MAX_TERMS = 12
MAX_TERM_CHARS = 100
PIECE_CHARS = 3  # what the trigram index has, so the shortest that it finds

_TERM = re.compile(r'"([^"]*)"|(\S+)')
# Scripts whose words stand without spaces between them, so that even a character is worth a search.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
                       "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """A message that has what was looked for."""

    id: int
    chat: str
    session_id: str
    role: str
    text: str
    created_at: str


class SearchStore(Protocol):
    """All that was ever said. Raises `StoreError`."""

    async def find(self, terms: Sequence[str], chats: Sequence[str], limit: int) -> list[Found]:
        """Messages of these chats, and of no others, that have all the terms; the latest first."""

    async def around(
        self, message_id: int, chats: Sequence[str], before: int, after: int
    ) -> list[Found]:
        """A message and those around it in its session, in order; none if it is of another chat."""

    async def first_of(self, session_id: str, chats: Sequence[str], limit: int) -> list[Found]:
        """How a session began, in order; nothing if it is of another chat."""


def terms_of(query: str) -> tuple[str, ...]:
    """What is looked for; empty if there is nothing to look for.

    A quote that nobody closed is closed at the end.
    """
    plain = query.replace("\0", " ").replace("“", '"').replace("”", '"')
    if plain.count('"') % 2:
        plain += '"'
    found = (" ".join((phrase or word).replace('"', " ").split()) for phrase, word in
             _TERM.findall(plain))  # fmt: skip
    terms = [term[:MAX_TERM_CHARS].strip() for term in found]
    return tuple(dict.fromkeys(t for t in terms if any(map(str.isalnum, t))))[:MAX_TERMS]


def needs_scan(terms: Sequence[str]) -> bool:
    """Whether a term is too short for the pieces, and in a script where it is no word either."""
    return any(len(term) < PIECE_CHARS and _UNSPACED.search(term) for term in terms)


def quoted(term: str) -> str:
    """A term as a string of a full-text query (SQLite FTS5, section 3.1)."""
    return '"' + term.replace('"', '""') + '"'


def like_pattern(term: str) -> str:
    """A term as a pattern of LIKE, with backslash as its escape: it occurs anywhere."""
    escaped = re.sub(r"([\\%_])", r"\\\1", term)
    return f"%{escaped}%"


def snippet(text: str, terms: Sequence[str], chars: int = 160) -> str:
    """The part of a text around the first term that occurs in it, on one line."""
    line = " ".join(text.split())
    folded = line.casefold()
    places = [folded.find(term.casefold()) for term in terms]
    first = min((place for place in places if place >= 0), default=0)
    start = max(0, min(first - chars // 3, len(line) - chars))
    cut = line[start : start + chars].strip()
    return f"{'…' if start else ''}{cut}{'…' if start + chars < len(line) else ''}"
