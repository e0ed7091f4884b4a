"""Makes an agent's request into what a server takes. Pure.

Servers differ in what they refuse. `QUIRKS` is the table of differences that a refusal tells us
about: the provider makes the call again without what was refused, and remembers.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gateway.llm.provider import ChatRequest

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Quirk:
    """Something that a server refuses: how its refusal reads, and the request without it."""

    name: str
    refusal: re.Pattern[str]
    change: Callable[[Body], None]
    applies: Callable[[Body], bool]


def _without(*fields: str) -> Callable[[Body], None]:
    def change(body: Body) -> None:
        for name in fields:
            body.pop(name, None)

    return change


def _rename_max_tokens(body: Body) -> None:
    if "max_tokens" in body:
        body["max_completion_tokens"] = body.pop("max_tokens")


def _unstreamed(body: Body) -> None:
    body.pop("stream_options", None)
    body["stream"] = False


def _drop_reasoning(body: Body) -> None:
    body["messages"] = [
        {key: value for key, value in message.items() if key not in REASONING_FIELDS}
        for message in body["messages"]
    ]


def _is_image(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") == "image_url"


def _is_large_image(part: object) -> bool:
    return _is_image(part) and len(str(part)) > LARGE_IMAGE_CHARS


def _images(
    is_meant: Callable[[object], bool],
) -> tuple[Callable[[Body], None], Callable[[Body], bool]]:
    """Putting words in the place of images, and whether there are any."""

    def change(body: Body) -> None:
        body["messages"] = without_images(body["messages"], is_meant)

    return change, lambda body: any(is_meant(p) for m in body["messages"] for p in _parts(m))


def without_images(
    messages: Sequence[Mapping[str, Any]], is_meant: Callable[[object], bool] = _is_image
) -> list[Any]:
    """The messages with words in the place of images."""
    return [
        {**m, "content": [NO_IMAGE if is_meant(part) else part for part in _parts(m)]}
        if isinstance(m.get("content"), list)
        else m
        for m in messages
    ]


def _parts(message: Mapping[str, Any]) -> list[Any]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _has(name: str) -> Callable[[Body], bool]:
    return lambda body: name in body


LARGE_IMAGE_CHARS = 4 * 1024 * 1024  # of base64: 3 MB
NO_IMAGE = {"type": "text", "text": "[An image was left out: the model does not take it.]"}

FOREIGN = frozenset({"anthropic"})
"""Fields of tool calls that another API's provider keeps there for itself."""

REASONING_FIELDS = frozenset({"reasoning", "reasoning_content", "reasoning_details"})

_FLAGS = re.IGNORECASE | re.DOTALL
_REFUSED = r"unsupported|not supported|unrecognized|unknown|not permitted|forbidden|not allowed"


def _refused(field: str) -> re.Pattern[str]:
    return re.compile(rf"{field}.*(?:{_REFUSED})|(?:{_REFUSED}).*{field}", _FLAGS)


QUIRKS = (
    Quirk(
        "no_stream_options",
        re.compile(r"stream_options|include_usage"),
        _without("stream_options"),
        _has("stream_options"),
    ),
    # OpenAI's reasoning models take neither max_tokens nor temperatures.
    Quirk(
        "max_completion_tokens",
        re.compile(r"max_completion_tokens"),
        _rename_max_tokens,
        _has("max_tokens"),
    ),
    Quirk("no_temperature", _refused("temperature"), _without("temperature"), _has("temperature")),
    Quirk("no_top_p", _refused("top_p"), _without("top_p"), _has("top_p")),
    Quirk(
        "no_reasoning_back",  # some models demand their reasoning back, others refuse it
        re.compile(
            rf"reasoning.*(?:extra|remove|should not|{_REFUSED})"
            rf"|(?:extra|remove|{_REFUSED}).*reasoning",
            _FLAGS,
        ),
        _drop_reasoning,
        lambda body: any(REASONING_FIELDS & message.keys() for message in body["messages"]),
    ),
    # A picture that a server refuses is in the history: it would refuse every later call, too.
    Quirk(
        "no_large_images",
        re.compile(r"image.{0,80}(?:too (?:large|big)|exceed|maximum|larger than)", _FLAGS),
        *_images(_is_large_image),
    ),
    Quirk(
        "no_images",
        re.compile(
            rf"image.{{0,80}}(?:{_REFUSED}|only supported|unknown variant)"
            rf"|(?:{_REFUSED}|does not support|unknown variant).{{0,80}}image",
            _FLAGS,
        ),
        *_images(_is_image),
    ),
    Quirk(
        "no_unknown_fields",  # strict, and silent about which field it means
        re.compile(
            r"extra (?:fields|inputs)|(?:unknown|unrecognized) (?:request )?"
            r"(?:field|parameter|argument)",
            _FLAGS,
        ),
        _without("stream_options"),
        _has("stream_options"),
    ),
    Quirk("no_stream", _refused(r"\bstream"), _unstreamed, lambda body: bool(body["stream"])),
)


def to_body(request: ChatRequest, model: str, quirks: Collection[str] = ()) -> Body:
    """The JSON body of a call: streamed, with usage; `model` if the request names none."""
    body: Body = {
        **{name: value for name, value in request.items() if value is not None},
        "model": request.get("model") or model,
        "messages": [_tidy(message) for message in request.get("messages", [])],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if not body.get("tools"):
        # `tools: []` is refused by OpenAI, and so is a choice among no tools.
        body.pop("tools", None)
        body.pop("tool_choice", None)
    for quirk in QUIRKS:
        if quirk.name in quirks:
            quirk.change(body)
    return body


def find_quirk(text: str, body: Body) -> str | None:
    """The quirk that the text of a refusal tells about, if the request holds what was refused."""
    return next((q.name for q in QUIRKS if q.applies(body) and q.refusal.search(text)), None)


def _tidy(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message without blank text: some servers refuse an empty part, some an empty string
    beside tool calls, and nearly all take `null` there (OpenAI's API reference)."""
    content = message.get("content")
    if isinstance(content, list):
        content = [part for part in content if not _is_blank(part)]
    if isinstance(content, str) and message.get("tool_calls") and not content.strip():
        content = None
    if not content:
        content = None if message.get("tool_calls") else ""
    tidy = {**message, "content": content}
    if calls := message.get("tool_calls"):
        tidy["tool_calls"] = [
            {name: value for name, value in call.items() if name not in FOREIGN} for call in calls
        ]
    return tidy


def _is_blank(part: object) -> bool:
    return (
        isinstance(part, dict)
        and part.get("type") == "text"
        and not str(part.get("text") or "").strip()
    )
