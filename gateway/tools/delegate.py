"""The family `agents`: an agent sets others to work, side by side, and gets their results.

How one of them works is `gateway.chats.child`'s business; here is how many, how deep, and with
which tools.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import Annotated

import structlog
from pydantic import BaseModel, Field

from gateway.chats.child import Child, Task
from gateway.chats.host import Host
from gateway.chats.tool_calls import offered_to
from gateway.errors import GatewayError
from gateway.tools.tool import Risk, Tool, ToolContext, ToolFailed, tool
from gateway.tools.untrusted import marked

MAX_RUNNING = 16
"""Of the whole gateway at a time. More are refused: one that waited could wait for ever."""

_NAME = "delegate_task"
_REMEMBERED_TURNS = 1_000
_LONGEST_S = 6 * 3_600.0
_EXCLUDED_TOOLSETS = frozenset({"people", "time"})  # what speaks to people, now or later

_log = structlog.get_logger()


class TaskGiven(BaseModel):
    """A task as a model gives it."""

    goal: str = Field(min_length=1, description="What is to be done, and what the result is to be.")
    context: str = Field(
        default="", description="All that has to be known: it sees nothing of this conversation."
    )


class AgentTools:
    """Over the gateway's agents, models and tools."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._running = 0
        self._given: OrderedDict[tuple[str, str], int] = OrderedDict()  # tasks of a turn

    @tool(risk=Risk.READ, timeout_s=_LONGEST_S, max_output_chars=60_000)
    async def delegate_task(
        self,
        context: ToolContext,
        tasks: Annotated[list[TaskGiven], Field(min_length=1)],
        toolsets: Annotated[
            list[str] | None,
            Field(description="Only these, e.g. [web, files]; all that are possible if left out."),
        ] = None,
    ) -> str:
        """Give tasks to other agents, which work side by side, each with a fresh mind and your
        tools, and get their results. For what takes many steps whose details you don't need, or
        for several things at once. They can ask nobody and know only what you tell them.
        """
        limits = self._host.settings.tools.delegation
        if len(tasks) > limits.max_tasks:
            raise ToolFailed(f"At most {limits.max_tasks} tasks at once.")
        if context.call.depth >= limits.max_depth:
            raise ToolFailed("You are at work for another agent: do it yourself.")
        self._count(context, len(tasks))
        tools = await self._tools(context, toolsets)
        if self._running + len(tasks) > MAX_RUNNING:
            raise ToolFailed("Too many agents are at work just now: do it yourself, or later.")
        self._running += len(tasks)
        try:
            async with asyncio.TaskGroup() as group:
                works = [
                    group.create_task(self._work(context, tools, given, number, len(tasks)))
                    for number, given in enumerate(tasks, start=1)
                ]
        finally:
            self._running -= len(tasks)
        return "\n\n".join(work.result() for work in works)

    async def _work(
        self, context: ToolContext, tools: Sequence[Tool], given: TaskGiven, number: int, of: int
    ) -> str:
        def report(what: str) -> None:
            context.report(f"task {number} of {of}: {what}")

        limits = self._host.settings.tools.delegation
        child = Child(self._host, context, tools, limits, report)
        head = f"Task {number}: {given.goal[:200]}"
        try:
            result = await child.work(Task(given.goal, given.context))
        except ToolFailed as error:
            report("failed")
            return f"{head}\nIt was not carried out. {error}"
        except GatewayError as error:
            _log.warning("a task broke down", error=str(error), exc_info=error)
            report("failed")
            return f"{head}\nIt was not carried out: its agent broke down."
        report("done")
        return f"{head}\n{marked(result, 'an agent that you set to work')}"

    def _count(self, context: ToolContext, tasks: int) -> None:
        """Note the tasks of a turn. Raises `ToolFailed` if there are too many."""
        limit = self._host.settings.tools.delegation.max_per_turn
        turn = (context.call.chat, context.call.message.event_id)
        given = self._given.pop(turn, 0) + tasks
        if given > limit:
            self._given[turn] = given - tasks
            raise ToolFailed(f"At most {limit} tasks for one message: do the rest yourself.")
        self._given[turn] = given
        while len(self._given) > _REMEMBERED_TURNS:
            self._given.popitem(last=False)

    async def _tools(self, context: ToolContext, wanted: Sequence[str] | None) -> list[Tool]:
        """What the others may use: no more than the agent itself, and nothing that speaks."""
        limits = self._host.settings.tools.delegation
        is_last = context.call.depth + 1 >= limits.max_depth
        within = context.call.within
        found = [
            one
            for one in await offered_to(self._host, context.call.message)
            if one.toolset not in _EXCLUDED_TOOLSETS
            and one.risk is not Risk.MESSAGE
            and (within is None or one.name in within)
            and not (is_last and one.name == _NAME)
        ]
        if wanted is None:
            return found
        if unknown := set(wanted) - {one.toolset for one in found}:
            there = ", ".join(sorted({one.toolset for one in found})) or "none"
            raise ToolFailed(
                f"There is no toolset {', '.join(sorted(unknown))}. There are: {there}."
            )
        return [one for one in found if one.toolset in wanted]
