"""What a list of messages must look like so that no provider refuses it, and how to mend one.

The rules, for messages in the shape of the OpenAI chat API (the system prompt is not among them):

1. The first message is the user's.
2. Every tool call of an assistant message has exactly one result, right behind the message, in
   the order of the calls; there is no other tool message.
3. Between two messages of the assistant stands a message of the user or a tool result; two
   messages of the user never follow each other.
4. No message is empty: an assistant message has text or tool calls.

`mend` makes any list obey them and changes nothing in one that does.
"""

from collections.abc import Iterable
from typing import Any

from agent_core.wire import Message

MISSING_START = "[The beginning of this conversation is no longer here.]"
MISSING_RESULT = "[No result: the call was interrupted.]"


def mend(messages: Iterable[object]) -> list[Message]:
    """A list that obeys the rules and keeps all that can be kept of `messages`."""
    mended: list[Message] = []
    known = [m for m in messages if isinstance(m, dict)]
    index = 0
    while index < len(known):
        message = known[index]
        index += 1
        if message.get("role") == "user":
            _add_user(mended, message)
        elif message.get("role") == "assistant":
            calls = _sound_calls(message.get("tool_calls"))
            results: dict[str, Message] = {}
            while index < len(known) and known[index].get("role") == "tool":
                results.setdefault(str(known[index].get("tool_call_id")), known[index])
                index += 1
            _add_assistant(mended, message, calls, results)
    return mended


def groups(messages: list[Message]) -> list[list[Message]]:
    """The messages of a sound history, each assistant message together with its tool results."""
    grouped: list[list[Message]] = []
    for message in messages:
        if message["role"] == "tool":
            grouped[-1].append(message)
        else:
            grouped.append([message])
    return grouped


def text_of(content: object) -> str:
    """The text of a message's content, which is a string, a list of parts, or nothing."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [p.get("text") for p in content if isinstance(p, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return ""


def _add_user(mended: list[Message], message: Message) -> None:
    content = _sound_content(message.get("content"))
    if not content:
        return
    if mended and mended[-1]["role"] == "user":
        mended[-1] = {**mended[-1], "content": join_contents(mended[-1]["content"], content)}
    else:
        mended.append(
            message if message.get("content") == content else {**message, "content": content}
        )


def _add_assistant(
    mended: list[Message],
    message: Message,
    calls: list[Message],
    results: dict[str, Message],
) -> None:
    content = text_of(message.get("content"))
    if not content.strip():  # providers refuse a blank text beside calls too
        content = ""
    if not content and not calls:
        return
    if not mended:
        mended.append({"role": "user", "content": MISSING_START})
    sound = {**message, "content": content or None}
    sound.pop("tool_calls", None)
    if calls:
        sound["tool_calls"] = calls
    if mended[-1]["role"] == "assistant":
        before = mended.pop()["content"]
        sound["content"] = f"{before}\n\n{content}" if content else before
    mended.append(message if sound == message else sound)
    for call in calls:
        result = results.get(call["id"])
        mended.append(_sound_result(call, result))


def _sound_result(call: Message, result: Message | None) -> Message:
    content = MISSING_RESULT if result is None else result.get("content")
    if not isinstance(content, str):
        content = text_of(content)
    sound = {
        "role": "tool",
        "tool_call_id": call["id"],
        "name": call["function"]["name"],
        "content": content,
    }
    return result if result == sound and result is not None else sound


def _sound_calls(calls: object) -> list[Message]:
    """The calls that have an id of their own, a name and arguments that are a string."""
    if not isinstance(calls, list):
        return []
    sound: dict[str, Message] = {}
    for call in calls:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(call.get("id"), str):
            continue
        name, arguments = function.get("name"), function.get("arguments")
        if call["id"] and isinstance(name, str) and name and isinstance(arguments, str):
            is_typed = call.get("type") == "function"
            sound.setdefault(call["id"], call if is_typed else {**call, "type": "function"})
    return list(sound.values())


def _sound_content(content: object) -> str | list[Any]:
    if isinstance(content, str):
        return content if content.strip() else ""
    if not isinstance(content, list):
        return ""
    return [
        part
        for part in content
        if isinstance(part, dict)
        and (
            (part.get("type") == "text" and _is_text(part.get("text")))
            or (part.get("type") == "image_url" and part.get("image_url"))
        )
    ]


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def join_contents(first: str | list[Any], second: str | list[Any]) -> str | list[Any]:
    """Two contents one behind the other; a list of parts if either is one."""
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    as_parts = [
        [{"type": "text", "text": content}] if isinstance(content, str) else content
        for content in (first, second)
    ]
    return [*as_parts[0], *as_parts[1]]
