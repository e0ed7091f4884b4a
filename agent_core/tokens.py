"""How many tokens a text will cost, roughly: what to go by until the provider has said."""

import json
import re
from collections.abc import Iterable
from typing import Any

from agent_core.wire import Message

CHARS_PER_TOKEN = 4
TOKENS_PER_MESSAGE = 4  # role and separators
TOKENS_PER_IMAGE = 1_500

# Scripts of which a tokenizer makes about one token a character: kana, CJK, Hangul.
_dense = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def estimate_text(text: str) -> int:
    """Tokens of a text."""
    dense = 0 if text.isascii() else len(_dense.findall(text))
    return dense + -(-(len(text) - dense) // CHARS_PER_TOKEN)


def estimate_message(message: Message) -> int:
    """Tokens of a message with its tool calls and pictures."""
    total = TOKENS_PER_MESSAGE + _estimate_content(message.get("content"))
    for call in message.get("tool_calls") or ():
        function = call["function"]
        total += TOKENS_PER_MESSAGE + estimate_text(function["name"] + function["arguments"])
    return total


def estimate_messages(messages: Iterable[Message]) -> int:
    """Tokens of a list of messages."""
    return sum(map(estimate_message, messages))


def estimate_tools(schemas: list[Any]) -> int:
    """Tokens of the tool schemas that go with a request."""
    return estimate_text(json.dumps(schemas, ensure_ascii=False)) if schemas else 0


def _estimate_content(content: object) -> int:
    if isinstance(content, str):
        return estimate_text(content)
    if not isinstance(content, list):
        return 0
    return sum(
        TOKENS_PER_IMAGE if part.get("type") == "image_url" else estimate_text(part.get("text", ""))
        for part in content
    )
