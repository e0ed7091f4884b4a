"""The protocol as data: every message type of both directions with the JSON Schema of its fields.

`docs/protocol.md` tells the story; this table is what is checked. Level 1 is the published
protocol, which a host gets that says nothing else; level 2 adds what a gateway needs. Fields that
are not listed are ignored, so that either side can be newer than the other.
"""

from typing import Any

from agent_core.schema import Schema, problems
from agent_core.wire import Message

AGENT_NAME = "hermes-pywasm"
__version__ = "0.1.0"
PROTOCOL_VERSION = 2


def _or_null(schema: Schema) -> Schema:
    """A field that may be null, which is the same as leaving it out."""
    if "enum" in schema:
        return {"enum": [*schema["enum"], None]}
    if "type" in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [*schema["anyOf"], {"type": "null"}]} if schema else schema


def _optional(**properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": {name: _or_null(schema) for name, schema in properties.items()},
    }


_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_LARGEST = 2**53  # up to here all JSON readers agree on an integer (RFC 8259, section 6)
_AT_LEAST_1: Schema = {"type": "integer", "minimum": 1, "maximum": _LARGEST}
_FLAG: Schema = {"type": "boolean"}
_OBJECT: Schema = {"type": "object"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_MESSAGES: Schema = {"type": "array", "items": {"type": "object", "required": ["role"]}}
_SENDER: Schema = _optional(id=_TEXT, name=_TEXT)
_SKILLS: Schema = {
    "type": "array",
    "items": {"type": "object", "required": ["name"], "properties": {"name": _TEXT}},
}
_CONTENT: Schema = {
    "anyOf": [
        _TEXT,
        {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["type"],
                "properties": {
                    "type": {"enum": ["text", "image_url"]},
                    "text": _TEXT,
                    "image_url": _OBJECT,
                },
            },
        },
    ]
}

CONFIG: Schema = _optional(
    model=_TEXT,
    max_iterations=_AT_LEAST_1,
    enabled_toolsets={"type": "array", "items": _TEXT},
    disabled_toolsets={"type": "array", "items": _TEXT},
    quiet_mode=_FLAG,
    system_prompt=_TEXT,
    temperature={"type": "number"},
    top_p={"type": "number"},
    max_tokens=_AT_LEAST_1,
    context_length=_AT_LEAST_1,
    compress_threshold={"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    host_tool_schemas={"type": "array", "items": _OBJECT},
    host_available_tools={"type": "array", "items": _TEXT},
    session_id=_TEXT,
    # level 2
    protocol={"type": "integer"},
    identity=_TEXT,
    platform=_optional(name=_TEXT, hint=_TEXT, limits={}),
    chat=_optional(id=_TEXT, kind=_TEXT, title=_TEXT),
    now=_TEXT,
    max_result_chars={"type": "integer", "minimum": 100, "maximum": _LARGEST},
    memory_limit_chars=_AT_LEAST_1,
    user_limit_chars=_AT_LEAST_1,
    replay_reasoning=_FLAG,
)


def _from_host(required: tuple[str, ...] = (), **properties: Schema) -> Schema:
    """A message of the host's, whose optional fields may be null."""
    fields = {
        name: schema if name in required else _or_null(schema)
        for name, schema in properties.items()
    }
    return {"type": "object", "required": ["type", *required], "properties": fields}


def _message(required: tuple[str, ...] = (), **properties: Schema) -> Schema:
    return {"type": "object", "required": ["type", *required], "properties": properties}


HOST_TO_AGENT: dict[str, Schema] = {
    "init": _from_host(
        config=CONFIG,
        protocol={"type": "integer"},
        memory=_TEXT,
        user=_TEXT,
        skills=_SKILLS,
        history=_MESSAGES,
        todos={"type": "array"},
    ),
    "user_message": _from_host(
        ("content",),
        content=_CONTENT,
        system_message=_TEXT,
        conversation_history={"type": "array", "items": _OBJECT},
        sender=_SENDER,
        message_id=_TEXT,
        now=_TEXT,
        context={"type": "array"},
        may_be_silent=_FLAG,  # level 2
    ),
    "api_response": _from_host(("response",), request_id=_TEXT, response={}),
    "error": _from_host(
        request_id=_TEXT,
        message={},
        code=_TEXT,
        status={"type": "integer"},
        retry_after={"type": "number"},
        retryable=_FLAG,
    ),
    "memory_data": _from_host(memory=_TEXT, user=_TEXT),
    "skills_data": _from_host(skills=_SKILLS),
    "tool_result": _from_host(
        ("tool_call_id", "content"), tool_call_id=_TEXT, name=_TEXT, content={}, is_error=_FLAG
    ),
    "clarify_response": _from_host(
        clarify_id=_TEXT,
        content=_TEXT,
        outcome={"enum": ["answered", "timeout", "undeliverable"]},
    ),
    "compress_response": _from_host(summary=_TEXT, request_id=_TEXT, error=_TEXT),
    "interrupt": _from_host(reason=_TEXT, partial=_TEXT),
    "steer": _from_host(("content",), content=_TEXT, sender=_SENDER),
    "command": _from_host(
        ("name",),
        name={"enum": ["undo", "retry", "compress", "reset"]},
        args={"type": "object"},
    ),
    "shutdown": _from_host(),
}

AGENT_TO_HOST: dict[str, Schema] = {
    "ready": _message(
        ("tools", "local_tools", "remote_tools", "interactive_tools", "session_id"),
        tools=_TEXTS,
        local_tools=_TEXTS,
        remote_tools=_TEXTS,
        interactive_tools=_TEXTS,
        session_id=_TEXT,
        protocol={"const": PROTOCOL_VERSION},
        agent={"type": "object", "required": ["name", "version"]},
    ),
    "request_memory": _message(),
    "request_skills": _message(),
    "api_request": _message(
        ("kwargs",),
        request_id=_TEXT,
        purpose={"enum": ["turn", "continue", "final_summary"]},
        kwargs={
            "type": "object",
            "required": ["model", "messages"],
            "properties": {"messages": _MESSAGES, "tools": {"type": "array", "minItems": 1}},
        },
    ),
    "tool_call": _message(("id", "name", "arguments"), id=_TEXT, name=_TEXT, arguments=_TEXT),
    "tool_response": _message(
        ("tool_call_id", "name", "content"), tool_call_id=_TEXT, name=_TEXT, content=_TEXT
    ),
    "clarify_request": _message(
        ("question", "choices"),
        question=_TEXT,
        choices={"type": ["array", "null"], "items": _TEXT, "minItems": 1, "maxItems": 4},
        clarify_id=_TEXT,
        tool_call_id=_TEXT,
    ),
    "compress_request": _message(
        ("messages", "instruction"),
        messages=_MESSAGES,
        instruction=_TEXT,
        request_id=_TEXT,
        max_tokens=_COUNT,
    ),
    "assistant_message": _message(("content",), content=_TEXT, final=_FLAG, message_id=_TEXT),
    "memory_update": _message(("memory", "user"), memory=_TEXT, user=_TEXT),
    "history": _message(
        ("op", "messages"),
        op={"enum": ["append", "replace", "truncate"]},
        messages=_MESSAGES,
        length=_COUNT,
    ),
    "usage": _message(
        ("prompt_tokens", "completion_tokens", "total_tokens"),
        prompt_tokens=_COUNT,
        completion_tokens=_COUNT,
        total_tokens=_COUNT,
        cached_tokens=_COUNT,
        reasoning_tokens=_COUNT,
        context_tokens=_COUNT,
        context_length=_COUNT,
    ),
    "status": _message(("message",), message=_TEXT, kind=_TEXT, detail=_OBJECT),
    "error": _message(("message",), message=_TEXT, code=_TEXT, fatal=_FLAG),
    "done": _message(
        ("result",),
        result={
            "type": "object",
            "required": [
                "final_response",
                "messages",
                "api_calls",
                "completed",
                "interrupted",
                "session_id",
            ],
            "properties": {
                "final_response": _TEXT,
                "messages": _MESSAGES,
                "api_calls": _COUNT,
                "completed": _FLAG,
                "interrupted": _FLAG,
                "session_id": _TEXT,
                "reason": {
                    "enum": ["answered", "silent", "interrupted", "max_iterations", "error"]
                },
                "error": {"type": "object", "required": ["code", "message"]},
            },
        },
    ),
}


class BadMessage(ValueError):
    """A message that breaks the protocol; `code` tells how, the text what is wrong."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


def check(message: Message) -> None:
    """Raise `BadMessage` unless this is a message that a host may send."""
    kind = message.get("type")
    schema = HOST_TO_AGENT.get(kind) if isinstance(kind, str) else None
    if schema is None:
        raise BadMessage("unknown_type", f"There is no message type {str(kind)[:60]!r}.")
    found = problems(message, schema)
    if found:
        raise BadMessage("bad_message", f"{kind}: {'; '.join(found[:3])}.")


def level_of(init: Message) -> int:
    """The protocol level that an `init` asks for: 1 for a host that knows nothing newer."""
    asked: Any = init.get("protocol") or (init.get("config") or {}).get("protocol") or 1
    return min(max(int(asked), 1), PROTOCOL_VERSION)
