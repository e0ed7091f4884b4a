"""Puts a streamed answer of the Messages API together. Sans-IO: events in, text for the person
and, at the end, one OpenAI-shaped `ChatCompletion` out.

https://docs.claude.com/en/docs/build-with-claude/streaming
"""

import json
from collections.abc import Mapping
from typing import Any

from gateway.llm import failures
from gateway.llm.anthropic.messages import THINKING, Block, kept_thinking
from gateway.llm.failures import CUT, EMPTY
from gateway.llm.provider import ChatCompletion
from gateway.llm.think import ThinkFilter

FINISH_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}
# The delta's type → the field that it carries a piece of.
DELTAS = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "input_json_delta": "partial_json",
}
# The field → the type of its block, for servers that don't say where one begins.
BLOCKS = {
    "text": "text",
    "thinking": "thinking",
    "signature": "thinking",
    "partial_json": "tool_use",
}


class Assembler:
    """One answer being received. `model` is the one that was asked."""

    def __init__(self, model: str, secret: str = "") -> None:
        self._model = model
        self._secret = secret
        self._head: dict[str, Any] = {}
        self._blocks: dict[object, Block] = {}  # by their index, in the order in which they began
        self._usage: dict[str, Any] = {}
        self._stop_reason: str | None = None
        self._is_done = False
        self._thoughts = ThinkFilter()

    @property
    def is_begun(self) -> bool:
        """Something of an answer has come."""
        return bool(self._head or self._blocks)

    @property
    def is_finished(self) -> bool:
        """The model said why it stopped, or the server that this is all."""
        return self._is_done or self._stop_reason is not None

    @property
    def is_done(self) -> bool:
        """The server said that this is all."""
        return self._is_done

    def feed(self, chunk: Mapping[str, Any]) -> str:
        """Take an event, or a whole message; returns the text that it adds for the person.

        Raises `ModelError` if it is an error.
        """
        if chunk.get("error"):
            raise failures.object_error(chunk["error"], self._secret)
        match chunk.get("type"):
            case "message_start":
                self._begin(_mapping(chunk.get("message")))
            case "message":
                return self._whole(chunk)
            case "content_block_start":
                return self._begin_block(chunk.get("index"), _mapping(chunk.get("content_block")))
            case "content_block_delta":
                return self._grow_block(chunk.get("index"), _mapping(chunk.get("delta")))
            case "message_delta":
                self._note_end(_mapping(chunk.get("delta")), _mapping(chunk.get("usage")))
            case "message_stop":
                self._is_done = True
            case _:  # ping, content_block_stop, and what is yet to be invented
                pass
        return ""

    def mark_done(self) -> None:
        """The server said that this is all: it was no stream."""
        self._is_done = True

    def finish(self) -> tuple[str, ChatCompletion]:
        """The answer has ended: the text for the person that was still held back, and all of it.

        Raises `ModelError` (bad_response) if it broke off, or if there is nothing in it.
        """
        if not self.is_begun:
            raise failures.unusable(EMPTY)
        if not self.is_finished:
            raise failures.unusable(CUT, f"{len(self._blocks)} blocks came")
        return self._thoughts.flush(), self._completion()

    def _begin(self, message: Mapping[str, Any]) -> None:
        self._head = {key: message[key] for key in ("id", "model") if message.get(key)}
        self._head.setdefault("id", "")
        self._note_end(message, _mapping(message.get("usage")))

    def _whole(self, message: Mapping[str, Any]) -> str:
        self._begin(message)
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        return "".join(
            self._begin_block(index, block)
            for index, block in enumerate(blocks)
            if isinstance(block, dict)
        )

    def _begin_block(self, index: object, start: Mapping[str, Any]) -> str:
        block: Block = {**start, "partial_json": ""}
        self._blocks[len(self._blocks) if index is None else index] = block
        return self._shown(block, block.get("text"))

    def _grow_block(self, index: object, delta: Mapping[str, Any]) -> str:
        field = DELTAS.get(str(delta.get("type")))
        piece = delta.get(field) if field else None
        if field is None or not isinstance(piece, str):
            return ""
        if index is None and self._blocks:
            index = next(reversed(self._blocks))
        if index not in self._blocks:
            self._begin_block(index := index or 0, {"type": BLOCKS[field]})
        block = self._blocks[index]
        block[field] = (block.get(field) or "") + piece
        return self._shown(block, piece) if field == "text" else ""

    def _shown(self, block: Block, piece: object) -> str:
        is_text = block.get("type") == "text" and isinstance(piece, str)
        return self._thoughts.feed(str(piece)) if is_text and piece else ""

    def _note_end(self, delta: Mapping[str, Any], usage: Mapping[str, Any]) -> None:
        if isinstance(reason := delta.get("stop_reason"), str) and reason:
            self._stop_reason = reason
        # Each count is the whole so far; those that are left out are as they were.
        self._usage |= {name: count for name, count in usage.items() if count is not None}

    def _completion(self) -> ChatCompletion:
        blocks = list(self._blocks.values())
        text = "".join(b.get("text") or "" for b in blocks if b.get("type") == "text")
        thinking = [_without_json(block) for block in blocks if block.get("type") in THINKING]
        calls = [_call(block) for block in blocks if block.get("type") == "tool_use"]
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        if thought := "\n\n".join(b["thinking"] for b in thinking if b.get("thinking")):
            message["reasoning_content"] = thought
        if calls:
            message["tool_calls"] = calls
            if thinking:
                calls[0] |= kept_thinking(self._model, thinking)
        reason = FINISH_REASONS.get(self._stop_reason or "", "stop")
        if self._stop_reason is None and calls:
            reason = "tool_calls"
        completion: ChatCompletion = {
            **self._head,
            "object": "chat.completion",
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        }
        if self._usage:
            completion["usage"] = _usage(self._usage)
        return completion


def _call(block: Block) -> dict[str, Any]:
    written = block["partial_json"]
    if not written.strip():  # no arguments, or a server that sends them all at once
        written = json.dumps(block.get("input") or {}, ensure_ascii=False)
    return {
        "id": str(block.get("id") or ""),
        "type": "function",
        "function": {"name": str(block.get("name") or ""), "arguments": written},
    }


def _without_json(block: Block) -> Block:
    return {name: value for name, value in block.items() if name != "partial_json"}


def _usage(counts: Mapping[str, Any]) -> dict[str, Any]:
    """The counts in OpenAI's sense, where what is read from a cache is a part of the prompt."""
    read, written, plain, output = (
        _count(counts.get(name))
        for name in (
            "cache_read_input_tokens",
            "cache_creation_input_tokens",
            "input_tokens",
            "output_tokens",
        )
    )
    prompt = plain + read + written
    thinking = _count(_mapping(counts.get("output_tokens_details")).get("thinking_tokens"))
    return {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "prompt_tokens_details": {"cached_tokens": read, "cache_creation_tokens": written},
        "completion_tokens_details": {"reasoning_tokens": thinking},
    }


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
