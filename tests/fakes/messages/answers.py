"""Answers of the Messages API: whole, and as the events of a stream."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tests.fakes.messages.rules import signature_of

Json = dict[str, Any]

USAGE = {
    "input_tokens": 20,
    "cache_creation_input_tokens": 100,
    "cache_read_input_tokens": 1_000,
    "output_tokens": 7,
}
PIECE_CHARS = 7


def make_message(
    text: str | None = None,
    tool_calls: Sequence[tuple[str, Json]] = (),
    *,
    thinking: str | None = None,
    redacted: str | None = None,
    stop_reason: str | None = None,
    usage: Json = USAGE,
    number: int = 1,
) -> Json:
    """A message as the API makes it; `number` makes ids differ."""
    content: list[Json] = []
    if thinking is not None:
        signature = signature_of(thinking)
        content.append({"type": "thinking", "thinking": thinking, "signature": signature})
    if redacted is not None:
        content.append({"type": "redacted_thinking", "data": redacted})
    if text is not None:
        content.append({"type": "text", "text": text})
    content += [
        {"type": "tool_use", "id": f"toolu_{number}_{n}", "name": name, "input": arguments}
        for n, (name, arguments) in enumerate(tool_calls, 1)
    ]
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "fake-model",
        "content": content,
        "stop_reason": stop_reason or ("tool_use" if tool_calls else "end_turn"),
        "stop_sequence": None,
        "usage": usage,
    }


def events(message: Json) -> Iterator[Json]:
    """A message as the events of a stream."""
    start = {**message, "content": [], "stop_reason": None}
    start["usage"] = {**message["usage"], "output_tokens": 1}
    yield {"type": "message_start", "message": start}
    for index, block in enumerate(message["content"]):
        empty, deltas = _parts(block)
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "ping"}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
        "usage": {"output_tokens": message["usage"]["output_tokens"]},
    }
    yield {"type": "message_stop"}


def encode(event: Json) -> bytes:
    """A server-sent event."""
    data = json.dumps(event, ensure_ascii=False)
    return f"event: {event['type']}\ndata: {data}\n\n".encode()


def _parts(block: Json) -> tuple[Json, list[Json]]:
    """What a block begins as, and the deltas that make it whole."""
    kind = block["type"]
    if kind == "text":
        deltas = [{"type": "text_delta", "text": piece} for piece in _cut(block["text"])]
        return {"type": "text", "text": ""}, deltas
    if kind == "thinking":
        deltas = [
            {"type": "thinking_delta", "thinking": piece} for piece in _cut(block["thinking"])
        ]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
        return {"type": "thinking", "thinking": "", "signature": ""}, deltas
    if kind == "tool_use":
        written = json.dumps(block["input"], ensure_ascii=False) if block["input"] else ""
        pieces = ["", *_cut(written)]
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
        return {**block, "input": {}}, deltas
    return block, []


def _cut(text: str) -> list[str]:
    return [text[i : i + PIECE_CHARS] for i in range(0, len(text), PIECE_CHARS)]
