"""Reads a request: what the person said last, what tools have answered since, what is noted.

It knows how the agent writes its prompt and its messages; what to say is `rules.py`'s business.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gateway.llm.provider import ChatRequest

Json = dict[str, Any]

# What the agent writes above a person's words: a date, the sender, chat lines seen before.
PREAMBLE = re.compile(
    r"\s*(?:\[(?:It is now|from|Scheduled|Seen in the chat|Said while)\b.*\]|> .*)\s*"
)
NOTES_TITLE = re.compile(r"## (?P<title>.+?) \(\d+% .*\)")


@dataclass(frozen=True, slots=True)
class Note:
    """An entry of the memory."""

    target: str  # memory or user
    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answered."""

    name: str
    arguments: Json
    content: Json

    @property
    def error(self) -> str | None:
        """What went wrong, if something did."""
        error = self.content.get("error")
        return str(error) if error or self.content.get("success") is False else None


@dataclass(frozen=True, slots=True)
class Turn:
    """Where the conversation stands."""

    text: str
    tools: frozenset[str]
    results: tuple[Result, ...]  # since the person's last words
    notes: tuple[Note, ...]


def read_turn(request: ChatRequest) -> Turn:
    """Read a request of the agent."""
    messages: list[Json] = request.get("messages", [])
    asked = max((i for i, m in enumerate(messages) if m.get("role") == "user"), default=-1)
    return Turn(
        text=_spoken(text_of(messages[asked])) if asked >= 0 else "",
        tools=frozenset(tool["function"]["name"] for tool in request.get("tools") or ()),
        results=tuple(_results(messages[asked + 1 :])),
        notes=tuple(_notes(messages)),
    )


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message, whose content may be a string, parts or nothing."""
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return str(content or "")


def _spoken(text: str) -> str:
    lines = text.split("\n")
    while len(lines) > 1 and PREAMBLE.fullmatch(lines[0]):
        del lines[0]
    return "\n".join(lines).strip()


def _results(messages: Sequence[Json]) -> Iterator[Result]:
    calls: dict[str, Json] = {}
    for message in messages:
        for call in message.get("tool_calls") or ():
            calls[call["id"]] = call["function"]
        if message.get("role") == "tool":
            function = calls.get(message.get("tool_call_id", ""), {})
            yield Result(
                name=str(function.get("name") or message.get("name") or ""),
                arguments=_object(function.get("arguments")),
                content=_object(text_of(message)),
            )


def _object(text: object) -> Json:
    try:
        value = json.loads(str(text))
    except ValueError:
        return {"text": str(text)}
    return value if isinstance(value, dict) else {"value": value}


def _notes(messages: Sequence[Json]) -> list[Note]:
    """The notes of the prompt, which are as of the session's start, and what was done to them."""
    notes = [
        note for m in messages if m.get("role") == "system" for note in _prompt_notes(text_of(m))
    ]
    for result in _results(messages):
        if result.name != "memory" or result.error:
            continue
        note = Note(str(result.arguments.get("target")), str(result.arguments.get("content")))
        old_text = str(result.arguments.get("old_text"))
        match result.arguments.get("action"):
            case "add" if note not in notes:
                notes.append(note)
            case "remove":
                notes = [n for n in notes if n.target != note.target or old_text not in n.text]
    return notes


def _prompt_notes(prompt: str) -> Iterator[Note]:
    """The entries below the prompt's headings: joined by a line with `§`, up to a blank line."""
    target = ""
    for line in prompt.split("\n"):
        if heading := NOTES_TITLE.fullmatch(line):
            target = "user" if "user" in heading["title"].lower() else "memory"
        elif not line.strip():
            target = ""
        elif target and line.strip() != "§":
            yield Note(target, line.strip())
