"""A person's terminal: a pseudo-terminal, and `hermes-gateway` at its other end."""

import asyncio
import os
import pty
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.end_to_end.process import environment


class Terminal:
    """A person's terminal: what is typed, and all that has been shown."""

    def __init__(self, descriptor: int) -> None:
        self.shown = ""  # and not waited for yet
        self.everything = ""
        self._descriptor = descriptor
        self._has_changed = asyncio.Event()
        asyncio.get_running_loop().add_reader(descriptor, self._read)

    def type(self, text: str) -> None:
        os.write(self._descriptor, text.encode())

    async def until(self, text: str) -> None:
        """Wait until something new has been shown that holds this, and forget it."""
        async with asyncio.timeout(30):
            while text not in self.shown:
                self._has_changed.clear()
                await self._has_changed.wait()
        self.shown = self.shown.partition(text)[2]

    def _read(self) -> None:
        try:
            new = os.read(self._descriptor, 65_536).decode(errors="replace")
            self.shown += new
            self.everything += new
        except OSError:  # the other side has closed it
            asyncio.get_running_loop().remove_reader(self._descriptor)
        self._has_changed.set()


@asynccontextmanager
async def terminal(
    *arguments: str, cwd: Path, **env: str
) -> AsyncIterator[tuple[Terminal, asyncio.subprocess.Process]]:
    """`hermes-gateway` with these arguments at a terminal."""
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "gateway",
        *arguments,
        cwd=cwd,
        env=environment(TERM="xterm-256color", COLUMNS="100", LINES="30", **env),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Terminal(ours), process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        asyncio.get_running_loop().remove_reader(ours)
        os.close(ours)
