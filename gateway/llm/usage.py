"""What a model call used and what that costs. Pure.

Counts are the provider's own where it gives any; else they are estimated as the agent does it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agent_core.tokens import estimate_messages, estimate_tools
from config.models import PriceSettings
from gateway.llm.provider import ChatCompletion, ChatRequest

MILLION = 1_000_000
MAX_COUNT = 2**53  # far above any truth
EXPECTED_ANSWER = 1_000  # tokens that an answer is expected to have where nothing limits it


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a call."""

    prompt: int = 0  # all that was read
    cached: int = 0  # of those: from a cache
    cache_written: int = 0  # of those: put into a cache
    completion: int = 0  # all that was written
    reasoning: int = 0  # of those: thinking

    @property
    def total(self) -> int:
        """Read and written."""
        return self.prompt + self.completion


def tokens_of(completion: ChatCompletion, request: ChatRequest) -> Tokens:
    """What an answer used: by its usage, or estimated if its server gives none."""
    usage = _mapping(completion.get("usage"))
    prompt, written = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    if not prompt + written:
        message = completion["choices"][0]["message"]
        return Tokens(prompt=estimate_prompt(request), completion=estimate_messages([message]))
    read = _mapping(usage.get("prompt_tokens_details"))
    return Tokens(
        prompt=prompt,
        cached=_count(read, "cached_tokens") or _count(usage, "prompt_cache_hit_tokens"),
        cache_written=_count(read, "cache_creation_tokens"),
        completion=written,
        reasoning=_count(_mapping(usage.get("completion_tokens_details")), "reasoning_tokens"),
    )


def expected(request: ChatRequest) -> Tokens:
    """What a call is expected to use, before it is made."""
    answer = request.get("max_tokens") or EXPECTED_ANSWER
    return Tokens(prompt=estimate_prompt(request), completion=min(answer, EXPECTED_ANSWER))


def estimate_prompt(request: ChatRequest) -> int:
    """The tokens of a request."""
    tools = estimate_tools(request.get("tools") or [])
    return estimate_messages(request.get("messages") or ()) + tools


def cost(tokens: Tokens, price: PriceSettings) -> float:
    """What they cost; 0 where there is no price."""
    cached = price.input if price.cached_input is None else price.cached_input
    writing = price.input if price.cache_write is None else price.cache_write
    plain = max(0, tokens.prompt - tokens.cached - tokens.cache_written)
    millionths = (
        plain * price.input
        + tokens.cached * cached
        + tokens.cache_written * writing
        + tokens.completion * price.output
    )
    return millionths / MILLION


def _count(counts: Mapping[str, Any], name: str) -> int:
    value = counts.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return 0
    return int(min(max(value, 0), MAX_COUNT))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
