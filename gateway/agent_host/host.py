"""Answers what one agent asks for, until its turn is done. Speaks both protocol levels.

Knows nothing of gateways: no store but a folder of files, no delivery but a function that shows
text, no chats but the one.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import structlog

from gateway.agent_host.files import read_notes, read_skills, write_notes
from gateway.agent_host.process import AgentProcess
from gateway.chats.messages import Line, error_fields, summary_request, text_of
from gateway.chats.questions import typed_answer
from gateway.errors import GatewayError
from gateway.llm.errors import ModelError
from gateway.llm.provider import Provider

_log = structlog.get_logger()


class AgentRefused(GatewayError):
    """The agent said that it can't go on."""


@dataclass(slots=True)
class AgentHost:
    """One agent's host. `ask` shows a prompt and returns what the person says, if they do."""

    agent: AgentProcess
    provider: Provider
    model: str
    level: int
    folder: Path
    now: Callable[[], str]
    show: Callable[[str], None]
    ask: Callable[[str], Awaitable[str | None]]
    _shown: list[str] = field(default_factory=list)

    async def start(self) -> None:
        """Begin a session. Raises `AgentRefused` and `AgentEnded`."""
        config: Line = {"model": self.model, "session_id": "agent-host", "quiet_mode": True}
        init: Line = {"type": "init", "config": config}
        if self.level > 1:
            init["protocol"] = self.level
            config |= {"protocol": self.level, "now": self.now()}
            init |= await asyncio.to_thread(read_notes, self.folder)
            init["skills"] = await asyncio.to_thread(read_skills, self.folder)
        await self.agent.send(init)
        while (message := await self.agent.receive())["type"] != "ready":
            self._note(message)

    async def turn(self, text: str) -> Line:
        """Carry one message through; shows each text once, and returns the result of `done`.

        Cancelling it leaves the agent in mid-turn: interrupt it before. Raises `AgentRefused` and
        `AgentEnded`.
        """
        self._shown.clear()
        extra = {"now": self.now()} if self.level > 1 else {}
        await self.agent.send({"type": "user_message", "content": text, **extra})
        tasks: list[asyncio.Task[None]] = []
        async with asyncio.TaskGroup() as group:
            while (message := await self.agent.receive())["type"] != "done":
                effect = _EFFECTS.get(message["type"])
                if effect is None:
                    self._note(message)
                else:
                    tasks.append(group.create_task(effect(self, message)))
            for task in tasks:
                task.cancel()  # what the agent, having been interrupted, waits for no more
        result: Line = message["result"]
        if not self._shown and result.get("final_response"):
            self.show(result["final_response"])
        return result

    async def interrupt(self) -> None:
        """Stop the turn that runs; it ends by itself then."""
        await self.agent.send({"type": "interrupt", "reason": "user"})

    async def close(self) -> None:
        """Let the agent end by itself."""
        await self.agent.send({"type": "shutdown"})

    async def _call_model(self, message: Line) -> None:
        answered = _answering(message, "request_id")
        try:
            response = await self.provider.complete(message["kwargs"], lambda _: None)
        except ModelError as error:
            _log.warning("model call failed", code=error.code, detail=error.detail)
            await self.agent.send({"type": "error", **answered, **error_fields(error)})
        else:
            await self.agent.send({"type": "api_response", **answered, "response": response})

    async def _summarise(self, message: Line) -> None:
        answer = {"type": "compress_response", **_answering(message, "request_id")}
        try:
            request = summary_request(message)
            response = await self.provider.complete(request, lambda _: None)
        except ModelError as error:
            await self.agent.send({**answer, "summary": "", "error": error.message})
        else:
            await self.agent.send({**answer, "summary": text_of(response)})

    async def _give_memory(self, _: Line) -> None:
        notes = await asyncio.to_thread(read_notes, self.folder)
        await self.agent.send({"type": "memory_data", **notes})

    async def _give_skills(self, _: Line) -> None:
        skills = await asyncio.to_thread(read_skills, self.folder)
        await self.agent.send({"type": "skills_data", "skills": skills})

    async def _keep_memory(self, message: Line) -> None:
        await asyncio.to_thread(partial(write_notes, self.folder, message))

    async def _ask_person(self, message: Line) -> None:
        choices = tuple(message["choices"] or ())
        rows = [f"  {number}) {choice}" for number, choice in enumerate(choices, start=1)]
        self.show("\n".join([message["question"], *rows]))
        said = await self.ask("> ")
        content = "" if said is None else typed_answer(choices, said)
        answer = {"type": "clarify_response", "content": content}
        if self.level > 1:
            answer |= _answering(message, "clarify_id")
            answer["outcome"] = "undeliverable" if said is None else "answered"
        await self.agent.send(answer)

    async def _refuse_tool(self, message: Line) -> None:
        await self.agent.send(
            {
                "type": "tool_result",
                "tool_call_id": message["id"],
                "name": message["name"],
                "content": f"There is no tool named {message['name']!r} here.",
                "is_error": True,
            }
        )

    async def _show(self, message: Line) -> None:
        self._shown.append(message["content"])
        self.show(message["content"])

    def _note(self, message: Line) -> None:
        if message["type"] == "error":
            if message.get("fatal"):
                raise AgentRefused(f"the agent can't go on: {message['message']}")
            _log.warning("error from the agent", error=message["message"])
        else:
            _log.debug("agent", message=message)


def _answering(message: Line, name: str) -> Line:
    return {name: message[name]} if name in message else {}


_EFFECTS: dict[str, Callable[[AgentHost, Line], Coroutine[Any, Any, None]]] = {
    "api_request": AgentHost._call_model,
    "compress_request": AgentHost._summarise,
    "request_memory": AgentHost._give_memory,
    "request_skills": AgentHost._give_skills,
    "memory_update": AgentHost._keep_memory,
    "clarify_request": AgentHost._ask_person,
    "tool_call": AgentHost._refuse_tool,
    "assistant_message": AgentHost._show,
}
