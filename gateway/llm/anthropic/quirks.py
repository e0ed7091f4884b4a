"""What servers of the Messages API refuse, and the request without it. Pure.

Models differ: the newer ones measure their thinking themselves and take no temperature, the older
ones write less. A refusal tells; the provider makes the call again and remembers.
"""

import re
from collections.abc import Collection

from gateway.llm.request import Body, Quirk

_FLAGS = re.IGNORECASE | re.DOTALL
_REFUSED = (
    r"unsupported|not supported|not support|deprecated|not permitted|extra inputs|unknown"
    r"|unrecognized|not allowed|may only|cannot"
)
_TOO_MANY_TOKENS = re.compile(r"max_tokens\W*:?\s*\d+\s*>\s*(\d+)")
MAX_TOKENS = "max_tokens="
LEAST_THINKING = 1_024  # tokens; less is refused


def _drop(name: str) -> Quirk:
    return Quirk(
        f"no_{name}",
        re.compile(rf"\b{name}\b.*(?:{_REFUSED})|(?:{_REFUSED}).*\b{name}\b", _FLAGS),
        lambda body: body.pop(name, None),
        lambda body: name in body,
    )


def _adapt_thinking(body: Body) -> None:
    if "thinking" in body:
        body["thinking"] = {"type": "adaptive"}


def _drop_cache_marks(body: Body) -> None:
    for holder in (body.get("system") or (), *(m["content"] for m in body["messages"])):
        for block in holder:
            block.pop("cache_control", None)


QUIRKS = (
    Quirk(
        "adaptive_thinking",
        re.compile(r"thinking\.type.*adaptive", _FLAGS),
        _adapt_thinking,
        lambda body: body.get("thinking", {}).get("type") == "enabled",
    ),
    # Before `temperature`: a refusal of both together names both, and one may stay.
    _drop("top_p"),
    _drop("temperature"),
    Quirk(
        "no_cache_control",
        re.compile(rf"cache_control.*(?:{_REFUSED})|(?:{_REFUSED}).*cache_control", _FLAGS),
        _drop_cache_marks,
        lambda body: "cache_control" in str(body),
    ),
    _drop("thinking"),
)


def find_quirk(text: str, body: Body) -> str | None:
    """The quirk that the text of a refusal tells about, if the request holds what was refused."""
    if (found := _TOO_MANY_TOKENS.search(text)) and 0 < int(found[1]) < body["max_tokens"]:
        return f"{MAX_TOKENS}{found[1]}"
    return next((q.name for q in QUIRKS if q.applies(body) and q.refusal.search(text)), None)


def apply_quirks(body: Body, quirks: Collection[str]) -> None:
    """Change a request so that it holds nothing that was refused before."""
    for quirk in QUIRKS:
        if quirk.name in quirks:
            quirk.change(body)
    limits = [int(name.removeprefix(MAX_TOKENS)) for name in quirks if name.startswith(MAX_TOKENS)]
    body["max_tokens"] = min([body["max_tokens"], *limits])
    thinking = body.get("thinking", {})
    if thinking.get("type") == "enabled":
        # Thinking is a part of the answer, and has to leave room for the rest.
        thinking["budget_tokens"] = min(thinking["budget_tokens"], body["max_tokens"] // 2)
        if thinking["budget_tokens"] < LEAST_THINKING:
            del body["thinking"]
