"""What the Messages API refuses: a request in, the text of the refusal out.

The order of messages and blocks is checked as strictly as the real API does, and in two places more
strictly (a user first, a user last), since some models are.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

Json = dict[str, Any]

FIELDS = frozenset(
    {
        "model", "max_tokens", "messages", "system", "tools", "tool_choice", "stream",
        "temperature", "top_p", "stop_sequences", "thinking", "metadata",
    }
)  # fmt: skip
ID = re.compile(r"[a-zA-Z0-9_-]+")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
MEDIA_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
MAX_IMAGE_BYTES = 5 * 1024 * 1024
MAX_MARKS = 4
THINKING = ("thinking", "redacted_thinking")


def signature_of(thinking: str) -> str:
    """The signature that the server gives to a thought, and knows again."""
    return f"signed-{len(thinking)}-{sum(map(ord, thinking))}"


def find_problem(body: Json) -> str | None:
    """The first thing that is wrong with a request; None if nothing is."""
    return next(_problems(body), None)


def _problems(body: Json) -> Iterator[str]:
    for name in body.keys() - FIELDS:
        yield f"{name}: Extra inputs are not permitted"
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "model: Field required"
    max_tokens = body.get("max_tokens")
    if not isinstance(max_tokens, int) or max_tokens < 1:
        yield "max_tokens: Field required"
    if not isinstance(messages := body.get("messages"), list) or not messages:
        yield "messages: at least one message is required"
        return
    yield from _sampling_problems(body)
    yield from _system_problems(body.get("system"))
    yield from _order_problems(messages)
    for n, message in enumerate(messages):
        yield from _content_problems(f"messages.{n}", message["content"])
    yield from _call_problems(messages)
    yield from _tool_problems(body)
    yield from _thinking_problems(body)
    marks = sum("cache_control" in block for block in _all_blocks(body))
    if marks > MAX_MARKS:
        yield f"A maximum of {MAX_MARKS} blocks with cache_control may be provided. Found {marks}."


def _sampling_problems(body: Json) -> Iterator[str]:
    temperature = body.get("temperature")
    if temperature is not None and not 0 <= temperature <= 1:
        yield "temperature: range: 0..1"
    thinking = body.get("thinking", {}).get("type", "disabled")
    if thinking != "disabled" and temperature not in (None, 1):
        yield "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode."


def _system_problems(system: Any) -> Iterator[str]:
    for block in system if isinstance(system, list) else ():
        if block.get("type") != "text" or not block["text"]:
            yield "system: text content blocks must be non-empty"


def _order_problems(messages: list[Json]) -> Iterator[str]:
    roles = [message.get("role") for message in messages]
    if set(roles) - {"user", "assistant"}:
        yield f"messages: Unexpected role {(set(roles) - {'user', 'assistant'}).pop()!r}."
    if roles[0] != "user":
        yield 'messages: first message must use the "user" role'
    for before, after in pairwise(roles):
        if before == after:
            yield (
                'messages: roles must alternate between "user" and "assistant", '
                f'but found multiple "{after}" roles in a row'
            )
    if roles[-1] != "user":
        yield "This model does not support assistant message prefill."


def _content_problems(where: str, content: Any) -> Iterator[str]:
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not content:
        yield f"{where}: all messages must have non-empty content"
    for block in content:
        kind = block.get("type")
        if kind == "text" and not block["text"]:
            yield f"{where}: text content blocks must be non-empty"
        elif kind == "text" and not block["text"].strip():
            yield f"{where}: text content blocks must contain non-whitespace text"
        elif kind == "image":
            yield from _image_problems(where, block["source"])
        elif kind == "tool_result" and isinstance(block.get("content"), list):
            yield from _content_problems(f"{where}.tool_result", block["content"])
        elif kind in THINKING and "cache_control" in block:
            yield f"{where}: cache_control cannot be set on thinking blocks"
        elif kind not in ("text", "tool_use", "tool_result", *THINKING):
            yield f"{where}: Input tag {kind!r} found"


def _image_problems(where: str, source: Json) -> Iterator[str]:
    if source["type"] == "base64":
        if source["media_type"] not in MEDIA_TYPES:
            yield f"{where}.image.source.media_type: Input should be one of {MEDIA_TYPES}"
        if len(source["data"]) * 3 // 4 > MAX_IMAGE_BYTES:
            yield f"{where}.image.source.base64: image exceeds 5 MB maximum"


def _call_problems(messages: list[Json]) -> Iterator[str]:
    seen: set[str] = set()
    open_ids: list[str] = []
    for n, message in enumerate(messages):
        blocks = message["content"] if isinstance(message["content"], list) else []
        results = [block for block in blocks if block["type"] == "tool_result"]
        if results != blocks[: len(results)]:
            yield f"messages.{n}: `tool_result` blocks must come first"
        for block in results:
            if block["tool_use_id"] not in open_ids:
                yield f"messages.{n}: unexpected `tool_use_id` found in `tool_result` blocks"
                return
            open_ids.remove(block["tool_use_id"])
        if open_ids:
            yield (
                f"messages.{n - 1}: `tool_use` ids were found without `tool_result` blocks "
                f"immediately after: {', '.join(open_ids)}."
            )
        for block in blocks:
            if block["type"] == "tool_use":
                yield from _use_problems(f"messages.{n}", block, seen)
                seen.add(block["id"])
                open_ids.append(block["id"])
    if open_ids:
        yield f"`tool_use` ids were found without `tool_result` blocks: {', '.join(open_ids)}."


def _use_problems(where: str, block: Json, seen: set[str]) -> Iterator[str]:
    if not ID.fullmatch(block["id"]):
        yield f"{where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
    if block["id"] in seen:
        yield f"{where}: `tool_use` ids must be unique"
    if not NAME.fullmatch(block["name"]):
        yield f"{where}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
    if not isinstance(block["input"], dict):
        yield f"{where}.tool_use.input: Input should be a valid dictionary"


def _tool_problems(body: Json) -> Iterator[str]:
    tools = body.get("tools")
    kinds = {block["type"] for block in _all_blocks(body)}
    if not tools and kinds & {"tool_use", "tool_result"}:
        yield "Requests which include `tool_use` or `tool_result` blocks must define tools"
    if not tools and "tool_choice" in body:
        yield "tool_choice may only be specified while providing tools"
    for tool in tools or ():
        if not NAME.fullmatch(tool["name"]):
            yield "tools.0.name: String should match pattern"
        if not isinstance(tool.get("input_schema"), dict) or "type" not in tool["input_schema"]:
            yield "tools.0.input_schema.type: Field required"


def _thinking_problems(body: Json) -> Iterator[str]:
    thinking = body.get("thinking", {"type": "disabled"})
    if thinking["type"] == "enabled":
        if thinking["budget_tokens"] < 1024:
            yield "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
        if thinking["budget_tokens"] >= body["max_tokens"]:
            yield "`max_tokens` must be greater than `thinking.budget_tokens`."
    for block in _all_blocks(body):
        if block["type"] == "thinking" and block["signature"] != signature_of(block["thinking"]):
            yield "Invalid `signature` in `thinking` block"
    if thinking["type"] == "disabled":
        return
    turn: list[Json] = []
    for message in body["messages"]:
        is_result = message["content"][0]["type"] == "tool_result"
        turn = [*turn, message] if message["role"] == "assistant" or is_result else []
    first = next((m["content"][0]["type"] for m in turn if m["role"] == "assistant"), None)
    if first is not None and first not in THINKING:
        yield f"Expected `thinking` or `redacted_thinking`, but found `{first}`."


def _all_blocks(body: Json) -> Iterator[Json]:
    system = body.get("system")
    yield from system if isinstance(system, list) else ()
    for message in body["messages"]:
        content = message["content"]
        yield from content if isinstance(content, list) else ()
