"""What `hermes-gateway check` says of `execute_code`: a program is run as agents have it run."""

import asyncio
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from config.settings import Settings
from gateway.errors import StartupError
from gateway.sandbox.base import Limits, ToolAnswer
from gateway.sandbox.engine import WasmSandbox
from gateway.sandbox.errors import SandboxError

_MIB = 1_048_576
_PROGRAM = "import json, re, math; print(6 * 7)"


async def programs_run(settings: Settings) -> str:
    """Whether a program runs, and how long it takes. Raises `StartupError` if it does not."""
    sandbox = WasmSandbox(max_runs=1)
    limits = Limits(memory_bytes=settings.code.memory_mb * _MIB, time_s=settings.code.time_s)
    folder = await asyncio.to_thread(tempfile.TemporaryDirectory)
    try:
        await sandbox.run(_PROGRAM, Path(folder.name), limits, _no_tools)  # which loads it
        began = time.perf_counter()
        outcome = await sandbox.run(_PROGRAM, Path(folder.name), limits, _no_tools)
    except SandboxError as error:
        raise StartupError(str(error)) from error
    finally:
        await sandbox.close()
        await asyncio.to_thread(folder.cleanup)
    if outcome.stdout != "42\n":
        raise StartupError(
            f"A program was ended at once: {outcome.stderr[-200:] or outcome.ending}"
        )
    return f"a program runs in {1_000 * (time.perf_counter() - began):.0f} ms"


async def _no_tools(_name: str, _arguments: Mapping[str, Any]) -> ToolAnswer:
    return ToolAnswer("There are no tools.", is_error=True)
