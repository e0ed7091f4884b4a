"""Scripted conversations of protocol level 2, as a gateway leads them with an agent."""

import json
from collections.abc import Sequence
from typing import Any

from gateway.runtime.base import Instance

NOW = "2026-01-01T12:00:00+00:00"

Message = dict[str, Any]

_LOOK_UP = {
    "type": "function",
    "function": {
        "name": "web_search",
        "description": "Searches the web and returns titles, addresses and excerpts of pages.",
        "parameters": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for."},
                "limit": {"type": "integer", "minimum": 1, "maximum": 20},
            },
            "required": ["query"],
        },
    },
}


def init(session_id: str = "s", history: Sequence[Message] = ()) -> str:
    """What a gateway tells a new agent."""
    config = {
        "protocol": 2,
        "session_id": session_id,
        "model": "gpt-4o",
        "now": NOW,
        "platform": {"name": "telegram", "hint": "Markdown is shown as formatted text."},
        "chat": {"id": session_id, "kind": "direct", "title": "Ada"},
        "host_tool_schemas": [_LOOK_UP],
    }
    return json.dumps(
        {
            "type": "init",
            "protocol": 2,
            "config": config,
            "memory": "The project ships on Friday.\n§\nTests run with pytest.",
            "user": "Likes short answers.\n§\nLives in Lisbon.",
            "history": list(history),
        }
    )


def user_message(content: str, message_id: str = "1") -> str:
    """A person's message in a direct chat."""
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
    """A model's answer without tool calls."""
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 900, "completion_tokens": 50, "total_tokens": 950}
    response = {"id": "r", "object": "chat.completion", "choices": [choice], "usage": usage}
    return json.dumps({"type": "api_response", "request_id": request_id, "response": response})


def past(messages: int, chars: int) -> list[Message]:
    """A history of that many messages, people and agent in turn, each of that many characters."""
    roles = ("user", "assistant")
    return [
        {"role": roles[number % 2], "content": text(chars, number)} for number in range(messages)
    ]


def text(chars: int, seed: int = 0) -> str:
    """Words, as a person or a model would write them."""
    words = ["rain", "fell", "on", "the", "old", "town", "while", "nobody", "looked", "out"]
    start = seed % len(words)
    line = " ".join(words[start:] + words[:start]) + f" {seed}. "
    return (line * (chars // len(line) + 1))[:chars]


def of_type(lines: Sequence[str], kind: str) -> list[Message]:
    """The messages of one type among the lines that an agent answered."""
    messages: list[Message] = [json.loads(line) for line in lines]
    return [message for message in messages if message["type"] == kind]


def ask(agent: Instance, content: str) -> str:
    """Send a person's message; the id of the model call that the agent then asks for."""
    answered = agent.step([user_message(content)])
    requests = of_type(answered, "api_request")
    assert len(requests) == 1, answered
    return str(requests[0]["request_id"])


def turn(agent: Instance, content: str, answer: str) -> None:
    """One message of a person, one model call, one answer, to the end."""
    answered = agent.step([api_response(ask(agent, content), answer)])
    assert len(of_type(answered, "done")) == 1, answered
