"""The command line as a process of its own, as an administrator would start it."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_KEPT = ("PATH", "HOME", "XDG_CACHE_HOME", "LANG")


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str


def environment(**more: str) -> dict[str, str]:
    """What the process sees: nothing of this machine's keys and tokens."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, "PYTHONPATH": str(ROOT), **more}


async def start(*arguments: str, cwd: Path, **env: str) -> Process:
    """Start `hermes-gateway` with these arguments."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "gateway",
        *arguments,
        cwd=cwd,
        env=environment(**env),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )


async def finished(*arguments: str, cwd: Path, stdin: str = "", **env: str) -> Finished:
    """Run `hermes-gateway` to its end."""
    process = await start(*arguments, cwd=cwd, **env)
    out, err = await process.communicate(stdin.encode())
    assert process.returncode is not None
    return Finished(process.returncode, out.decode(), err.decode())


@asynccontextmanager
async def running(*arguments: str, cwd: Path, **env: str) -> AsyncIterator[Process]:
    """A `hermes-gateway` that serves; killed at the end, if it has not ended by then."""
    process = await start(*arguments, cwd=cwd, **env)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        _, err = await process.communicate()
        sys.stderr.write(err.decode())  # pytest shows it if the test fails
