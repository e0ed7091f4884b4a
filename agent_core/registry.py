"""Which tools an agent has: its own and those that the host offers, by toolset and by filter.

local         carried out in the agent: memory, todo
interactive   asked of the person through the host: clarify
remote        carried out by the host, which sent their schemas
"""

from dataclasses import dataclass
from typing import Any

from agent_core.settings import Settings
from agent_core.tools import clarify, memory, todo

LOCAL, INTERACTIVE, REMOTE = "local", "interactive", "remote"

# Kind, the toolsets it belongs to, schema.
_BUILT_IN: tuple[tuple[str, tuple[str, ...], dict[str, Any]], ...] = (
    (LOCAL, ("memory",), memory.SCHEMA),
    (LOCAL, ("planning", "todo"), todo.SCHEMA),
    (INTERACTIVE, ("clarify",), clarify.SCHEMA),
)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the model may call."""

    name: str
    kind: str
    parameters: dict[str, Any]
    schema: dict[str, Any]  # as it goes to the model


def load_tools(settings: Settings) -> dict[str, Tool]:
    """The tools by name, in the order in which the model sees them; ours win over the host's."""
    tools: dict[str, Tool] = {}
    for kind, toolsets, function in _BUILT_IN:
        if _is_enabled(settings, function["name"], toolsets):
            tools[function["name"]] = Tool(
                function["name"],
                kind,
                function["parameters"],
                {"type": "function", "function": function},
            )
    built_in = {function["name"] for _, _, function in _BUILT_IN}
    for schema in settings.host_tool_schemas:
        tool = _remote_tool(schema)
        if tool is None or tool.name in built_in:
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
    parameters = function.get("parameters")
    return Tool(
        function["name"],
        REMOTE,
        parameters if isinstance(parameters, dict) else {"type": "object"},
        {"type": "function", "function": function},
    )
