"""One command that runs: its output as it comes, its input, and its end, whoever brings it about.

bubblewrap and the first process in its namespace stay in a process group of their own. Killing that
group ends everything in the namespace with its first process, wherever it has put itself, and at
whatever moment: bubblewrap's `--die-with-parent` alone has moments, at the start, when it is not
set yet. It is there for the case that the gateway is killed.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from gateway.shell.cgroup import Cgroup
from gateway.shell.errors import ShellError

_CHUNK_BYTES = 65_536
_INPUT_BYTES = 1_048_576

Take = Callable[[bytes], Awaitable[None]]
"""Gets output, stdout and stderr in one, as it comes."""


class Process:
    """A command, already started. `pump` has to run for it to come to its end."""

    def __init__(self, process: asyncio.subprocess.Process, cgroup: Cgroup | None) -> None:
        self._process = process
        self._cgroup = cgroup

    @classmethod
    async def start(
        cls,
        arguments: Sequence[str],
        cgroup: Cgroup | None,
        *,
        has_input: bool = False,
        files: Sequence[int] = (),
    ) -> "Process":
        """Start it, with these open files of ours. Raises `ShellError`."""
        inside = cgroup.entered_by(arguments) if cgroup else arguments
        pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        try:
            process = await asyncio.create_subprocess_exec(
                *inside,
                stdin=pipe if has_input else nothing,
                stdout=pipe,
                stderr=asyncio.subprocess.STDOUT,
                env={},
                cwd=Path("/"),
                start_new_session=True,
                pass_fds=files,
            )
        except OSError as error:
            if cgroup:
                await asyncio.to_thread(cgroup.close)
            raise ShellError(f"The command could not be started: {error.strerror}.") from error
        return cls(process, cgroup)

    async def pump(self, take: Take) -> int:
        """Give all output to `take` until the command has ended; its exit code.

        Cancelling, or an error of `take`, ends the command.
        """
        assert self._process.stdout is not None  # noqa: S101 - asked for above
        try:
            while chunk := await self._process.stdout.read(_CHUNK_BYTES):
                await take(chunk)
            return await self._process.wait()
        finally:
            self.kill()
            await asyncio.shield(self._gone())

    async def write(self, data: bytes) -> None:
        """To its input. Raises `ShellError` if it takes none."""
        stdin = self._process.stdin
        if stdin is None or stdin.is_closing() or len(data) > _INPUT_BYTES:
            raise ShellError("It takes no input, or not so much.")
        try:
            stdin.write(data)
            await stdin.drain()
        except (BrokenPipeError, ConnectionResetError) as error:
            raise ShellError("It takes no more input.") from error

    def kill(self) -> None:
        """End it and all that it has started."""
        if self._process.returncode is None:  # else the number may be another's by now
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def _gone(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - asked for in `start`
        while await self._process.stdout.read(_CHUNK_BYTES):
            pass  # nobody wants it any more; it ends, since all who could write are gone
        await self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                await self._process.stdin.wait_closed()
        if self._cgroup:
            await asyncio.to_thread(self._cgroup.close)
