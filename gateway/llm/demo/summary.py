"""The demo's answer when the gateway asks for a summary of a conversation that grew too long.

It extracts: the beginnings of what was said. A real model would write one.
"""

import re

from gateway.llm.demo.turn import text_of
from gateway.llm.provider import ChatRequest

SAID = re.compile(r"(?P<role>User|Assistant): (?P<text>.+)")
LINE_CHARS = 120
DEFAULT_MAX_TOKENS = 500
CHARS_PER_TOKEN = 4
SHARE = 3  # the summary is at most one part in so many of what it sums up


def is_summary_request(request: ChatRequest) -> bool:
    """No tools, and the word in the instruction, which is the first or the last message."""
    messages = request.get("messages") or [{}]
    told = f"{text_of(messages[0])}\n{text_of(messages[-1])}"
    return not request.get("tools") and re.search(r"\bsummar", told, re.IGNORECASE) is not None


def summarise(request: ChatRequest) -> str:
    """An extract under two headings, within the tokens that the request allows."""
    lines = [line for message in request["messages"][:-1] for line in text_of(message).split("\n")]
    said = [match for line in lines if (match := SAID.fullmatch(line.strip()))]
    budget = min(
        (request.get("max_tokens") or DEFAULT_MAX_TOKENS) * CHARS_PER_TOKEN,
        max(LINE_CHARS, sum(map(len, lines)) // SHARE),
    )
    wanted = _extract([m["text"] for m in said if m["role"] == "User"], budget // 2)
    done = _extract([m["text"] for m in said if m["role"] == "Assistant"], budget // 2)
    return f"## What the user wants\n{wanted}\n\n## Done so far\n{done}"


def _extract(texts: list[str], budget: int) -> str:
    """The latest lines that fit, in their order."""
    kept: list[str] = []
    for text in reversed(texts):
        line = f"- {text}" if len(text) <= LINE_CHARS else f"- {text[: LINE_CHARS - 1]}…"
        budget -= len(line) + 1
        if budget < 0 and kept:
            break
        kept.append(line)
    return "\n".join(reversed(kept)) or "- Nothing was said."
