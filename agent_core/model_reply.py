"""What a model answered: a ChatCompletion, whatever its provider's habits, as one small value.

Never raises for odd shapes: what can't be read is absent, and the turn deals with absence. Tool
calls come out with an id each; their names and arguments are still what the model wrote.
"""

import json
from collections.abc import Container
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from agent_core.history import text_of
from agent_core.thinking import split_thinking
from agent_core.wire import Message

MAX_COUNT = 2**53  # of tokens; far above any truth, and still an integer to all JSON readers
_CALL_FIELDS = frozenset({"index", "id", "type", "function"})


@dataclass(frozen=True, slots=True)
class RawCall:
    """A tool call as the model wrote it."""

    id: str
    name: str
    arguments: str
    # Fields beside the standard ones that its provider wants back (Gemini's thought signatures).
    extra: Message = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """One answer of a model."""

    content: str = ""
    reasoning: str = ""
    calls: tuple[RawCall, ...] = ()
    finish_reason: str = ""
    usage: dict[str, int] | None = None
    error: str | None = None  # the provider's error object, where an answer should have been

    @property
    def is_cut_off(self) -> bool:
        """Whether the model stopped at its output limit."""
        return self.finish_reason == "length"


def read_reply(response: object) -> ModelReply:
    """Read a ChatCompletion object."""
    if not isinstance(response, dict):
        return ModelReply(error="the answer is not an object")
    if response.get("error"):
        return ModelReply(error=_error_text(response["error"]))
    choices = response.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return ModelReply(usage=_usage(response.get("usage")))
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    content, thought = split_thinking(text_of(message.get("content")))
    if not content.strip() and isinstance(message.get("refusal"), str):
        content = message["refusal"]
    said = [message.get("reasoning_content"), message.get("reasoning"), thought]
    return ModelReply(
        content=content,
        reasoning=next((text for text in said if isinstance(text, str) and text), ""),
        calls=_calls(message),
        finish_reason=str(choice.get("finish_reason") or ""),
        usage=_usage(response.get("usage")),
    )


def free_id(wanted: str, taken: Container[str]) -> str:
    """The id itself, or one made of it that is not taken."""
    numbered = (f"{wanted}_{number}" for number in count(2))
    return wanted if wanted not in taken else next(i for i in numbered if i not in taken)


def _calls(message: Message) -> tuple[RawCall, ...]:
    written = message.get("tool_calls")
    written = list(written) if isinstance(written, list) else []
    if isinstance(message.get("function_call"), dict) and not written:
        written.append({"function": message["function_call"]})
    calls: list[RawCall] = []
    taken: set[str] = set()
    for number, call in enumerate(written, 1):
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            continue
        name = function.get("name")
        call_id = call.get("id") if isinstance(call.get("id"), str) else ""
        call_id = free_id(call_id or f"call_{number}", taken)
        taken.add(call_id)
        calls.append(
            RawCall(
                call_id,
                name if isinstance(name, str) else "",
                _text(function.get("arguments")),
                {key: value for key, value in call.items() if key not in _CALL_FIELDS},
            )
        )
    return tuple(calls)


def _text(arguments: object) -> str:
    if isinstance(arguments, str):
        return arguments
    return "{}" if arguments is None else json.dumps(arguments, ensure_ascii=False)


def _usage(usage: Any) -> dict[str, int] | None:  # noqa: ANN401 - any JSON
    """The provider's token counts; None if it gave none."""
    if not isinstance(usage, dict):
        return None
    prompt = _count(usage.get("prompt_tokens"))
    completion = _count(usage.get("completion_tokens"))
    total = _count(usage.get("total_tokens")) or prompt + completion
    if not total:
        return None
    prompt_details = usage.get("prompt_tokens_details")
    completion_details = usage.get("completion_tokens_details")
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": total,
        "cached_tokens": _detail(prompt_details, "cached_tokens"),
        "reasoning_tokens": _detail(completion_details, "reasoning_tokens"),
    }


def _detail(details: object, name: str) -> int:
    return _count(details.get(name)) if isinstance(details, dict) else 0


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return min(max(int(value), 0), MAX_COUNT)


def _error_text(error: object) -> str:
    text = error.get("message") if isinstance(error, dict) else error
    return str(text)[:500]
