"""What a host says to an agent: `init`, `user_message`, the fields of its answers; and reading what
an agent says. Pure.

Names and titles are handed over as people chose them: the agent quotes them as mere labels. What
a message quotes is marked as a quotation here, since only the gateway knows that it is one.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic_core import from_json

from adapters.base import Inbound
from config.models import ModelSettings
from config.settings import Settings
from gateway.llm.errors import ModelError
from gateway.llm.provider import ChatCompletion, ChatRequest
from gateway.media.intake import NOTHING, Taken
from gateway.media.wording import label
from gateway.store.base import Message
from gateway.tools.tool import ToolSchema

MAX_QUOTED_CHARS = 2_000
MAX_LABEL_CHARS = 100
PROTOCOL = 2
SCHEDULED_HEAD = (
    "Nobody is writing now: carry out what was asked for when this was scheduled. What you answer "
    "is posted here; if nothing is worth posting, answer exactly [SILENT]."
)
FILES_HINT = (
    "To send a file, write a line with nothing but MEDIA: and its path in the chat's folder; to "
    "show a picture, ![a caption](its path or web address)."
)
QUOTATION_HEAD = "[In reply to this message, which is quoted for reference:]"

Line = dict[str, Any]
"""A protocol message, one JSON line."""


def heard(lines: Sequence[str]) -> list[Line]:
    """What an agent has said. Raises `ValueError` if that is not messages.

    A request for the model holds all its history, and is read in every step: hence the quickest
    reader at hand. What agents are fed is `agent_core.wire`'s to read.
    """
    messages = [from_json(line, allow_inf_nan=False) for line in lines]
    for message in messages:
        if not isinstance(message, dict) or not isinstance(message.get("type"), str):
            raise ValueError("a line of the agent is no message")
    return messages


def init_message(
    settings: Settings,
    message: Inbound,
    *,
    model: ModelSettings,
    session_id: str,
    history: Sequence[Message],
    todos: Sequence[Any],
    memory: str,
    user: str,
    tool_schemas: list[ToolSchema] | None,
    skills: Sequence[Line] = (),
    now: datetime,
    hint: str = "",
) -> Line:
    """All that an agent is told at its start, for the chat that this message comes from."""
    agent = settings.agent
    sampling = {
        "temperature": model.temperature,
        "top_p": model.top_p,
        "max_tokens": model.max_tokens,
        "identity": agent.identity,
    }
    address = message.address
    return {
        "type": "init",
        "protocol": PROTOCOL,
        "config": {
            "protocol": PROTOCOL,
            "session_id": session_id,
            "model": model.name,
            "max_iterations": agent.max_iterations,
            "context_length": model.context_length,
            "compress_threshold": agent.compress_threshold,
            "max_result_chars": agent.max_result_chars,
            "memory_limit_chars": agent.memory_limit_chars,
            "user_limit_chars": agent.user_limit_chars,
            "disabled_toolsets": list(agent.disabled_toolsets),
            "host_tool_schemas": tool_schemas,
            "platform": {
                "name": address.platform.capitalize(),
                "hint": f"{hint} {FILES_HINT}".strip(),
            },
            "chat": {
                "id": address.chat_id,
                "kind": address.kind.value,
                "title": message.chat_title or "",
            },
            "now": now.isoformat(timespec="seconds"),
            **{name: value for name, value in sampling.items() if value is not None},
        },
        "memory": memory,
        "user": user,
        "skills": list(skills),
        "history": list(history),
        "todos": list(todos),
    }


def tools_given(init: Line) -> frozenset[str]:
    """The names of the host's tools that an `init` tells of."""
    schemas = init["config"].get("host_tool_schemas") or ()
    return frozenset(schema["function"]["name"] for schema in schemas)


def user_message(message: Inbound, now: datetime, taken: Taken = NOTHING) -> Line:
    """A person's message as the agent gets it, or what the schedule says in a person's name.

    `taken` is what its attachments have become.
    """
    line = {
        "type": "user_message",
        "content": taken.content(content_of(message)),
        "sender": sender_of(message),
        "message_id": message.event_id,
        "now": now.isoformat(timespec="seconds"),
    }
    if message.context:
        line["context"] = [
            {"sender": {"name": one.sender.name}, "text": one.text} for one in message.context
        ]
    return line if message.scheduled is None else {**line, "may_be_silent": True}


def is_redo(lines: Sequence[Line]) -> bool:
    """Whether a turn begins by taking back the one before."""
    return len(lines) > 1 and lines[0]["type"] == "command"


def after_undoing(said: Sequence[Line]) -> list[Line]:
    """What an agent says in a turn that began so, without what it says of taking back."""
    ends = [place for place, line in enumerate(said) if line["type"] == "done"]
    return list(said[ends[0] + 1 :]) if ends else []


def command(name: str, **args: object) -> Line:
    """What a turn begins with that is to undo, to try again, to sum up (protocol.md, `command`)."""
    return {"type": "command", "name": name, "args": args}


UNDO_LAST: Line = command("undo", n=1)
"""Said before a message that was changed, in one step with it: what it was is taken back."""


def tool_result(call_id: str, name: str, content: str, *, is_error: bool) -> Line:
    """What became of a tool call."""
    return {
        "type": "tool_result",
        "tool_call_id": call_id,
        "name": name,
        "content": content,
        "is_error": is_error,
    }


def error_fields(error: ModelError) -> Line:
    """A failed model call in the protocol's words."""
    fields = {
        "code": error.code,
        "message": error.message,
        "status": error.status,
        "retry_after": error.retry_after_s,
        "retryable": error.retryable,
    }
    return {name: value for name, value in fields.items() if value is not None}


def summary_request(message: Line) -> ChatRequest:
    """The model call that a `compress_request` asks for."""
    system = {"role": "system", "content": message["instruction"]}
    request = {"messages": [system, *message["messages"]]}
    limit = message.get("max_tokens")
    return request if limit is None else {**request, "max_tokens": limit}


def text_of(completion: ChatCompletion) -> str:
    """What a model said; empty if it said nothing."""
    return completion["choices"][0]["message"].get("content") or ""


def sender_of(message: Inbound) -> Line:
    """Who wrote, as the agent is told."""
    return {"id": message.sender.id, "name": message.sender.name}


def content_of(message: Inbound) -> str:
    """What was written, with what it quotes; or what was scheduled, with what that is."""
    if message.scheduled is not None:
        return f"[Scheduled: {message.scheduled}. {SCHEDULED_HEAD}]\n\n{message.text}"
    text = message.text
    if message.forwarded_from is not None:
        origin = label(message.forwarded_from)
        text = f"[Forwarded, from {origin}: not the sender's own words.]\n{quoted(text)}"
    if not message.quoted_text:
        return text
    cited = message.quoted_text
    if len(cited) > MAX_QUOTED_CHARS:
        cited = cited[: MAX_QUOTED_CHARS - 1] + "…"
    return f"{QUOTATION_HEAD}\n{quoted(cited)}\n\n{text}"


def quoted(text: str) -> str:
    """A text of somebody else's. Every line is marked, whatever a platform takes for a line's end:
    none can step out."""
    return "\n".join(f"> {line}" for line in text.splitlines())
