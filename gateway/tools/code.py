"""The code family: programs of the model's own, run where they can do nothing but compute.

What holds a program back is `gateway/sandbox`'s business; here it is told of the chat's files and
tools, and its end is put into words.
"""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from config.code import CodeSettings
from gateway.sandbox.base import Ending, Limits, Outcome, Sandbox, ToolAnswer
from gateway.sandbox.errors import SandboxError
from gateway.tools.approvals import fenced
from gateway.tools.tool import (
    Approval,
    Arguments,
    Risk,
    ToolContext,
    ToolFailed,
    ToolResult,
    tool,
)
from gateway.tools.untrusted import marked

_MIB = 1_048_576
_TIMEOUT_S = 3_600  # tools that a program calls may wait for a person; its own time is limited
_NAME = "execute_code"


class CodeTools:
    """`execute_code`."""

    def __init__(self, sandbox: Sandbox, settings: CodeSettings) -> None:
        self._sandbox = sandbox
        self._settings = settings

    async def _ask(self, context: ToolContext, arguments: Arguments) -> Approval | None:
        if not context.must_ask:
            return None
        return Approval(_NAME, _NAME, fenced(arguments["code"], "python"))

    @tool(
        risk=Risk.EXECUTE,
        timeout_s=_TIMEOUT_S,
        max_output_chars=50_000,
        is_parallel=False,
        approve=_ask,
    )
    async def execute_code(
        self,
        context: ToolContext,
        code: Annotated[
            str, Field(description="A whole Python 3.11 program. What it prints is the result.")
        ],
    ) -> ToolResult:
        """Run a Python program in a sandbox and get what it prints. Use it to compute, to work
        through files and data, and to call several tools in one go. It has the standard library, no
        network, no processes, no pip. The current folder is this chat's workspace: files there are
        those of the file tools, and stay. Tools can be called from inside: `from hermes import
        tool, ToolError`, then `text = tool("read_file", path="a.txt")`. Each run starts afresh.
        """
        workspace = context.workspace
        await asyncio.to_thread(workspace.prepare)
        room_bytes = await asyncio.to_thread(workspace.room_bytes)
        limits = Limits(
            memory_bytes=self._settings.memory_mb * _MIB,
            time_s=self._settings.time_s,
            write_bytes=min(self._settings.write_mb * _MIB, room_bytes),
            tool_calls=self._settings.max_tool_calls,
        )

        async def call_tool(name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
            if name == _NAME:
                return ToolAnswer("A program can't start another one.", is_error=True)
            context.report(name)
            result = await context.run_tool(name, arguments)
            return ToolAnswer(result.content, result.is_error)

        try:
            outcome = await self._sandbox.run(code, workspace.root, limits, call_tool)
        except SandboxError as error:
            raise ToolFailed(str(error)) from error
        return ToolResult(_in_words(outcome, limits), is_error=outcome.exit_code != 0)


def _in_words(outcome: Outcome, limits: Limits) -> str:
    printed = [outcome.stdout.rstrip("\n")]
    if outcome.stderr.strip():
        printed.append(f"[stderr]\n{outcome.stderr.rstrip()}")
    said = "\n".join(part for part in printed if part)
    # It may come from a file, a page, anywhere.
    parts = [marked(said, "the program") if said else ""]
    parts.append(_end_in_words(outcome, limits))
    if outcome.was_write_refused:
        parts.append(f"[It may write {limits.write_bytes:,} bytes to files, and wanted more.]")
    return "\n".join(part for part in parts if part) or "[It printed nothing.]"


def _end_in_words(outcome: Outcome, limits: Limits) -> str:
    match outcome.ending:
        case Ending.EXITED if not outcome.exit_code:
            return ""
        case Ending.EXITED:
            return f"[It ended with exit code {outcome.exit_code}.]"
        case Ending.OUT_OF_TIME:
            return f"[It was ended after {limits.time_s:g} s; above is where it was.]"
        case Ending.TOO_DEEP:
            return "[It was ended because its calls were nested too deeply.]"
        case _:
            return "[It was ended: the interpreter broke down.]"
