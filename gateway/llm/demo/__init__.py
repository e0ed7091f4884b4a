"""The `demo` provider: a model that needs no key, so that everything around it can be tried.

It answers by rules and says so. This file makes completions and streams them; what is said is
decided in `rules.py`, from what `turn.py` reads out of a request.
"""

import asyncio
import json
import re
import secrets
from typing import Any

from gateway.llm.demo.rules import Reply, reply_to
from gateway.llm.demo.summary import is_summary_request, summarise
from gateway.llm.demo.turn import read_turn
from gateway.llm.provider import ChatCompletion, ChatRequest, TextSink

NOTICE = "*(Demo model: a few rules, no AI.)*"
CHARS_PER_TOKEN = 4
DELTA = re.compile(r"(?:\S+\s*|\s+){1,4}")


class DemoProvider:
    """A `Provider` that runs in the process. `delay_s` stands between two pieces of a text."""

    name = "demo"

    def __init__(self, *, delay_s: float = 0.02) -> None:
        self._delay_s = delay_s

    async def complete(self, request: ChatRequest, on_text: TextSink) -> ChatCompletion:
        """Answer by the rules; never fails."""
        reply = answer(request)
        for delta in DELTA.findall(reply.text):
            on_text(delta)
            await asyncio.sleep(self._delay_s)
        return completion(request, reply)

    async def close(self) -> None:
        """There is nothing to close."""


def answer(request: ChatRequest) -> Reply:
    """What the demo says to a request. Pure."""
    if is_summary_request(request):
        return Reply(summarise(request))
    reply = reply_to(read_turn(request))
    if reply.calls:
        return reply
    return Reply(f"{reply.text}\n\n{NOTICE}")


def completion(request: ChatRequest, reply: Reply) -> ChatCompletion:
    """A reply in the shape of the API, with plausible counts."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{secrets.token_hex(8)}",
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": json.dumps(call.arguments, ensure_ascii=False),
                },
            }
            for call in reply.calls
        ]
    prompt = tokens([request.get("messages"), request.get("tools")])
    written = tokens(message)
    return {
        "id": f"chatcmpl-demo-{secrets.token_hex(8)}",
        "object": "chat.completion",
        "model": request.get("model") or "demo",
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": "tool_calls" if reply.calls else "stop",
            }
        ],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": written,
            "total_tokens": prompt + written,
        },
    }


def tokens(value: object) -> int:
    """About as many tokens as a real model would count."""
    return max(1, len(json.dumps(value, ensure_ascii=False)) // CHARS_PER_TOKEN)
