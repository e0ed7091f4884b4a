"""Lines of protocol level 2, as a gateway would send them."""

import json
from typing import Any

NOW = "2026-01-01T12:00:00+00:00"


def init(session_id: str = "s", history: list[dict[str, Any]] | None = None) -> str:
    return json.dumps(
        {
            "type": "init",
            "protocol": 2,
            "config": {"protocol": 2, "session_id": session_id, "model": "m", "now": NOW},
            "history": history or [],
        }
    )


def user_message(content: str, message_id: str = "1") -> str:
    return json.dumps(
        {
            "type": "user_message",
            "content": content,
            "sender": {"id": "7", "name": "Ada"},
            "message_id": message_id,
            "now": NOW,
        }
    )


def api_response(request_id: str, content: str) -> str:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps(
        {"type": "api_response", "request_id": request_id, "response": {"choices": [choice]}}
    )


def of_type(lines: list[str], kind: str) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [json.loads(line) for line in lines]
    return [message for message in messages if message["type"] == kind]
