"""Calls a tool as a turn does, without one: checked arguments, its limits, a workspace."""

import json
from pathlib import Path
from typing import Any

from adapters.base import Address, ChatKind, Inbound, Sender
from gateway.sessions import session_key
from gateway.tools.tool import Arguments, Tool, ToolCall, ToolContext, ToolResult
from gateway.tools.toolbox import Toolbox
from gateway.workspace.workspace import Workspace

_MESSAGE = Inbound("1", Address("telegram", "1", ChatKind.DIRECT), Sender("1", "Ada"), "please")


async def call(tool: Tool, folder: Path, **arguments: Any) -> ToolResult:  # noqa: ANN401 - any JSON
    """What the model would read of it."""
    workspace, toolbox = Workspace(folder), Toolbox([tool])
    given = json.dumps(arguments)
    chat = session_key(_MESSAGE.address)
    context = ToolContext(
        call=ToolCall("c1", tool.name, given, chat, _MESSAGE),
        workspace=workspace,
        report=lambda _: None,
        run_tool=_nothing_inside,
        run_deeper=_nothing_deeper,
        new_output=lambda: toolbox.output(tool, workspace),
    )
    return await toolbox.carry_out(tool, tool.read(given), context)


async def _nothing_inside(name: str, _: Arguments) -> ToolResult:
    return ToolResult(f"There is no tool {name!r}.", is_error=True)


async def _nothing_deeper(name: str, _: Arguments, _allowed: frozenset[str]) -> ToolResult:
    return ToolResult(f"There is no tool {name!r}.", is_error=True)
