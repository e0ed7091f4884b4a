"""Keeps a few processes that read pages and documents, so that parsing holds up nobody else.

Parsing takes Python's lock for as long as a page is long, so threads would not do. Workers are
started when there is something to read, used again, replaced after some pages or when one takes too
long, and ended when nothing is to be read any more.
"""

import asyncio
import contextlib
import json
import os
import sys
from dataclasses import dataclass, replace
from typing import BinaryIO

import structlog
from pydantic import BaseModel, TypeAdapter

from gateway.reading.errors import ReadsTooLong, Unreadable
from gateway.reading.source import Source, Text

PROGRAM = "gateway.reading.worker"

READ_TIMEOUT_S = 20.0
IDLE_S = 60.0
PAGES_PER_WORKER = 200
"""Parsers leak; a new process does not remember."""

MAX_ANSWER_BYTES = 8 * 1024**2
"""More than the longest text takes as JSON."""

_PIECE_BYTES = 256 * 1024


class _Refusal(BaseModel):
    error: str


_ANSWER: TypeAdapter[Text | _Refusal] = TypeAdapter(Text | _Refusal)
"""What is read may have taken its reader over, so that is believed no more than a form allows."""

_log = structlog.get_logger()


@dataclass(slots=True)
class _Worker:
    process: asyncio.subprocess.Process
    pages: int = 0
    retirement: asyncio.TimerHandle | None = None


class Readers:
    """The workers of one gateway."""

    def __init__(self, count: int, *, timeout_s: float = READ_TIMEOUT_S) -> None:
        self._places = asyncio.Semaphore(count)
        self._timeout_s = timeout_s
        self._idle: list[_Worker] = []
        self._ending: set[asyncio.Task[None]] = set()

    async def read(self, source: Source) -> Text:
        """What there is to read in it. Raises `Unreadable`, `ReadsTooLong`."""
        async with self._places:
            worker = self._idle.pop() if self._idle else await _start()
            if worker.retirement is not None:
                worker.retirement.cancel()
                worker.retirement = None
            is_sound = False
            try:
                async with asyncio.timeout(self._timeout_s) as limit:
                    answer = await _ask(worker, source)
                is_sound = True
            except TimeoutError as error:
                if not limit.expired():
                    raise
                raise ReadsTooLong("Reading it takes too long: it is too much.") from error
            except (OSError, ValueError, asyncio.IncompleteReadError) as error:
                _log.warning("something broke its reader", reason=type(error).__name__)
                raise Unreadable("It could not be read: it is broken, or too much.") from error
            finally:
                self._take_back(worker, is_sound=is_sound)
        if isinstance(answer, _Refusal):
            raise Unreadable(answer.error)
        return answer

    async def close(self) -> None:
        """End all workers."""
        for worker in self._idle:
            if worker.retirement is not None:
                worker.retirement.cancel()
            self._end(worker)
        self._idle.clear()
        await asyncio.gather(*self._ending)

    def _take_back(self, worker: _Worker, *, is_sound: bool) -> None:
        worker.pages += 1
        if not is_sound or worker.pages >= PAGES_PER_WORKER:
            self._end(worker)
            return
        worker.retirement = asyncio.get_running_loop().call_later(IDLE_S, self._retire, worker)
        self._idle.append(worker)

    def _retire(self, worker: _Worker) -> None:
        self._idle.remove(worker)
        self._end(worker)

    def _end(self, worker: _Worker) -> None:
        with contextlib.suppress(ProcessLookupError):
            worker.process.kill()
        self._ending.add(task := asyncio.create_task(_reap(worker.process)))
        task.add_done_callback(self._ending.discard)


async def _reap(process: asyncio.subprocess.Process) -> None:
    await process.communicate()  # reads what is left, so that the pipes are closed


def reader_count(wanted: int | None) -> int:
    """How many may read at a time: as many as are wanted, or all processors but one."""
    return wanted or max(1, (os.cpu_count() or 2) - 1)


def bare_environment(*handed_on: str) -> dict[str, str]:
    """What a program of ours needs to start; of this process's own only what is named.

    Keys come that way.
    """
    given = {name: os.environ[name] for name in handed_on if name in os.environ}
    path = os.pathsep.join(filter(None, sys.path))
    return {**given, "PYTHONPATH": path, "LANG": "C.UTF-8"}


async def _start() -> _Worker:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",  # nothing from whatever folder the gateway was started in
        "-m",
        PROGRAM,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=bare_environment(),
        limit=MAX_ANSWER_BYTES,
        start_new_session=True,  # Ctrl-C at the console is not for it
    )
    return _Worker(process)


async def _ask(worker: _Worker, source: Source) -> Text | _Refusal:
    stdin, stdout = worker.process.stdin, worker.process.stdout
    if stdin is None or stdout is None:  # they were asked for above
        raise ValueError("no pipes")
    if source.file is not None:
        with await asyncio.to_thread(source.file.open, "rb") as stream:
            size_bytes = os.fstat(stream.fileno()).st_size
            return await _ask(
                worker, replace(source, file=None, stream=stream, size_bytes=size_bytes)
            )
    head = {
        "url": source.url,
        "media_type": source.media_type,
        "charset": source.charset,
        "first_page": source.first_page,
        "max_chars": source.max_chars,
        "size": len(source.content) or source.size_bytes,
    }
    stdin.write(json.dumps(head).encode() + b"\n" + source.content)
    await stdin.drain()
    if source.stream is not None:
        await _send(stdin, source.stream, source.size_bytes)
    return _ANSWER.validate_json(await stdout.readline(), strict=True)


async def _send(stdin: asyncio.StreamWriter, stream: BinaryIO, size_bytes: int) -> None:
    left = size_bytes
    while left:
        piece = await asyncio.to_thread(stream.read, min(left, _PIECE_BYTES))
        if not piece:
            raise ValueError("it has become shorter")
        left -= len(piece)
        stdin.write(piece)
        await stdin.drain()
