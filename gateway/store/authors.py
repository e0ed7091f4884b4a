"""Whose words are whose in a group's messages. Pure.

The agent puts `[from "NAME", id "ID"]` on a line before what each person wrote, and quotes whatever
looks like such a line in what they write themselves; so a line that begins like that is its own.
"""

import re
from typing import Any

from agent_core.prompts import label
from gateway.store.base import Message
from gateway.store.rows import readable

DELETED = "[deleted at the wish of who wrote it]"
_FROM = re.compile(r"\[from .*, id (?P<id>\"[^\"]*\")\]")


def mark_of(person_id: str) -> str:
    """What stands in every message in which a person wrote something."""
    return f", id {label(person_id)}]"


def written_by(text: str, person_id: str) -> str:
    """What a person wrote in a message; empty if nothing."""
    return "\n".join(
        line for line, owner in _owned(text) if owner == mark_of(person_id) and line
    ).strip()


def without(message: Message, person_id: str) -> Message | None:
    """The message without what a person wrote in it; None if they wrote nothing."""
    content: Any = message.get("content")
    mark = mark_of(person_id)
    if not any(owner == mark for _, owner in _owned(readable(content))):
        return None
    if not isinstance(content, str):  # with pictures, of which nobody knows whose they are
        return {**message, "content": DELETED}
    kept = [line for line, owner in _owned(content) if owner != mark]
    rest = "\n".join(kept).strip()
    return {**message, "content": f"{rest}\n{DELETED}" if rest else DELETED}


def _owned(text: str) -> list[tuple[str, str | None]]:
    """The lines of a text with the mark of who wrote them; None before the first name."""
    owner: str | None = None
    lines: list[tuple[str, str | None]] = []
    for line in text.split("\n"):
        if head := _FROM.fullmatch(line):
            owner = f", id {head['id']}]"
        lines.append((line, owner))
    return lines
