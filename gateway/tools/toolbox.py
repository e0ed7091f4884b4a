"""The tools that the host runs for agents: what the model is told of them, and how one is called.

A tool is an object with a schema and a `run`; the composition root puts them into the box. What a
tool may do, and for whom, is decided before it runs, not in here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from adapters.base import Inbound

ToolSchema = dict[str, Any]
"""An OpenAI tool object: `{"type": "function", "function": {"name", "description", …}}`."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that an agent asks for."""

    id: str
    name: str
    arguments: str  # a JSON object, already checked by the agent against the tool's schema
    chat: str  # the session key
    message: Inbound  # what the turn answers: where it is, in whose name, whether scheduled


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the model gets to read."""

    content: str
    is_error: bool = False


class Tool(Protocol):
    """One tool."""

    name: str
    schema: ToolSchema
    # May be left out, which means False: a call that was cut off by a restart is run once more.
    # is_repeatable: bool

    async def run(self, call: ToolCall) -> ToolResult:
        """Do it. A failure that the model should know of is a result with `is_error`."""


class Toolbox:
    """The tools of this gateway, by name."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools = {tool.name: tool for tool in tools}

    def schemas(self) -> list[ToolSchema] | None:
        """What agents are told at their start; None if there are no tools."""
        return [tool.schema for tool in self._tools.values()] or None

    def is_repeatable(self, name: str) -> bool:
        """Whether a call may be run again if nobody knows how far it came."""
        return bool(getattr(self._tools.get(name), "is_repeatable", False))

    async def run(self, call: ToolCall) -> ToolResult:
        """Run the tool that is called for. An unknown name is an error for the model to read."""
        tool = self._tools.get(call.name)
        if tool is None:
            return ToolResult(f"There is no tool named {call.name!r} here.", is_error=True)
        return await tool.run(call)
