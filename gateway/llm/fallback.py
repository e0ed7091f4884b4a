"""Which model is asked next when one fails, and which is left alone for a while. Pure decisions,
and the little state that they need.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from config.models import ModelSettings
from gateway.llm.errors import ModelError
from gateway.llm.provider import ChatRequest, Provider
from gateway.llm.request import without_images

REST_S = 60.0  # a model that had too many requests gets none of ours for so long
LONGEST_REST_S = 3_600.0

# What another model may do better. A request that is too long or wrong would be so for all.
FALLS_THROUGH = frozenset(
    {"auth", "not_found", "rate_limited", "unavailable", "timeout", "bad_response"}
)


@dataclass(slots=True)
class Link:
    """One configured model, with its provider. `rests_until` is on the loop's clock."""

    settings: ModelSettings
    provider: Provider
    rests_until: float = 0.0


def order(links: Sequence[Link], now: float) -> list[Link]:
    """The links to try: those that don't rest; all of them if all do."""
    return [link for link in links if link.rests_until <= now] or list(links)


def falls_through(error: ModelError, *, is_summariser: bool = False) -> bool:
    """Whether the next model is asked.

    A summariser may be a small model: what is too long for it may not be so for the chat's own.
    """
    return error.code in FALLS_THROUGH or (is_summariser and error.code == "context_overflow")


def note_failure(link: Link, error: ModelError, now: float) -> None:
    """Let a link rest that had too many requests."""
    if error.code == "rate_limited":
        rest_s = min(max(REST_S, error.retry_after_s or 0), LONGEST_REST_S)
        link.rests_until = now + rest_s


def fitted(request: ChatRequest, asked: ModelSettings, own: ModelSettings) -> ChatRequest:
    """A request that was made for `asked` as it goes to `own`: its name, its way of choosing words.

    An answer's length that the agent itself asks for stays; pictures go only to who sees them.
    """
    if not own.sees_images:
        request = {**request, "messages": without_images(request.get("messages") or [])}
    if own is asked:
        return {**request, "model": own.name}
    kept = {k: v for k, v in request.items() if k not in ("temperature", "top_p")}
    if kept.get("max_tokens") == asked.max_tokens:
        kept.pop("max_tokens", None)
    chosen = {
        "temperature": own.temperature,
        "top_p": own.top_p,
        "max_tokens": kept.get("max_tokens") or own.max_tokens,
    }
    return {
        **kept,
        **{name: value for name, value in chosen.items() if value is not None},
        "model": own.name,
    }
