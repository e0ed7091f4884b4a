"""A tool with a side effect that can be counted from another process: it writes down when it
begins and when it is through. Named in `tools.modules`; COUNTING_FILE says where it writes.
"""

import asyncio
import os
from pathlib import Path

from gateway.tools.tool import Tool, ToolContext, tool, tools_of

TAKES_S = 0.02  # long enough to be killed in


class Count:
    """Writes a line per call. Takes a while, as tools do."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @tool()
    async def count(self, context: ToolContext, key: str) -> str:
        """Counts."""
        await asyncio.to_thread(self._write, f"begun {key}\n")
        await asyncio.sleep(TAKES_S)
        await asyncio.to_thread(self._write, f"through {key}\n")
        return f"counted {key}"

    def _write(self, line: str) -> None:
        with self._path.open("a") as file:  # one write, appended: whole or not at all
            file.write(line)


def tools() -> list[Tool]:
    """What the gateway asks for."""
    return tools_of(Count(Path(os.environ["COUNTING_FILE"])), "own")
