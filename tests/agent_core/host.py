"""A host for tests: answers what an agent asks, in the order and the words that a test wants.

It keeps what a real host has to keep (the history, by the `history` messages; the memory) and sees
to it that each turn ends as the protocol says.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from agent_core import Agent
from tests.agent_core.soundness import faults, request_faults

Message = dict[str, Any]

ASKED_BY = {
    "api_request": "request_id",
    "compress_request": "request_id",
    "tool_call": "id",
    "clarify_request": "clarify_id",
    "request_memory": "",
    "request_skills": "",
}


@dataclass
class Host:
    """Feeds one agent and checks all that it says."""

    agent: Agent = field(default_factory=Agent)
    history: list[Message] = field(default_factory=list)
    memory: dict[str, str] = field(default_factory=dict)
    open: list[Message] = field(default_factory=list)  # requests without an answer yet
    fed: list[Message] = field(default_factory=list)
    said: list[Message] = field(default_factory=list)
    level: int = 1
    final_messages: int = 0  # since the last done

    def init(
        self, config: Message | None = None, *, level: int = 2, **fields: Any
    ) -> list[Message]:
        """Start the agent."""
        self.level = level
        self.history = list(fields.get("history") or [])
        self.memory = {name: fields.get(name) or "" for name in ("memory", "user")}
        extra = {"protocol": 2} if level == 2 else {}
        return self.feed({"type": "init", "config": config or {}, **extra, **fields})

    def feed(self, message: Message) -> list[Message]:
        """Give the agent a message; what it says is checked, kept and returned."""
        self.fed.append(message)
        said = self.agent.receive(message)
        for answer in said:
            # As a line, for that is what a host gets.
            self._take(json.loads(json.dumps(answer, allow_nan=False)))
        return said

    def answer(self, message: Message, which: int = 0) -> list[Message]:
        """Answer an open request; the right id is put in."""
        request = self.open.pop(which)
        field_name = ASKED_BY[request["type"]]
        if field_name and field_name in request:
            name = "tool_call_id" if field_name == "id" else field_name
            message = {**message, name: request[field_name]}
        return self.feed(message)

    def reply(self, content: Any = None, *calls: Message, **extra: Any) -> list[Message]:
        """Answer the open model request."""
        which = next(i for i, r in enumerate(self.open) if r["type"] == "api_request")
        return self.answer(model_reply(content, *calls, **extra), which)

    def _take(self, said: Message) -> None:
        self.said.append(said)
        kind = said["type"]
        if kind in ASKED_BY:
            self.open.append(said)
        if kind == "api_request":
            assert request_faults(said["kwargs"]["messages"]) == []
        if kind == "memory_update":
            self.memory = {"memory": said["memory"], "user": said["user"]}
        if kind == "history":
            self._store(said)
        if kind == "assistant_message" and said.get("final"):
            self.final_messages += 1
        if kind == "done":
            self._end_turn(said["result"])

    def _store(self, said: Message) -> None:
        if said["op"] == "append":
            self.history += said["messages"]
        elif said["op"] == "replace":
            self.history = list(said["messages"])
        else:
            del self.history[said["length"] :]
        assert faults(self.history) == []

    def _end_turn(self, result: Message) -> None:
        self.open.clear()
        if self.level == 2:
            expected = 0 if result["reason"] == "silent" else 1
            assert self.final_messages == expected, result
            self.final_messages = 0
        else:
            assert faults(result["messages"]) == []


def call(call_id: str, name: str, arguments: Any = "{}") -> Message:
    """A tool call as a provider gives it."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def model_reply(content: Any = None, *calls: Message, **extra: Any) -> Message:
    """An `api_response`."""
    finish = extra.pop("finish_reason", "tool_calls" if calls else "stop")
    message: Message = {"role": "assistant", "content": content, **extra.pop("message", {})}
    if calls:
        message["tool_calls"] = list(calls)
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"type": "api_response", "response": {"choices": [choice], **extra}}


def tool(name: str, **parameters: Any) -> Message:
    """A tool of the host's."""
    schema = {"type": "object", **parameters}
    return {"type": "function", "function": {"name": name, "parameters": schema}}


def kinds(said: list[Message]) -> list[str]:
    """The types of messages, for a look at what happened."""
    return [message["type"] for message in said if message["type"] != "status"]
