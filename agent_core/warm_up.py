"""A conversation that goes once through the agent, so that a snapshot is taken after first uses.

What Python builds lazily (compiled patterns, caches, code paths' constants) is then in the image
that all agents share, instead of in the memory of each.
"""

import json
from typing import Any


def _line(kind: str, **fields: object) -> bytes:
    return json.dumps({"type": kind, **fields}, ensure_ascii=False).encode()


def _call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _reply(content: str | None, *calls: dict[str, Any], finish: str = "stop") -> dict[str, Any]:
    message = {"role": "assistant", "content": content, "tool_calls": list(calls) or None}
    usage = {"prompt_tokens": 900, "completion_tokens": 9, "total_tokens": 909}
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage}


_TOOL = {
    "type": "function",
    "function": {
        "name": "look_up",
        "description": "Looks something up.",
        "parameters": {
            "type": "object",
            "properties": {"what": {"type": "string", "minLength": 1}, "n": {"type": "integer"}},
            "required": ["what"],
        },
    },
}
_CONFIG = {
    "model": "warm-up",
    "protocol": 2,
    "session_id": "warm-up",
    "context_length": 4_000,
    "now": "2026-01-31T10:00:00+01:00",
    "platform": {"name": "telegram", "hint": "Markdown is shown."},
    "chat": {"id": "1", "kind": "group", "title": "Grüße 👋"},
    "host_tool_schemas": [_TOOL],
}
_MEMORY = '{"action": "add", "target": "user", "content": "The cat is called Luna."}'
_TODOS = '{"todos": [{"id": "1", "content": "Plan", "status": "in_progress"}]}'
_QUESTION = '{"question": "Which one?", "choices": ["This", "That"]}'
_HISTORY = [
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "Hello! 你好"},
    {"role": "user", "content": "long " * 400},
    {"role": "assistant", "content": "long " * 400},
]

LINES: tuple[bytes, ...] = (
    b"no JSON",
    _line("init", config=_CONFIG, history=_HISTORY, memory="A note.\n§\nAnother.", user="Anna."),
    _line(
        "user_message", content="Grüß dich!", sender={"id": "7", "name": "Ann"}, now="2026-02-01"
    ),
    _line(
        "api_response",
        request_id="r1",
        response=_reply(
            "<think>Hm.</think>Let me see.",
            _call("a", "memory", _MEMORY),
            _call("b", "todo", _TODOS),
            _call("c", "clarify", _QUESTION),
            _call("d", "LookUp", '{"what": "x", "n": "1",}'),
            _call("e", "nothing_like_it", "{}"),
        ),
    ),
    _line("clarify_response", clarify_id="q1", content="This", outcome="answered"),
    _line("tool_result", tool_call_id="d", name="look_up", content="found " * 100),
    _line("steer", content="Be quick."),
    _line("api_response", response=_reply("Done, *mostly*.")),
    _line("api_response", response=_reply("Quickly done.")),
    _line("user_message", content="more " * 2_000),
    _line("compress_response", summary="They spoke."),
    _line("error", code="unavailable", message="The model is away."),
    _line("command", name="undo"),
    _line("interrupt"),
    _line("shutdown"),
)
