"""The program that fetches, and has pages read: `python -m gateway.web.process.program`.

`client.py` starts it and says what is wanted, over a socket that is this program's standard input
(`wire.py`). A page takes as much of an event loop's time as a turn, before anybody reads it, and a
hostile server can make that more; here it is not the chats' time. No key comes here, and what
parses is one process further (`gateway/reading/`). It ends when the socket does: with the gateway,
however that ends.
"""

import asyncio
import contextlib
import json
import os
import shutil
import socket
import sys
from collections.abc import AsyncIterator, Collection
from functools import partial
from pathlib import Path

import structlog

from config.web import WebSettings
from gateway.reading import errors as reading
from gateway.reading.errors import ReadsTooLong
from gateway.reading.readers import Readers, reader_count
from gateway.reading.source import Source, Text
from gateway.reading.texts import TYPES
from gateway.web.errors import TooSlow, Unreadable, WebError
from gateway.web.fetch import Fetcher
from gateway.web.process.spool import spooled
from gateway.web.process.wire import (
    MAX_REQUEST_BYTES,
    Line,
    Page,
    line_of,
    page_line,
    refusal_line,
)

NICENESS = 10
"""Chats go before pages; those who fetch go before those who read (nice(2))."""

_MIB = 1_048_576

_log = structlog.get_logger()


class Errands:
    """All that can be asked for, any number at a time."""

    def __init__(self, fetcher: Fetcher, readers: Readers, max_page_bytes: int) -> None:
        self._fetcher = fetcher
        self._readers = readers
        self._max_page_bytes = max_page_bytes

    async def do(self, request: Line) -> Line:
        """Answer a request. Raises `WebError`."""
        url: str = request["url"]
        match request["do"]:
            case "page":
                return page_line(await self.page(url))
            case "get":
                return await self._get(url, request)
            case _:
                return {"url": await self._fetcher.checked(url)}

    async def page(self, url: str) -> Page:
        """Fetch a page and have it read. Raises `WebError`."""
        async with self._spooled(url, self._max_page_bytes, TYPES) as page:
            return Page(page.url, await self._read(page))

    async def _read(self, page: Source) -> Text:
        try:
            return await self._readers.read(page)
        except ReadsTooLong as error:
            raise TooSlow(str(error)) from error
        except reading.Unreadable as error:
            raise Unreadable(str(error)) from error

    async def _get(self, url: str, request: Line) -> Line:
        async with self._spooled(url, request["max_bytes"], request["types"]) as got:
            await asyncio.to_thread(_put, got, Path(request["file"]))
            return {"url": got.url, "media_type": got.media_type, "charset": got.charset}

    @contextlib.asynccontextmanager
    async def _spooled(
        self, url: str, max_bytes: int, types: Collection[str]
    ) -> AsyncIterator[Source]:
        """What an address leads to; the connection is done with."""
        async with contextlib.AsyncExitStack() as stack:
            async with self._fetcher.stream(url, max_bytes=max_bytes, types=types) as body:
                got = await stack.enter_async_context(spooled(body))
            yield got


def _put(got: Source, file: Path) -> None:
    with file.open("r+b") as target:  # which makes none: whoever waited may have taken it away
        if got.file is None:
            target.write(got.content)
            return
        with got.file.open("rb") as source:
            shutil.copyfileobj(source, target)


class _Desk:
    """Takes requests and gives answers, each in a task of its own."""

    def __init__(self, errands: Errands, writer: asyncio.StreamWriter) -> None:
        self._errands = errands
        self._writer = writer
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def serve(self, requests: asyncio.StreamReader) -> None:
        """Until there are no more requests."""
        async with asyncio.TaskGroup() as group:
            while line := await requests.readline():
                request: Line = json.loads(line)
                if "cancel" in request:
                    if (task := self._tasks.get(request["cancel"])) is not None:
                        task.cancel()
                    continue
                number = request["id"]
                task = group.create_task(self._answer(number, request))
                self._tasks[number] = task
                task.add_done_callback(partial(self._forget, number))
            for task in self._tasks.values():
                task.cancel()

    def _forget(self, number: int, _task: asyncio.Task[None]) -> None:
        del self._tasks[number]

    async def _answer(self, number: int, request: Line) -> None:
        answer = await self._outcome(request)
        with contextlib.suppress(ConnectionError):  # nobody is there, and the requests end, too
            self._writer.write(line_of({"id": number, **answer}))
            await self._writer.drain()

    async def _outcome(self, request: Line) -> Line:
        try:
            return await self._errands.do(request)
        except WebError as error:
            return refusal_line(error)
        except Exception:  # noqa: BLE001 - logged; one bad page does not end the others
            _log.exception("something could not be fetched or read")
            return refusal_line(Unreadable("It could not be read: something is broken."))


async def _serve() -> None:
    connection = socket.socket(fileno=sys.stdin.fileno())
    requests, writer = await asyncio.open_connection(sock=connection, limit=MAX_REQUEST_BYTES)
    settings = WebSettings.model_validate_json(await requests.readline())
    async with contextlib.AsyncExitStack() as stack:
        fetcher = await asyncio.to_thread(Fetcher.make, settings)
        stack.push_async_callback(fetcher.close)
        readers = Readers(reader_count(settings.extract_processes))
        stack.push_async_callback(readers.close)
        errands = Errands(fetcher, readers, settings.max_page_mb * _MIB)
        await _Desk(errands, writer).serve(requests)
        writer.close()


def main() -> None:
    """Answer until the requests end."""
    os.nice(NICENESS)
    # The gateway hands on what comes there to its own log.
    structlog.configure(
        processors=[structlog.processors.format_exc_info, structlog.processors.KeyValueRenderer()],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    asyncio.run(_serve())


if __name__ == "__main__":
    main()
