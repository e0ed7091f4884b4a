"""An agent as a child process that speaks protocol lines on its stdin and stdout.

Its stderr is read all the time, or a talkative agent would stop at a full pipe. Keys stay out:
the child gets an environment of its own.
"""

import asyncio
import os
import sys
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType

import structlog

import agent_core
from agent_core.wire import encode, parse_line
from gateway.chats.messages import Line
from gateway.errors import GatewayError

MAX_LINE_BYTES = 64 * 1_048_576
"""A request carries the whole conversation, pictures included."""

_PASSED_ON = ("PATH", "HOME", "XDG_CACHE_HOME", "LANG", "SYSTEMROOT")
_KEPT_LINES = 20

_log = structlog.get_logger()


class AgentEnded(GatewayError):
    """The agent's process is over; the text holds the last that it wrote on stderr."""


def native_command() -> list[str]:
    """The agent as plain Python."""
    return [sys.executable, "-m", agent_core.__name__]


def wasm_command(file: Path) -> list[str]:
    """The command module under wasmtime."""
    return [sys.executable, "-m", "gateway.runtime.command", str(file)]


class AgentProcess:
    """A running agent."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise ValueError("the process must have been started with pipes")
        self._process = process
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self._last_words: deque[str] = deque(maxlen=_KEPT_LINES)

    async def send(self, message: Line) -> None:
        """Tell the agent something. Raises `AgentEnded`."""
        try:
            self._stdin.write(encode(message).encode() + b"\n")
            await self._stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise await self._ended() from None

    async def receive(self) -> Line:
        """The next message of the agent. Raises `AgentEnded`."""
        line = await self._stdout.readline()
        if not line:
            raise await self._ended()
        return parse_line(line)

    async def drain(self) -> None:
        """Read stderr until it ends."""
        while line := await self._stderr.readline():
            text = line.decode(errors="replace").rstrip()
            self._last_words.append(text)
            _log.info("an agent wrote on stderr", text=text)

    async def _ended(self) -> AgentEnded:
        code = await self._process.wait()
        await asyncio.sleep(0)
        said = "".join(f"\n  {line}" for line in self._last_words)
        return AgentEnded(f"the agent has ended (exit code {code}){said}")


@asynccontextmanager
async def agent_process(command: Sequence[str]) -> AsyncIterator[AgentProcess]:
    """Run an agent for as long as the context lasts."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=_environment(os.environ, agent_core),
        limit=MAX_LINE_BYTES,
        # A Ctrl-C at the terminal is the host's to handle, not the child's.
        start_new_session=True,
    )
    agent = AgentProcess(process)
    draining = asyncio.create_task(agent.drain())
    try:
        yield agent
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await draining


def _environment(environ: Mapping[str, str], package: ModuleType) -> dict[str, str]:
    kept = {name: environ[name] for name in _PASSED_ON if name in environ}
    # The child finds the packages where this process found them, installed or not.
    root = Path(package.__file__ or "").resolve().parents[1]
    return {**kept, "PYTHONPATH": str(root), "PYTHONUNBUFFERED": "1"}
