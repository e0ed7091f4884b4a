"""The memory tool: notes that outlive the session, one text per target.

A text is its entries joined by a line with `§`. Changes are all or nothing: what comes back is
either a new text or an error that tells the model what is there, so that it can mend its call.
This file knows neither where the texts are kept nor how they get into the prompt.
"""

import re
from dataclasses import dataclass
from typing import Any

from agent_core.injection import scan

DELIMITER = "\n§\n"
_delimiter = re.compile(r"(?:\A|\n)[ \t\r]*§[ \t\r]*(?=\n|\Z)")
PREVIEW_CHARS = 80
MAX_OVERFLOWS = 3  # in one turn; then the model has to leave it

SCHEMA: dict[str, Any] = {
    "name": "memory",
    "description": (
        "Keep short notes that you will see again in every later conversation. Target 'user' is "
        "for who the person is: name, preferences, habits. Target 'memory' is for everything else "
        "that will matter again: facts, decisions, how things are set up here. Save on your own "
        "when you learn something durable; leave out what only matters today. One fact per entry. "
        "The notes in your instructions are as of the start of the conversation; changes are "
        "saved at once but show there later."
    ),
    "parameters": {
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": ["add", "replace", "remove", "read"]},
            "target": {"type": "string", "enum": ["memory", "user"]},
            "content": {"type": "string", "description": "The entry, for add and replace."},
            "old_text": {
                "type": "string",
                "description": "A piece of the entry to replace or remove that no other entry has.",
            },
            "operations": {
                "type": "array",
                "description": "Several changes to the target at once; all are made, or none.",
                "items": {
                    "type": "object",
                    "properties": {
                        "action": {"type": "string", "enum": ["add", "replace", "remove"]},
                        "content": {"type": "string"},
                        "old_text": {"type": "string"},
                    },
                    "required": ["action"],
                },
            },
        },
        "required": ["target"],
    },
}

# Models call the same thing by other names.
_OLD_TEXT_NAMES = ("old_text", "match", "old_string")
_CONTENT_NAMES = ("content", "new_text", "new_string", "text")


@dataclass(frozen=True, slots=True)
class Change:
    """What a call did: the answer for the model, and the new text if there is one."""

    answer: dict[str, Any]
    text: str | None = None
    is_overflow: bool = False


class _Refused(Exception):
    def __init__(self, error: str, *, is_overflow: bool = False, **details: object) -> None:
        self.answer = {"success": False, "error": error, **details}
        self.is_overflow = is_overflow


def entries_of(text: str) -> list[str]:
    """The entries of a memory text: stripped, none empty, none twice."""
    return list(dict.fromkeys(e.strip() for e in _delimiter.split(text) if e.strip()))


def usage_of(text: str, limit: int) -> str:
    """How full a memory is, as the model and the prompt show it."""
    return f"{len(text) * 100 // limit}% ({len(text):,} of {limit:,} characters)"


def change_memory(
    arguments: dict[str, Any], *, text: str, limit: int, target: str, overflows: int = 0
) -> Change:
    """Carry out one call on a target's `text`; `overflows`: how often the turn hit the limit."""
    entries = entries_of(text)
    try:
        if arguments.get("action") == "read":
            return Change({"success": True, "target": target, **_contents(entries, limit)})
        operations = _operations(arguments)
        done = [_apply(entries, operation) for operation in operations]
        changed = DELIMITER.join(entries)
        if len(changed) > limit and len(changed) > len(text):
            raise _overflow(text, changed, limit, overflows)
    except _Refused as refused:
        answer = refused.answer
        if isinstance(arguments.get("operations"), list):
            answer["note"] = "None of the operations was carried out."
        return Change(answer, is_overflow=refused.is_overflow)
    return Change(
        {
            "success": True,
            "done": True,
            "target": target,
            "message": done[0] if len(done) == 1 else f"{len(done)} operations carried out.",
            "usage": usage_of(changed, limit),
            "entry_count": len(entries),
            "note": "This is saved and complete; don't do it again.",
        },
        changed,
    )


def _operations(arguments: dict[str, Any]) -> list[dict[str, Any]]:
    operations = arguments.get("operations")
    if operations is None:
        return [arguments]
    if not isinstance(operations, list) or not operations:
        raise _Refused("operations must be a list with at least one operation.")
    if not all(isinstance(operation, dict) for operation in operations):
        raise _Refused("Each operation must be an object with an action.")
    return operations


def _apply(entries: list[str], operation: dict[str, Any]) -> str:
    """Change `entries` in place and say what was done."""
    action = operation.get("action")
    if action == "add":
        return _add(entries, _content(operation))
    if action == "replace":
        content = _content(operation)
        index = _find(entries, operation)
        if content in entries and entries[index] != content:
            del entries[index]
            return "Entry replaced; another entry said the same already."
        entries[index] = content
        return "Entry replaced."
    if action == "remove":
        del entries[_find(entries, operation)]
        return "Entry removed."
    raise _Refused(f"action must be add, replace, remove or read, not {action!r}.")


def _add(entries: list[str], content: str) -> str:
    if content in entries:
        return "Nothing to add: there is such an entry already."
    entries.append(content)
    return "Entry added."


def _content(operation: dict[str, Any]) -> str:
    content = next((operation[n] for n in _CONTENT_NAMES if operation.get(n)), None)
    if not isinstance(content, str) or not content.strip():
        raise _Refused(f"{operation.get('action')} needs content: the text of the entry.")
    # A line that looks like the delimiter would make two entries of one.
    content = "\n".join(line for line in content.splitlines() if line.strip() != "§").strip()
    if not content:
        raise _Refused("content must be more than a delimiter.")
    found = scan(content)
    if found:
        raise _Refused(
            f"Not saved: the text contains {found}. Notes become part of your instructions, so "
            "they may only state facts."
        )
    return content


def _find(entries: list[str], operation: dict[str, Any]) -> int:
    """The index of the one entry that the operation means."""
    wanted = next((operation[n] for n in _OLD_TEXT_NAMES if operation.get(n)), None)
    if not isinstance(wanted, str) or not wanted.strip():
        raise _Refused(
            f"{operation['action']} needs old_text: a piece of the entry that is meant.",
            current_entries=list(entries),
        )
    wanted = wanted.strip()
    matches = [i for i, entry in enumerate(entries) if wanted in entry] or [
        i for i, entry in enumerate(entries) if wanted.casefold() in entry.casefold()
    ]
    exact = [i for i in matches if entries[i] == wanted]
    matches = exact or matches
    if not matches:
        raise _Refused(f"No entry contains {wanted[:80]!r}.", current_entries=list(entries))
    if len(matches) > 1:
        raise _Refused(
            f"{len(matches)} entries contain {wanted[:80]!r}; give a longer piece.",
            matches=[_preview(entries[i]) for i in matches],
        )
    return matches[0]


def _preview(entry: str) -> str:
    return entry if len(entry) <= PREVIEW_CHARS else entry[: PREVIEW_CHARS - 1] + "…"


def _contents(entries: list[str], limit: int) -> dict[str, Any]:
    return {
        "entries": list(entries),
        "entry_count": len(entries),
        "usage": usage_of(DELIMITER.join(entries), limit),
    }


def _overflow(text: str, changed: str, limit: int, overflows: int) -> _Refused:
    if overflows + 1 >= MAX_OVERFLOWS:
        return _Refused(
            f"The memory is full and {overflows + 1} attempts to fit this in have failed. Leave "
            "it for now and answer the user.",
            is_overflow=True,
            done=True,
        )
    return _Refused(
        f"This would make {len(changed):,} characters; {limit:,} fit. Shorten or remove other "
        "entries first, all in one call with operations.",
        is_overflow=True,
        usage=usage_of(text, limit),
        current_entries=entries_of(text),
    )
