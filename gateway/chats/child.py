"""An agent that another one has set to work: from its task to its result, with nobody to ask.

It has a history of its own that nobody keeps, and only the tools that it is given. What it does is
part of the call that set it to work: under the same policy, for the same person, and over when that
is over. Whether and how often that may happen is `gateway.tools.delegate`'s business.
"""

import asyncio
import secrets
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from agent_core.wire import encode
from config.tools import DelegationSettings
from gateway.chats.host import Host
from gateway.chats.messages import (
    Line,
    error_fields,
    heard,
    init_message,
    summary_request,
    text_of,
    tool_result,
)
from gateway.llm.budgets import Caller
from gateway.llm.errors import ModelError
from gateway.sessions import person_key
from gateway.tools import order
from gateway.tools.tool import Tool, ToolContext, ToolFailed

PURPOSE = "delegate"
IDENTITY = (
    "You are at work for another agent, which has given you one task. You can ask nobody anything: "
    "where something is open, choose what is most sensible and say so. Do the whole task with your "
    "tools, then answer with its result: complete, in plain Markdown, and without any greeting. "
    "Say plainly what you could not do or find out."
)
NOT_FOR_CHILDREN = ("memory", "clarify")
"""Toolsets of the agent's own that are about people."""

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be done."""

    goal: str
    context: str = ""

    @property
    def text(self) -> str:
        """What the agent is told."""
        return (
            f"{self.goal}\n\nWhat you should know:\n{self.context}" if self.context else self.goal
        )


class Child:
    """One agent at work. `report` is told what it does."""

    def __init__(
        self,
        host: Host,
        context: ToolContext,
        tools: Sequence[Tool],
        limits: DelegationSettings,
        report: Callable[[str], None],
    ) -> None:
        self._host = host
        self._context = context
        self._tools = {tool.name: tool for tool in tools}
        self._limits = limits
        self._report = report
        self._line = order.Line()
        self._tokens = 0
        self._said = ""
        self._result: Line | None = None
        message = context.call.message
        person = person_key(message.address, message.sender)
        self._caller = Caller(context.call.chat, person, PURPOSE)

    async def work(self, task: Task) -> str:
        """Carry the task out and return the result. Raises `ToolFailed`.

        What else can be raised is what `AgentPool.lease_extra` raises.
        """
        name = f"{self._context.call.chat}/{PURPOSE}-{secrets.token_hex(4)}"
        try:
            async with (
                asyncio.timeout(self._limits.timeout_s) as limit,
                self._host.pool.lease_extra(name, self._wake) as agent,
            ):
                lines: Sequence[Line] = [self._beginning(task)]
                while self._result is None:
                    said = await agent.step([encode(line) for line in lines])
                    lines = await self._carried_out(heard(said))
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise ToolFailed(f"It took longer than {self._limits.timeout_s:g} s.") from error
        result = self._result
        if (failure := result.get("error")) and result.get("reason") == "error":
            raise ToolFailed(failure.get("message") or "It failed.")
        return self._said

    async def _wake(self) -> Sequence[str]:
        message = self._context.call.message
        init = init_message(
            self._host.settings,
            message,
            model=await self._host.models.of_chat(self._context.call.chat),
            session_id=secrets.token_hex(8),
            history=(),
            todos=(),
            memory="",
            user="",
            tool_schemas=[tool.schema for tool in self._tools.values()] or None,
            now=self._host.clock(),
        )
        disabled = {*NOT_FOR_CHILDREN, *self._host.settings.agent.disabled_toolsets}
        init["config"] |= {
            "identity": IDENTITY,
            "max_iterations": self._limits.max_iterations,
            "disabled_toolsets": sorted(disabled),
            "chat": {"id": "", "kind": "direct", "title": ""},
        }
        return [encode(init)]

    def _beginning(self, task: Task) -> Line:
        now = self._host.clock().isoformat(timespec="seconds")
        return {"type": "user_message", "content": task.text, "now": now}

    async def _carried_out(self, messages: Sequence[Line]) -> list[Line]:
        """The answers to what the agent said; none if it is through. Raises `ToolFailed`."""
        asked: list[Line] = []
        for message in messages:
            kind = message["type"]
            if kind in _ANSWERS:
                asked.append(message)
            elif kind == "assistant_message" and message.get("final", True):
                self._said = message["content"]
            elif kind == "usage":
                self._count(message)
            elif kind == "done":
                self._result = message["result"]
            elif kind == "error" and message.get("fatal"):
                raise ToolFailed("Its agent could not go on.")
        if self._result is not None:
            return []
        if not asked:
            raise ToolFailed("Its agent waits for nothing.")
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_ANSWERS[one["type"]](self, one)) for one in asked]
        return [task.result() for task in tasks]

    def _count(self, usage: Line) -> None:
        self._tokens += int(usage.get("total_tokens") or 0)
        if self._tokens > self._limits.max_tokens:
            raise ToolFailed(f"It took more than {self._limits.max_tokens:,} tokens.")

    async def _ask_model(self, message: Line) -> Line:
        answered = {"request_id": message.get("request_id")}
        self._report("thinks")
        try:
            response = await self._host.models.complete(
                self._caller, message["kwargs"], lambda _: None
            )
        except ModelError as error:
            return {"type": "error", **answered, **error_fields(error)}
        return {"type": "api_response", **answered, "response": response}

    async def _ask_summary(self, message: Line) -> Line:
        answer = {"type": "compress_response", "request_id": message.get("request_id")}
        try:
            response = await self._host.models.complete(
                self._caller, summary_request(message), lambda _: None
            )
        except ModelError as error:
            return {**answer, "summary": "", "error": error.message}
        return {**answer, "summary": text_of(response)}

    async def _call_tool(self, message: Line) -> Line:
        call_id, name = message["id"], message["name"]
        tool = self._tools.get(name)
        # Tasks begin in the order of their making, so the places are in that of the calls.
        async with self._line.take(is_parallel=tool is None or tool.is_parallel):
            try:
                if tool is None:
                    raise ToolFailed(f"There is no tool {name!r} here.")
                self._report(name)
                arguments, within = tool.read(message["arguments"]), frozenset(self._tools)
                result = await self._context.run_deeper(name, arguments, within)
            except ToolFailed as error:
                return tool_result(call_id, name, str(error), is_error=True)
        return tool_result(call_id, name, result.content, is_error=result.is_error)

    async def _ask_nobody(self, message: Line) -> Line:
        answer = {"type": "clarify_response", "clarify_id": message.get("clarify_id")}
        return {**answer, "content": "", "outcome": "undeliverable"}


_ANSWERS: Mapping[str, Callable[[Child, Line], Coroutine[Any, Any, Line]]] = {
    "api_request": Child._ask_model,
    "compress_request": Child._ask_summary,
    "tool_call": Child._call_tool,
    "clarify_request": Child._ask_nobody,
}
