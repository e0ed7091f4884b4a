"""The rules of a history once more, written without looking at the agent's own way to check them.

Every provider refuses some of what breaks them. `faults` is for a history as it is stored,
`request_faults` for the messages of a model request.
"""

from collections.abc import Sequence
from typing import Any

Message = dict[str, Any]


def faults(messages: Sequence[Message]) -> list[str]:
    """What a provider could refuse in these messages; empty if nothing."""
    found = []
    if messages and messages[0].get("role") != "user":
        found.append(f"begins with {messages[0].get('role')}")
    awaited: list[str] = []  # results that must come next
    previous = ""
    for number, message in enumerate(messages):
        role = message.get("role")
        if role not in ("user", "assistant", "tool"):
            found.append(f"{number}: role {role!r}")
        if role == "tool":
            if not awaited or awaited[0] != message.get("tool_call_id"):
                found.append(f"{number}: a result nobody waits for")
            awaited = awaited[1:]
            if not isinstance(message.get("content"), str):
                found.append(f"{number}: a result that is no text")
        elif awaited:
            found.append(f"{number}: results of {awaited} are missing")
            awaited = []
        if role in ("user", "assistant") and role == previous:
            found.append(f"{number}: two messages of {role}")
        if role == "user" and not _says_something(message.get("content")):
            found.append(f"{number}: an empty message of the user")
        if role == "assistant":
            awaited = [call["id"] for call in message.get("tool_calls") or ()]
            found += [f"{number}: {fault}" for fault in _assistant_faults(message)]
        previous = str(role)
    return found + ([f"at the end, results of {awaited} are missing"] if awaited else [])


def request_faults(messages: Sequence[Message]) -> list[str]:
    """The same for a request: a system prompt, then what ends with the user's or a tool's turn."""
    found = faults(messages[1:])
    if messages[0].get("role") != "system" or not messages[0].get("content"):
        found.append("no system prompt")
    if messages[-1].get("role") not in ("user", "tool"):
        found.append("ends with a message of the assistant")
    return found


def _assistant_faults(message: Message) -> list[str]:
    calls = message.get("tool_calls")
    content = message.get("content")
    found = []
    if content is not None and not (isinstance(content, str) and content.strip()):
        found.append("a blank text of the assistant")
    if calls is None:
        return found if content is not None else [*found, "neither text nor calls"]
    if not calls:
        found.append("an empty list of calls")
    ids = [call["id"] for call in calls]
    if len(set(ids)) < len(ids):
        found.append(f"the same id twice: {ids}")
    for call in calls:
        function = call["function"]
        if call.get("type") != "function" or not call["id"] or not function["name"]:
            found.append(f"an incomplete call {call}")
        if not isinstance(function["arguments"], str):
            found.append("arguments that are no text")
    return found


def _says_something(content: object) -> bool:
    if isinstance(content, str):
        return bool(content.strip())
    if not isinstance(content, list) or not content:
        return False
    return all(
        part.get("image_url") if part["type"] == "image_url" else part.get("text", "").strip()
        for part in content
    )
