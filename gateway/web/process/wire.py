"""What the gateway and the process that fetches say to each other: lines of JSON. Pure.

First comes a line of settings, then requests, {"id", "do", "url"}; {"cancel": id} is for one that
nobody waits for any more. `do` is

    page    fetch and read            → {"url", "title", "text", "is_cut"}
    get     fetch into a file         → {"url", "media_type", "charset"}; with "max_bytes", "types"
                                        and "file", which is there and empty
    check   see whether one might     → {"url"}

Answers come as they are done, these with their "id", or {"id", "error": name of a `WebError`,
"message", "status"}.
"""

import json
from dataclasses import dataclass
from typing import Any

from config.web import WebSettings
from gateway.reading.source import Text
from gateway.web import errors
from gateway.web.errors import BadAnswer, WebError

Line = dict[str, Any]

MAX_REQUEST_BYTES = 1024**2
"""A line of settings may name many hosts; an address is short."""

# What it takes to fetch and to read, and no key.
_SETTINGS = frozenset(
    {
        "allowed_hosts",
        "extract_processes",
        "max_page_mb",
        "max_redirects",
        "ports",
        "timeout_s",
    }
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page as text."""

    url: str  # where it is in the end
    text: Text


def settings_line(settings: WebSettings) -> bytes:
    """What the process is told before it is asked for anything."""
    return settings.model_dump_json(include=set(_SETTINGS)).encode() + b"\n"


def line_of(message: Line) -> bytes:
    """A message as it goes over the wire. What is no character is replaced."""
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def page_line(page: Page) -> Line:
    """What is answered to `page`."""
    text = page.text
    return {"url": page.url, "title": text.title, "text": text.text, "is_cut": text.is_cut}


def page_of(answer: Line) -> Page:
    """The page in such an answer."""
    return Page(answer["url"], Text(answer["title"], answer["text"], answer["is_cut"]))


def refusal_line(error: WebError) -> Line:
    """What is answered if something went wrong."""
    refusal: Line = {"error": type(error).__name__, "message": str(error)}
    if isinstance(error, BadAnswer):
        refusal["status"] = error.status
    return refusal


def raise_refusal(answer: Line) -> None:
    """Raise the `WebError` that is in an answer, if one is."""
    if "error" not in answer:
        return
    kind: type[WebError] = getattr(errors, answer["error"])
    if issubclass(kind, BadAnswer):
        raise kind(answer["message"], answer["status"])
    raise kind(answer["message"])
