"""A message ↔ the columns that keep it. Pure.

The JSON column is the truth; role and text stand beside it to be searched and counted.
"""

import json
from dataclasses import dataclass
from typing import Any

from gateway.store.base import Message
from gateway.store.errors import StoreError


@dataclass(frozen=True, slots=True)
class MessageRow:
    """What is kept of one message."""

    role: str
    text: str
    message: str  # JSON


def storable(text: str) -> str:
    """The text with half surrogates replaced: SQLite keeps UTF-8, which can't hold them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def to_row(message: Message) -> MessageRow:
    """The columns of a message. Raises `StoreError` if it can't be written as JSON."""
    try:
        written = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        if not written.isascii() and storable(written) != written:
            # A model can split a character in two; escaped, the halves survive.
            written = json.dumps(message, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"A message can't be written as JSON: {error}") from error
    role = message.get("role")
    return MessageRow(
        role=storable(role) if isinstance(role, str) else "",
        text=storable(readable(message.get("content"))),
        message=written,
    )


def from_row(written: str) -> Message:
    """The message. Raises `ValueError` if what is stored is not one."""
    message = json.loads(written)
    if not isinstance(message, dict):
        raise TypeError("not an object")
    return message


def readable(content: Any) -> str:  # noqa: ANN401 - whatever a model sent
    """The text of a message's content: a string, or a list of parts of which some are text."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))
