"""What the gateway and the process that fetches pages say to each other: lines of JSON. Pure.

First comes a line of settings, then requests, {"id", "url"}; {"cancel": id} is for one that nobody
waits for any more. Answers come as they are done, {"id", "url", "title", "text", "is_cut"} or
{"id", "error": name of a `WebError`, "message", "status"}.
"""

import json
from dataclasses import dataclass
from typing import Any

from config.web import WebSettings
from gateway.reading.texts import Text
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


def answer_with(number: int, page: Page) -> Line:
    """The answer to a request that has led to a page."""
    text = page.text
    return {
        "id": number,
        "url": page.url,
        "title": text.title,
        "text": text.text,
        "is_cut": text.is_cut,
    }


def refusal_with(number: int, error: WebError) -> Line:
    """The answer to a request that has led to none."""
    refusal: Line = {"id": number, "error": type(error).__name__, "message": str(error)}
    if isinstance(error, BadAnswer):
        refusal["status"] = error.status
    return refusal


def page_of(answer: Line) -> Page:
    """The page in an answer. Raises the `WebError` that is there instead."""
    if "error" not in answer:
        return Page(answer["url"], Text(answer["title"], answer["text"], answer["is_cut"]))
    kind: type[WebError] = getattr(errors, answer["error"])
    if issubclass(kind, BadAnswer):
        raise kind(answer["message"], answer["status"])
    raise kind(answer["message"])
