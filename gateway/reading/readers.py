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
from dataclasses import dataclass

import structlog

from gateway.reading.errors import ReadsTooLong, Unreadable
from gateway.reading.source import Source
from gateway.reading.texts import Text

READ_TIMEOUT_S = 20.0
IDLE_S = 60.0
PAGES_PER_WORKER = 200
"""Parsers leak; a new process does not remember."""

MAX_ANSWER_BYTES = 8 * 1024**2
"""More than the longest text takes as JSON."""

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
        """The text of a source. Raises `Unreadable`, `ReadsTooLong`."""
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
                _log.warning("a page broke its reader", reason=type(error).__name__)
                raise Unreadable("It could not be read: it is broken, or too much.") from error
            finally:
                self._take_back(worker, is_sound=is_sound)
        if "error" in answer:
            raise Unreadable(str(answer["error"]))
        return Text(str(answer["title"]), str(answer["text"]), bool(answer["is_cut"]))

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
        "-m",
        "gateway.reading.worker",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=bare_environment(),
        limit=MAX_ANSWER_BYTES,
        start_new_session=True,  # Ctrl-C at the console is not for it
    )
    return _Worker(process)


async def _ask(worker: _Worker, source: Source) -> dict[str, object]:
    stdin, stdout = worker.process.stdin, worker.process.stdout
    if stdin is None or stdout is None:  # they were asked for above
        raise ValueError("no pipes")
    head = {
        "media_type": source.media_type,
        "charset": source.charset,
        "url": source.url,
        "size": len(source.content),
        "file": None if source.file is None else str(source.file),
    }
    stdin.write(json.dumps(head).encode() + b"\n" + source.content)
    await stdin.drain()
    line = await stdout.readline()
    answer: dict[str, object] = json.loads(line)
    return answer
