"""Makes an agent's request, which is OpenAI's, into one of the Messages API. Pure.

The system prompt stands apart there, and so do tools; the conversation is `messages.py`'s business.
Cache breakpoints go to the system prompt and to the last three messages: what is the same in the
next call is then read from the provider's cache (four breakpoints are allowed).
"""

from collections.abc import Collection, Iterator
from typing import Any

from config.models import ModelSettings
from gateway.llm.anthropic.messages import Block, may_think, to_messages
from gateway.llm.anthropic.names import fitting
from gateway.llm.anthropic.quirks import apply_quirks
from gateway.llm.provider import ChatRequest
from gateway.llm.request import Body

DEFAULT_MAX_TOKENS = 8_192  # the API wants a number; the agent asks on where an answer is cut
CACHED_MESSAGES = 3
CACHE_MARK = {"type": "ephemeral"}
SYSTEM_ROLES = frozenset({"system", "developer"})

TOOL_CHOICES: dict[str, dict[str, str]] = {
    "auto": {"type": "auto"},
    "required": {"type": "any"},
    "none": {"type": "none"},
}


def to_body(request: ChatRequest, settings: ModelSettings, quirks: Collection[str] = ()) -> Body:
    """The JSON body of a call: streamed, with cache breakpoints."""
    model = request.get("model") or settings.name
    system, conversation = _split(request.get("messages") or [])
    thinking_tokens = settings.thinking_tokens
    messages = to_messages(conversation, model, with_thinking=thinking_tokens is not None)
    thinks = thinking_tokens is not None and may_think(messages)
    if not thinks:
        messages = to_messages(conversation, model, with_thinking=False)
    body: Body = {
        "model": model,
        "max_tokens": request.get("max_tokens") or settings.max_tokens or DEFAULT_MAX_TOKENS,
        "stream": True,
        "messages": messages,
    }
    if system.strip():
        body["system"] = [{"type": "text", "text": system, "cache_control": CACHE_MARK}]
    body |= _tools(request, messages)
    if thinks and thinking_tokens is not None:
        body["thinking"] = {"type": "enabled", "budget_tokens": thinking_tokens}
        body["max_tokens"] += thinking_tokens
    else:  # a model that thinks chooses its words by itself
        body |= _sampling(request)
    if stop := request.get("stop"):
        body["stop_sequences"] = [stop] if isinstance(stop, str) else list(stop)
    for message in messages[-CACHED_MESSAGES:]:
        message["content"][-1]["cache_control"] = CACHE_MARK
    apply_quirks(body, quirks)
    return body


def _split(messages: list[dict[str, Any]]) -> tuple[str, list[dict[str, Any]]]:
    """The system prompt, and the rest."""
    count = next(
        (n for n, message in enumerate(messages) if message.get("role") not in SYSTEM_ROLES),
        len(messages),
    )
    return "\n\n".join(_texts(messages[:count])), messages[count:]


def _texts(messages: list[dict[str, Any]]) -> Iterator[str]:
    for message in messages:
        content = message.get("content")
        if isinstance(content, str):
            yield content
        for part in content if isinstance(content, list) else ():
            if isinstance(part, dict) and isinstance(part.get("text"), str):
                yield part["text"]


def _tools(request: ChatRequest, messages: list[dict[str, Any]]) -> Body:
    tools = [
        {
            "name": fitting(tool["function"]["name"]),
            "description": tool["function"].get("description") or "",
            "input_schema": tool["function"].get("parameters") or {"type": "object"},
        }
        for tool in request.get("tools") or ()
    ]
    if not tools:
        # A conversation in which tools were used is refused without them; none may be used now.
        names = dict.fromkeys(block["name"] for block in _blocks(messages, "tool_use"))
        tools = [{"name": name, "input_schema": {"type": "object"}} for name in names]
        return {"tools": tools, "tool_choice": TOOL_CHOICES["none"]} if tools else {}
    choice = request.get("tool_choice") or "auto"
    if isinstance(choice, dict):
        named = {"type": "tool", "name": fitting(choice["function"]["name"])}
        return {"tools": tools, "tool_choice": named}
    return {"tools": tools, "tool_choice": TOOL_CHOICES[choice]}


def _blocks(messages: list[dict[str, Any]], kind: str) -> Iterator[Block]:
    return (b for message in messages for b in message["content"] if b["type"] == kind)


def _sampling(request: ChatRequest) -> Body:
    chosen: Body = {}
    if (temperature := request.get("temperature")) is not None:
        chosen["temperature"] = min(temperature, 1)  # OpenAI's goes up to 2
    if (top_p := request.get("top_p")) is not None:
        chosen["top_p"] = top_p
    return chosen
