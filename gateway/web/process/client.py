"""Asks the process that fetches, and has pages read (`program.py`).

It is started when something is to be fetched, ended when nobody has asked for a while, and started
again if it breaks. What is no longer waited for here is given up there.
"""

import asyncio
import contextlib
import itertools
import os
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, TypeVar

import structlog

from config.web import WebSettings
from gateway.reading.readers import MAX_ANSWER_BYTES, bare_environment
from gateway.web.errors import TooSlow, Unreachable
from gateway.web.fetch import ANY_TYPE, Fetched
from gateway.web.guard import MAX_URL_CHARS
from gateway.web.process.wire import (
    Line,
    Page,
    answer_of,
    checked_of,
    got_of,
    line_of,
    page_of,
    raise_refusal,
    settings_line,
)

PROGRAM = "gateway.web.process.program"

IDLE_S = 600.0
"""Starting takes half a second, and what runs takes some 55 MB."""

SILENCE_S = 15.0
"""If it keeps to no time limit for so long, it is broken."""

GRACE_S = 5.0
_ERROR_BYTES = 16_384
_HANDED_ON = ("SSL_CERT_FILE", "SSL_CERT_DIR", "TMPDIR")
"""Of the gateway's environment: where certificates are, and where files may be."""

_BROKE_OFF = "Fetching broke off. Try again."

_T = TypeVar("_T")
_log = structlog.get_logger()


@dataclass(slots=True)
class _Process:
    """The program while it runs, and who waits for it."""

    program: asyncio.subprocess.Process
    answers: asyncio.StreamReader
    requests: asyncio.StreamWriter
    waiting: dict[int, asyncio.Future[Line]] = field(default_factory=dict)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)
    retirement: asyncio.TimerHandle | None = None


class WebProcess:
    """The process of one gateway, whether it runs at the moment or not."""

    def __init__(self, settings: WebSettings) -> None:
        self._settings = settings
        self._numbers = itertools.count()
        self._process: _Process | None = None
        self._starting = asyncio.Lock()
        self._ending: set[asyncio.Task[None]] = set()

    async def page(self, url: str) -> Page:
        """Have a page fetched and read. Raises `WebError`."""
        return await self._ask({"do": "page", "url": url}, page_of)

    async def get(self, url: str, *, max_bytes: int, types: Collection[str] = ANY_TYPE) -> Fetched:
        """See `Fetcher.get`."""
        async with _empty_file() as (file, name):
            limits = {"max_bytes": max_bytes, "types": list(types), "file": name}
            request = {"do": "get", "url": url, **limits}
            got = await self._ask(request, got_of, self._patience_s())
            # Out of the file that was made here, whatever has that name by now.
            content = await asyncio.to_thread(file.read, max_bytes)
        return Fetched(got.url, got.media_type, got.charset, content)

    async def checked(self, url: str) -> str:
        """See `Fetcher.checked`."""
        return await self._ask({"do": "check", "url": url}, checked_of, self._patience_s())

    async def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._retire(self._process)
        await asyncio.gather(*self._ending)

    def _patience_s(self) -> float:
        """For what is bounded by `web.timeout_s` there."""
        return self._settings.timeout_s + SILENCE_S

    async def _ask(
        self, request: Line, take: Callable[[Line], _T], within_s: float | None = None
    ) -> _T:
        """What `take` makes of the answer; it raises `ValueError` of what is none.

        `within_s` is when a process that works has answered. Raises `WebError`.
        """
        process = await self._running()
        number = next(self._numbers)
        waiting: asyncio.Future[Line] = asyncio.get_running_loop().create_future()
        process.waiting[number] = waiting
        # An address that is too long is refused there all the same.
        url = request["url"][: MAX_URL_CHARS + 1]
        process.requests.write(line_of({**request, "id": number, "url": url}))
        try:
            async with asyncio.timeout(within_s) as limit:
                answer = await waiting
        except TimeoutError as error:
            if not limit.expired():
                raise
            if process is self._process:
                _log.warning("the process that fetches does not answer, and is replaced")
                self._retire(process)
            raise TooSlow("The server does not answer.") from error
        finally:
            del process.waiting[number]
            if waiting.cancelled() and process is self._process:
                process.requests.write(line_of({"cancel": number}))
            self._rest(process)
        try:
            raise_refusal(answer)
            return take(answer)
        except ValueError as error:
            self._distrust(process, error)
            raise Unreachable(_BROKE_OFF) from error

    async def _running(self) -> _Process:
        async with self._starting:
            process = self._process
            if process is None:
                self._process = process = await self._start()
        if process.retirement is not None:
            process.retirement.cancel()
            process.retirement = None
        return process

    async def _start(self) -> _Process:
        ours, theirs = socket.socketpair()
        answers, requests = await asyncio.open_connection(sock=ours, limit=MAX_ANSWER_BYTES)
        try:
            with theirs:
                program = await asyncio.create_subprocess_exec(
                    sys.executable,
                    "-P",  # nothing from whatever folder the gateway was started in
                    "-m",
                    PROGRAM,
                    stdin=theirs.fileno(),
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=asyncio.subprocess.PIPE,
                    env=bare_environment(*_HANDED_ON),
                    start_new_session=True,  # Ctrl-C at the console is not for it
                )
        except BaseException:
            requests.close()
            raise
        requests.write(settings_line(self._settings))
        process = _Process(program, answers, requests)
        process.tasks += [
            asyncio.create_task(self._listen(process)),
            asyncio.create_task(_note_errors(program)),
        ]
        return process

    async def _listen(self, process: _Process) -> None:
        """Give answers to those who wait for them, until there are no more."""
        try:
            while line := await process.answers.readline():
                number, answer = answer_of(line)
                waiting = process.waiting.get(number)
                if waiting is not None and not waiting.done():
                    waiting.set_result(answer)
        except (OSError, ValueError) as error:
            self._distrust(process, error)
        if process is self._process:
            _log.warning("the process that fetches has ended", waiting=len(process.waiting))
            self._retire(process)

    def _distrust(self, process: _Process, error: Exception) -> None:
        reason = type(error).__name__  # its text quotes what was said
        _log.warning("the process that fetches says what is no answer", reason=reason)
        if process is self._process:
            self._retire(process)

    def _rest(self, process: _Process) -> None:
        if process is self._process and not process.waiting:
            loop = asyncio.get_running_loop()
            process.retirement = loop.call_later(IDLE_S, self._retire, process)

    def _retire(self, process: _Process) -> None:
        if process.retirement is not None:
            process.retirement.cancel()
        self._process = None
        for waiting in process.waiting.values():
            if not waiting.done():
                waiting.set_exception(Unreachable(_BROKE_OFF))
        self._ending.add(task := asyncio.create_task(_end(process)))
        task.add_done_callback(self._ending.discard)


@contextlib.asynccontextmanager
async def _empty_file() -> AsyncIterator[tuple[BinaryIO, str]]:
    """A file that nobody else can read, and its name, for as long as the context lasts."""
    descriptor, name = await asyncio.to_thread(tempfile.mkstemp, prefix="hermes-got-")
    try:
        with os.fdopen(descriptor, "rb") as file:
            yield file, name
    finally:
        await asyncio.to_thread(Path(name).unlink, missing_ok=True)


async def _end(process: _Process) -> None:
    """Let it tidy up, and make it end if it does not."""
    process.requests.close()
    try:
        async with asyncio.timeout(GRACE_S):
            await process.program.wait()
    except TimeoutError:
        _log.warning("the process that fetches does not end, and is killed")
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.program.kill()
        await asyncio.gather(process.program.wait(), *process.tasks)


async def _note_errors(program: asyncio.subprocess.Process) -> None:
    """Keep what it writes to its standard error for whoever looks for a fault."""
    if program.stderr is None:  # it was asked for
        raise ValueError("no pipe")
    while piece := await program.stderr.read(_ERROR_BYTES):
        _log.warning("from the process that fetches", text=piece.decode("utf-8", "replace"))
