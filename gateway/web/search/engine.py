"""What a search service is to the gateway, and how one is chosen by the settings."""

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from gateway.web.guard import MAX_URL_CHARS

MAX_TITLE_CHARS = 200
MAX_SNIPPET_CHARS = 600

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that was found."""

    title: str
    url: str
    snippet: str


class SearchEngine(Protocol):
    """A search service."""

    name: str

    async def search(self, query: str, limit: int) -> list[Hit]:
        """What is found, best first, at most `limit`. Raises `WebError`."""

    async def close(self) -> None:
        """Close connections."""


def cleaned(hits: Iterable[Hit], limit: int) -> list[Hit]:
    """Hits as plain text of bounded length; what is no address of a page, or there twice, is not.

    Services mark the words that were looked for with tags, some of them.
    """
    found: dict[str, Hit] = {}
    for hit in hits:
        url = hit.url.strip()
        if url.lower().startswith(("http://", "https://")) and len(url) <= MAX_URL_CHARS:
            title = _plain(hit.title, MAX_TITLE_CHARS) or url
            found.setdefault(url, Hit(title, url, _plain(hit.snippet, MAX_SNIPPET_CHARS)))
    return list(found.values())[:limit]


def _plain(text: str, limit: int) -> str:
    words = " ".join(html.unescape(_TAG.sub("", text)).split())
    return words if len(words) <= limit else f"{words[: limit - 1]}…"
