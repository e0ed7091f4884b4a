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

from pydantic import BaseModel, ConfigDict

from config.web import WebSettings
from gateway.reading.source import Text
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


_KINDS: dict[str, type[WebError]] = {kind.__name__: kind for kind in WebError.__subclasses__()}


@dataclass(frozen=True, slots=True)
class Page:
    """A page as text."""

    url: str  # where it is in the end
    text: Text


class _Answer(BaseModel):
    """Nothing is taken for what it should be: a number is no text."""

    model_config = ConfigDict(strict=True)


class Got(_Answer):
    """What came with a file."""

    url: str
    media_type: str
    charset: str | None


class _Numbered(_Answer):
    id: int


class _PageAnswer(_Answer):
    url: str
    title: str
    text: str
    is_cut: bool


class _Checked(_Answer):
    url: str


class _Refusal(_Answer):
    error: str
    message: str
    status: int | None = None


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
    """The page in such an answer. Raises `ValueError` if there is none."""
    found = _PageAnswer.model_validate(answer)
    return Page(found.url, Text(found.title, found.text, found.is_cut))


def got_of(answer: Line) -> Got:
    """What is answered to `get`. Raises `ValueError`."""
    return Got.model_validate(answer)


def checked_of(answer: Line) -> str:
    """The address in an answer to `check`. Raises `ValueError`."""
    return _Checked.model_validate(answer).url


def answer_of(line: bytes) -> tuple[int, Line]:
    """An answer, and to which request it is one. Raises `ValueError`.

    Whoever wrote it deals with hostile servers: what it says is believed as little as they are.
    """
    try:
        answer = json.loads(line)
    except RecursionError as error:
        raise ValueError("too deep") from error
    return _Numbered.model_validate(answer).id, answer


def refusal_line(error: WebError) -> Line:
    """What is answered if something went wrong."""
    refusal: Line = {"error": type(error).__name__, "message": str(error)}
    if isinstance(error, BadAnswer):
        refusal["status"] = error.status
    return refusal


def raise_refusal(answer: Line) -> None:
    """Raise the `WebError` that is in an answer, if one is; `ValueError` if it is none of them."""
    if "error" not in answer:
        return
    refusal = _Refusal.model_validate(answer)
    kind = _KINDS.get(refusal.error)
    if kind is None:
        raise ValueError("there is no such error")
    if issubclass(kind, BadAnswer):
        raise kind(refusal.message, refusal.status)
    raise kind(refusal.message)
