"""Which tools an agent has: its own and those that the host offers, by toolset and by filter.

local         carried out in the agent: memory, todo
interactive   asked of the person through the host: clarify
remote        carried out by the host, which sent their schemas
"""

from dataclasses import dataclass
from typing import Any

from agent_core.settings import Settings
from agent_core.tokens import estimate_tools
from agent_core.tools import clarify, memory, todo

LOCAL, INTERACTIVE, REMOTE = "local", "interactive", "remote"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the model may call."""

    name: str
    kind: str
    parameters: dict[str, Any]
    schema: dict[str, Any]  # as it goes to the model
    tokens: int  # what sending the schema costs, about


def _tool(kind: str, function: dict[str, Any]) -> Tool:
    parameters = function.get("parameters")
    schema = {"type": "function", "function": function}
    return Tool(
        name=function["name"],
        kind=kind,
        parameters=parameters if isinstance(parameters, dict) else {"type": "object"},
        schema=schema,
        tokens=estimate_tools([schema]),
    )


# Our own, with the toolsets that each belongs to.
_BUILT_IN: tuple[tuple[Tool, tuple[str, ...]], ...] = (
    (_tool(LOCAL, memory.SCHEMA), ("memory",)),
    (_tool(LOCAL, todo.SCHEMA), ("planning", "todo")),
    (_tool(INTERACTIVE, clarify.SCHEMA), ("clarify",)),
)
_BUILT_IN_NAMES = frozenset(tool.name for tool, _ in _BUILT_IN)


def load_tools(settings: Settings) -> dict[str, Tool]:
    """The tools by name, in the order in which the model sees them; ours win over the host's."""
    tools = {
        tool.name: tool
        for tool, toolsets in _BUILT_IN
        if _is_enabled(settings, tool.name, toolsets)
    }
    for schema in settings.host_tool_schemas:
        tool = _remote_tool(schema)
        if tool is None or tool.name in _BUILT_IN_NAMES:
            continue
        if settings.host_available_tools and tool.name not in settings.host_available_tools:
            continue
        toolset = schema.get("toolset")
        toolsets = (toolset,) if isinstance(toolset, str) else ()
        if _is_enabled(settings, tool.name, toolsets):
            tools[tool.name] = tool
    return tools


def _is_enabled(settings: Settings, name: str, toolsets: tuple[str, ...]) -> bool:
    groups = {name, *toolsets}
    if groups & set(settings.disabled_toolsets):
        return False
    # A toolset that the host doesn't name can't be chosen by it: its tools come unless disabled.
    return (
        not settings.enabled_toolsets
        or not toolsets
        or bool(groups & set(settings.enabled_toolsets))
    )


def _remote_tool(schema: dict[str, Any]) -> Tool | None:
    function = schema.get("function", schema)
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return None
    return _tool(REMOTE, function)
