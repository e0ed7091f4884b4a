"""How long `execute_code` takes: from the checked call to the result, files and limits included."""

import asyncio
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.calling import call
from benchmarks.figure import Figure, figure
from config.code import CodeSettings
from gateway.runtime.errors import ArtefactError
from gateway.sandbox.engine import WasmSandbox
from gateway.tools.code import CodeTools
from gateway.tools.tool import tools_of

_TIMES = 100
_BESIDE = 4  # as many as run at a time by default
_PRINT = "print(1)"
_IMPORTS = (
    "import collections, csv, datetime, functools, itertools, json, math, os, pathlib, random, re, "
    "statistics, sys, textwrap; print(math.pi)"
)


def measure() -> list[Figure]:
    """Milliseconds of a program that prints, of one with the usual imports, of four at once."""
    return asyncio.run(_measured())


async def _measured() -> list[Figure]:
    sandbox = WasmSandbox()
    (tool,) = tools_of(CodeTools(sandbox, CodeSettings()), "code")

    async def taken_ms(folder: Path, code: str) -> float:
        began = time.perf_counter()
        result = await call(tool, folder, code=code)
        if result.is_error:
            raise ArtefactError(result.content)
        return 1_000 * (time.perf_counter() - began)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            first = await taken_ms(folder, _PRINT)
            prints = [await taken_ms(folder, _PRINT) for _ in range(_TIMES)]
            imports = [await taken_ms(folder, _IMPORTS) for _ in range(_TIMES)]
            began = time.perf_counter()
            await asyncio.gather(*(taken_ms(folder, _PRINT) for _ in range(_TIMES)))
            beside = 1_000 * (time.perf_counter() - began) / _TIMES
        finally:
            await sandbox.close()
    return [
        figure("execute_code of print(1), median", median(prints), "ms", "<=", 15),
        figure("execute_code with the usual imports, median", median(imports), "ms", "<=", 15),
        figure("the slowest of them", max(*prints, *imports), "ms"),
        figure("the first of a process", first, "ms"),
        figure(f"a program, where {_BESIDE} run at a time", beside, "ms"),
    ]
