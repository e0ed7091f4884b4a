"""A tool with a side effect that can be counted from another process: it writes down when it
begins and when it is through. Named in `tools.modules`; COUNTING_FILE says where it writes.
"""

import asyncio
import json
import os
from pathlib import Path

from gateway.tools.toolbox import Tool, ToolCall, ToolResult, ToolSchema

TAKES_S = 0.02  # long enough to be killed in


SCHEMA: ToolSchema = {
    "type": "function",
    "function": {
        "name": "count",
        "description": "Counts.",
        "parameters": {
            "type": "object",
            "properties": {"key": {"type": "string"}},
            "required": ["key"],
        },
    },
}


class Count:
    """Writes a line per call. Takes a while, as tools do."""

    name = "count"
    schema = SCHEMA

    def __init__(self, path: Path) -> None:
        self._path = path

    async def run(self, call: ToolCall) -> ToolResult:
        """Count one."""
        key = json.loads(call.arguments)["key"]
        await asyncio.to_thread(self._write, f"begun {key}\n")
        await asyncio.sleep(TAKES_S)
        await asyncio.to_thread(self._write, f"through {key}\n")
        return ToolResult(f"counted {key}")

    def _write(self, line: str) -> None:
        with self._path.open("a") as file:  # one write, appended: whole or not at all
            file.write(line)


def tools() -> list[Tool]:
    """What the gateway asks for."""
    return [Count(Path(os.environ["COUNTING_FILE"]))]
