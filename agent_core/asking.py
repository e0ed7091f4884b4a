"""One request to the model and its answer, with what can go wrong in between.

Knows how a request is put together and that one that is too long may be sent again shortened.
What the answer means for the turn is decided there.
"""

import re
from collections.abc import Sequence
from typing import Any

from agent_core import history as rules
from agent_core.compression import compress
from agent_core.expecting import MODEL, Expected, Steps
from agent_core.model_reply import ModelReply, read_reply
from agent_core.session import Session
from agent_core.wire import Message

OVERFLOW = "context_overflow"
MAX_OVERFLOWS = 3  # in one request

# What a model's server says where the host gave no code. Level 1 hosts give none.
_overflow = re.compile(
    r"context[ _](?:length|window|size)|maximum context|too many tokens|prompt is too long",
    re.IGNORECASE,
)


class ModelFailed(Exception):
    """The model call failed for good."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def ask(
    session: Session,
    purpose: str,
    *,
    extra: Sequence[Message] = (),
    with_tools: bool = True,
    max_tokens: int | None = None,
) -> Steps[ModelReply]:
    """Ask the model; `extra` messages go with this request only. Raises `ModelFailed`."""
    for _ in range(MAX_OVERFLOWS + 1):
        answer = yield from _request(session, purpose, extra, with_tools, max_tokens)
        if answer["type"] == "api_response":
            return _read(session, answer["response"], is_whole=with_tools)
        code, message = _failure(answer)
        if code != OVERFLOW or not (yield from compress(session, is_forced=True)):
            raise ModelFailed(code, message)
    raise ModelFailed(code, message)


def _request(
    session: Session,
    purpose: str,
    extra: Sequence[Message],
    with_tools: bool,
    max_tokens: int | None,
) -> Steps[Message]:
    turn, settings = session.turn, session.settings
    turn.api_calls += 1
    request_id = session.next_id("r")
    kwargs: dict[str, Any] = {
        "model": settings.model,
        "messages": [
            {"role": "system", "content": session.prompt()},
            *_joined(_for_provider(session.history, settings.replay_reasoning), extra),
        ],
    }
    if with_tools and session.tool_schemas:
        kwargs |= {"tools": session.tool_schemas, "tool_choice": "auto"}
    optional = {
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "max_tokens": max_tokens or settings.max_tokens,
    }
    kwargs |= {name: value for name, value in optional.items() if value is not None}
    session.status(
        f"API call #{turn.api_calls}/{settings.max_iterations}"
        f" ({len(kwargs['messages'])} messages)",
        "model",
        call=turn.api_calls,
    )
    session.emit_for_level(
        "api_request", {"request_id": request_id, "purpose": purpose}, kwargs=kwargs
    )
    answer = yield (Expected(MODEL, request_id),)
    return answer.message


def _read(session: Session, response: object, *, is_whole: bool) -> ModelReply:
    """`is_whole`: the request was like the next one, so that its size says something of that."""
    reply = read_reply(response)
    if reply.error is not None:
        raise ModelFailed("bad_response", reply.error)
    if reply.usage is None:
        return reply
    usage = dict(reply.usage)
    known = {name: usage.pop(name) for name in ("prompt_tokens", "completion_tokens")}
    if is_whole and known["prompt_tokens"]:
        session.measure(known["prompt_tokens"], len(session.history))
    session.emit_for_level(
        "usage",
        {
            "cached_tokens": usage["cached_tokens"],
            "reasoning_tokens": usage["reasoning_tokens"],
            "context_tokens": usage["total_tokens"],
            "context_length": session.settings.context_length,
        },
        **known,
        total_tokens=usage["total_tokens"],
    )
    return reply


def _failure(answer: Message) -> tuple[str, str]:
    message = str(answer.get("message") or "the model could not be reached")
    code = answer.get("code")
    if not code:
        code = OVERFLOW if _overflow.search(message) else "unavailable"
    return str(code), message


def _joined(messages: list[Message], extra: Sequence[Message]) -> list[Message]:
    """Both, as roles that alternate."""
    if not (extra and messages and extra[0]["role"] == messages[-1]["role"] == "user"):
        return [*messages, *extra]
    content = rules.join_contents(messages[-1]["content"], extra[0]["content"])
    return [*messages[:-1], {**messages[-1], "content": content}, *extra[1:]]


def _for_provider(messages: list[Message], replay_reasoning: bool) -> list[Message]:
    """The history as it goes out: reasoning only to providers that want it back."""
    if replay_reasoning:
        return messages
    return [
        {k: v for k, v in m.items() if k != "reasoning_content"} if "reasoning_content" in m else m
        for m in messages
    ]
