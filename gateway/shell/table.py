"""The commands that go on in the background: by chat and number, until they or their chats end."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from gateway.shell.errors import ShellError
from gateway.shell.process import Process

_KEPT_BYTES = 256 * 1024
_KEPT_JOBS = 20  # that have ended, in one chat


class Tail:
    """The last of what a command has printed, and how much there was."""

    def __init__(self, limit_bytes: int = _KEPT_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._kept = bytearray()
        self._read_bytes = 0  # how much of all has been given out as new
        self.size_bytes = 0

    def write(self, chunk: bytes) -> None:
        """Take more in."""
        self.size_bytes += len(chunk)
        self._kept += chunk
        del self._kept[: -self._limit_bytes]

    def new(self) -> str:
        """What has come since this was last asked, as far as it is kept."""
        missed = self.size_bytes - self._read_bytes
        self._read_bytes = self.size_bytes
        return self._text(missed)

    def lines(self, count: int) -> str:
        """The last lines."""
        return "\n".join(self._text(len(self._kept)).splitlines()[-count:])

    def _text(self, last_bytes: int) -> str:
        kept = bytes(self._kept[-last_bytes:]) if last_bytes else b""
        left_out = last_bytes - len(kept)
        gap = f"[… {left_out:,} bytes are not kept …]\n" if left_out else ""
        return gap + kept.decode(errors="replace")


@dataclass(slots=True)
class Job:
    """One command in the background."""

    id: str
    command: str
    process: Process
    started: float
    tail: Tail = field(default_factory=Tail)
    exit_code: int | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    why_ended: str = ""  # if it did not end by itself


class JobTable:
    """All background commands of this gateway. At the end of the `async with` all are ended."""

    def __init__(
        self,
        max_running: int,
        life_s: float,
        clock: Callable[[], float] = time.monotonic,
        *,
        room_check_s: float = 2.0,
    ) -> None:
        self._max_running = max_running
        self._room_check_s = room_check_s
        self._life_s = life_s
        self._clock = clock
        self._jobs: dict[str, list[Job]] = {}
        self._count = 0
        self._tasks: dict[asyncio.Task[None], Job] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._end(list(self._tasks.values()))

    def check_room(self, chat: str) -> None:
        """Raises `ShellError` if a chat has as many as it may."""
        running = [job for job in self._jobs.get(chat, ()) if not job.ended.is_set()]
        if len(running) >= self._max_running:
            raise ShellError(f"{len(running)} commands run in the background; end one first.")

    def add(self, chat: str, command: str, process: Process, room_bytes: Callable[[], int]) -> Job:
        """Let a started command go on by itself, as long as there is room. `room_bytes` blocks."""
        self._count += 1
        job = Job(str(self._count), command, process, self._clock())
        jobs = self._jobs.setdefault(chat, [])
        jobs.append(job)
        over = [old for old in jobs if old.ended.is_set()][:-_KEPT_JOBS]
        self._jobs[chat] = [old for old in jobs if old not in over]
        task = asyncio.create_task(self._follow(job, room_bytes))
        self._tasks[task] = job
        task.add_done_callback(self._tasks.pop)
        return job

    def jobs(self, chat: str) -> list[Job]:
        """A chat's commands, those that ended lately included, in their order."""
        return list(self._jobs.get(chat, ()))

    def find(self, chat: str, id_: str) -> Job:
        """One of a chat's commands. Raises `ShellError`."""
        for job in self._jobs.get(chat, ()):
            if job.id == id_:
                return job
        raise ShellError(f"No command has the id {id_!r} here; the action `list` shows them.")

    def age_s(self, job: Job) -> float:
        """How long ago it was started."""
        return self._clock() - job.started

    async def end_chat(self, chat: str) -> None:
        """End all commands of a chat, and forget them."""
        await self._end(self._jobs.pop(chat, []))

    async def _end(self, jobs: list[Job]) -> None:
        for job in jobs:
            job.process.kill()
        for job in jobs:
            await job.ended.wait()

    async def _follow(self, job: Job, room_bytes: Callable[[], int]) -> None:
        async def take(chunk: bytes) -> None:
            job.tail.write(chunk)

        watching = asyncio.create_task(self._watch_room(job, room_bytes))
        try:
            async with asyncio.timeout(self._life_s):
                job.exit_code = await job.process.pump(take)
        except TimeoutError:
            job.why_ended = f"it had run for {self._life_s / 3600:g} hours"
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            job.ended.set()

    async def _watch_room(self, job: Job, room_bytes: Callable[[], int]) -> None:
        while True:
            if not await asyncio.to_thread(room_bytes):
                job.why_ended = "the workspace is full"
                job.process.kill()
                return
            await asyncio.sleep(self._room_check_s)
