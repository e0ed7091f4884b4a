"""A process in which one tool prints 100 MB: `python -m benchmarks.flooding NAME` prints the bytes
of memory that it had at most, beyond those before. Counted by Linux (proc(5)).
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from benchmarks.calling import call
from config.code import CodeSettings
from config.shell import ShellSettings
from gateway.sandbox.engine import WasmSandbox
from gateway.shell.table import JobTable
from gateway.tools.code import CodeTools
from gateway.tools.shell import ShellTools
from gateway.tools.tool import ToolContext, tool, tools_of

_BYTES = 100_000_000
_PIECE = 65_536
_STATUS = Path("/proc/self/status")


class _Flood:
    """A tool of one's own, which prints piece by piece."""

    @tool(timeout_s=600)
    async def flood(self, context: ToolContext, size_bytes: int) -> str:
        """Print so much."""
        output = context.new_output()
        for start in range(0, size_bytes, _PIECE):
            piece = b"x" * min(_PIECE, size_bytes - start)
            await asyncio.to_thread(output.write, piece)
        return await asyncio.to_thread(output.finish)


async def _by_program(folder: Path, size_bytes: int) -> None:
    """The sandbox's own memory, which the program may have, is not counted: it has been had."""
    sandbox = WasmSandbox()
    (execute_code,) = tools_of(CodeTools(sandbox, CodeSettings()), "code")
    try:
        await call(execute_code, folder, code="x = 'x' * 70_000")
        _count_from_now()
        code = f"for _ in range({size_bytes // _PIECE}): print('x' * {_PIECE})"
        result = await call(execute_code, folder, code=code)
        assert not result.is_error, result.content
    finally:
        await sandbox.close()


async def _by_command(folder: Path, size_bytes: int) -> None:
    async with JobTable(max_running=1, life_s=60) as jobs:
        terminal, _ = tools_of(ShellTools(ShellSettings(), jobs), "shell")
        await call(terminal, folder, command="true")
        _count_from_now()
        result = await call(terminal, folder, command=f"yes | head -c {size_bytes}")
        assert not result.is_error, result.content


async def _by_tool(folder: Path, size_bytes: int) -> None:
    (flood,) = tools_of(_Flood(), "own")
    await call(flood, folder, size_bytes=_PIECE)
    _count_from_now()
    await call(flood, folder, size_bytes=size_bytes)


_WAYS: dict[str, Callable[[Path, int], Coroutine[Any, Any, None]]] = {
    "execute_code": _by_program,
    "terminal": _by_command,
    "own": _by_tool,
}


def _count_from_now() -> None:
    """Forget the most that there was (proc(5), clear_refs), and note what there is."""
    Path("/proc/self/clear_refs").write_text("5")
    _before[:] = [_kilobytes("VmRSS")]


_before: list[int] = []


def _kilobytes(name: str) -> int:
    lines = _STATUS.read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1])


def main(name: str) -> None:
    """Call it, and print the bytes."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_WAYS[name](Path(folder) / "workspace", _BYTES))
        print(json.dumps(1_024 * (_kilobytes("VmHWM") - _before[0])))


if __name__ == "__main__":
    main(sys.argv[1])
