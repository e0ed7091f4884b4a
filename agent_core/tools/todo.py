"""The todo tool: the task list of a session. Forgiving about how a model writes a list."""

from itertools import count
from typing import Any

from agent_core.wire import load

MAX_ITEMS = 256
MAX_CONTENT_CHARS = 4_000
CUT_OFF = "… [cut off]"
STATUSES = ("pending", "in_progress", "completed", "cancelled")
OPEN = ("pending", "in_progress")
_MARKS = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]", "cancelled": "[-]"}

Item = dict[str, str]

SCHEMA: dict[str, Any] = {
    "name": "todo",
    "description": (
        "The task list of this conversation. Use it for work of three or more steps, or when the "
        "person gives you several things to do. Call it without todos to read the list. Keep one "
        "item in_progress at a time and mark items as soon as they are done."
    ),
    "parameters": {
        "type": "object",
        "properties": {
            "todos": {
                "type": "array",
                "maxItems": MAX_ITEMS,
                "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string"},
                        "content": {"type": "string"},
                        "status": {"type": "string", "enum": list(STATUSES)},
                    },
                    "required": ["id", "content", "status"],
                },
            },
            "merge": {
                "type": "boolean",
                "description": "true: change and add items by id; false: this is the new list.",
            },
        },
    },
}


def change_todos(arguments: dict[str, Any], todos: list[Item]) -> tuple[dict[str, Any], list[Item]]:
    """Carry out one call; returns the answer for the model and the list as it now is."""
    given = arguments.get("todos")
    if given is None:
        return _answer(todos), todos
    if isinstance(given, str):
        given = _read_list(given)
    if isinstance(given, dict):
        given = [given]
    if not isinstance(given, list):
        return {"success": False, "error": "todos must be a list of items."}, todos
    changed = _merged(todos, given) if _is_merge(arguments) else read_todos(given)
    return _answer(changed), changed


def read_todos(given: list[Any]) -> list[Item]:
    """A list of items from whatever was given, in order; of equal ids the last one counts."""
    items: dict[str, Item] = {}
    all_fields = [i if isinstance(i, dict) else {"content": i} for i in given[:MAX_ITEMS]]
    taken = {_as_text(fields.get("id")) for fields in all_fields}
    numbers = (str(number) for number in count(1) if str(number) not in taken)
    for fields in all_fields:
        item_id = _as_text(fields.get("id")) or next(numbers)
        items[item_id] = {
            "id": item_id,
            "content": _content(fields) or "(no description)",
            "status": _status(fields),
        }
    return list(items.values())


def open_todos(todos: list[Item]) -> str:
    """The tasks that are still to be done, a line each; empty if there are none."""
    return "\n".join(
        f"- {_MARKS[item['status']]} {item['id']}. {item['content']}"
        for item in todos
        if item["status"] in OPEN
    )


def _is_merge(arguments: dict[str, Any]) -> bool:
    return _as_text(arguments.get("merge")).lower() == "true" or arguments.get("merge") is True


def _merged(todos: list[Item], given: list[Any]) -> list[Item]:
    items = {item["id"]: item for item in todos}
    for fields in given:
        if not isinstance(fields, dict) or not _as_text(fields.get("id")):
            continue
        item_id = _as_text(fields["id"])
        before = items.get(item_id)
        if before is None:
            items[item_id] = read_todos([fields])[0]
            continue
        items[item_id] = {
            "id": item_id,
            "content": _content(fields) or before["content"],
            "status": _status(fields) if fields.get("status") else before["status"],
        }
    return list(items.values())[:MAX_ITEMS]


def _answer(todos: list[Item]) -> dict[str, Any]:
    counts = dict.fromkeys(STATUSES, 0)
    for item in todos:
        counts[item["status"]] += 1
    return {"todos": todos, "count": len(todos), "summary": {"total": len(todos), **counts}}


def _read_list(text: str) -> object:
    """A list that came as JSON text, or as plain lines."""
    try:
        return load(text)
    except ValueError:
        return [line.strip(" -*\t") for line in text.splitlines() if line.strip(" -*\t")]


def _content(fields: dict[str, Any]) -> str:
    content = next(
        (_as_text(fields[n]) for n in ("content", "text", "title", "task") if fields.get(n)), ""
    )
    if len(content) > MAX_CONTENT_CHARS:
        return content[: MAX_CONTENT_CHARS - len(CUT_OFF)] + CUT_OFF
    return content


def _status(fields: dict[str, Any]) -> str:
    status = _as_text(fields.get("status")).lower().replace("-", "_").replace(" ", "_")
    status = {"done": "completed", "canceled": "cancelled"}.get(status, status)
    return status if status in STATUSES else "pending"


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    return "" if value is None or isinstance(value, bool | dict | list) else str(value)
