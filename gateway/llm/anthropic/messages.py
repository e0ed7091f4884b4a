"""A conversation in OpenAI's shape → the messages of the Messages API. Pure.

There, user and assistant alternate and the user begins; results of tools are blocks of the user's
message right behind the calls, before anything else in it; nothing is empty. Whatever order comes
in, that comes out.

A model's thinking is signed, and has to be sent back with the tool calls that it led to. Between
the calls it travels as the field `anthropic` of the first call (`kept_thinking`), which agents keep
like any field they don't know.
"""

import json
from typing import Any

from gateway.llm.anthropic.images import image_block
from gateway.llm.anthropic.names import fitting, free_id

Block = dict[str, Any]
Message = dict[str, Any]

KEPT = "anthropic"
THINKING = frozenset({"thinking", "redacted_thinking"})
BEGINNING = "(The conversation began earlier.)"
GO_ON = "(Please go on.)"
NO_RESULT = "(There is no result.)"


def kept_thinking(model: str, blocks: list[Block]) -> dict[str, Any]:
    """The field of a tool call that keeps the thinking before it."""
    return {KEPT: {"model": model, "thinking": blocks}}


def may_think(messages: list[Message]) -> bool:
    """Whether the model can think in this call, given its messages with all thinking in them.

    Not in the middle of a turn that began without: another model began it, or its thinking is lost.
    The API wants a turn's tool calls to begin with thinking, or all without.
    """
    first: Block | None = None  # of the turn that is under way
    for message in messages:
        block = message["content"][0]
        if message["role"] == "assistant":
            first = first or block
        elif block["type"] != "tool_result":
            first = None
    return first is None or first["type"] in THINKING


def to_messages(messages: list[Message], model: str, *, with_thinking: bool) -> list[Message]:
    """The messages. Thinking of this model is sent back if it may think in this call."""
    conversation = _Conversation()
    for message in messages:
        role = message.get("role")
        if role == "assistant":
            thinking = _thinking(message, model) if with_thinking else []
            conversation.add_answer(message, thinking)
        elif role == "tool":
            conversation.add_result(str(message.get("tool_call_id")), _content(message))
        else:
            conversation.add("user", _content(message))
    return conversation.finish()


class _Conversation:
    """The messages so far, always in an order that the API takes but for open calls."""

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._ids: set[str] = set()
        self._open: dict[str, str] = {}  # calls without result: their id → their id here

    def add(self, role: str, blocks: list[Block]) -> None:
        """Add blocks to the last message, if it has this role, or as a message."""
        if not blocks:
            return
        if role == "user":
            blocks = self._close_calls() + blocks
        elif self._open:
            self.add("user", self._close_calls())
        if self._messages and self._messages[-1]["role"] == role:
            self._messages[-1]["content"] += blocks
            return
        if not self._messages and role == "assistant":
            self._messages.append({"role": "user", "content": [_text(BEGINNING)]})
        self._messages.append({"role": role, "content": blocks})

    def add_answer(self, message: Message, thinking: list[Block]) -> None:
        """Add what the model said and called."""
        calls = [(call, call["function"]) for call in message.get("tool_calls") or ()]
        said = _content(message)
        opened: dict[str, str] = {}
        for call, function in calls:
            opened[str(call.get("id"))] = own = free_id(str(call.get("id")), self._ids)
            self._ids.add(own)
            said.append(
                {
                    "type": "tool_use",
                    "id": own,
                    "name": fitting(str(function.get("name") or "")),
                    "input": _input(function.get("arguments")),
                }
            )
        if said:  # thinking alone is no message
            self.add("assistant", thinking + said)
            self._open |= opened

    def add_result(self, call_id: str, content: list[Block]) -> None:
        """Add the result of a call; one that nothing asked for is dropped."""
        own = self._open.pop(call_id, None)
        if own is None:
            return
        result: Block = {"type": "tool_result", "tool_use_id": own}
        blocks = [result | ({"content": content} if content else {})]
        if self._messages[-1]["role"] == "user":
            self._messages[-1]["content"] += blocks
        else:
            self._messages.append({"role": "user", "content": blocks})

    def finish(self) -> list[Message]:
        """All messages; the last one is the user's."""
        self.add("user", self._close_calls())
        if not self._messages or self._messages[-1]["role"] == "assistant":
            self.add("user", [_text(GO_ON)])
        return self._messages

    def _close_calls(self) -> list[Block]:
        results: list[Block] = [
            {"type": "tool_result", "tool_use_id": own, "content": NO_RESULT, "is_error": True}
            for own in self._open.values()
        ]
        self._open.clear()
        return results


def _content(message: Message) -> list[Block]:
    """The blocks of a message's content; blank text is none (it is refused)."""
    content = message.get("content")
    if isinstance(content, str):
        return [_text(content)] if content.strip() else []
    blocks: list[Block] = []
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict):
            continue
        if part.get("type") == "image_url":
            blocks.append(image_block(part))
        elif isinstance(text := part.get("text"), str) and text.strip():
            blocks.append(_text(text))
    return blocks


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _input(arguments: object) -> dict[str, Any]:
    """A call's arguments as an object: what was no JSON had an error as its result anyway."""
    try:
        value = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _thinking(message: Message, model: str) -> list[Block]:
    """The thinking of this model that led to a message's calls. Another's is worth nothing to it:
    the signature is the model's own."""
    for call in message.get("tool_calls") or ():
        kept = call.get(KEPT)
        if isinstance(kept, dict) and kept.get("model") == model:
            blocks = kept.get("thinking")
            return [dict(block) for block in blocks] if isinstance(blocks, list) else []
    return []
