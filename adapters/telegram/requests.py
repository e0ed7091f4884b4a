"""The connections to the Bot API: how many, how patient, and how files go over them.

The client hands a file to httpx, and httpx reads it on the event loop, where a slow disk would
hold up everybody. A hook, run just before a request goes out, has it read on a thread instead, a
piece at a time: no file is ever whole in memory.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
from telegram.request import HTTPXRequest

_CONNECTIONS = 64  # chats that can be written to at the same moment; more wait their turn


def for_calls(
    *, read_timeout_s: float = 20, connections: int = _CONNECTIONS, proxy: str | None = None
) -> HTTPXRequest:
    """For everything but `getUpdates`."""
    return HTTPXRequest(
        connection_pool_size=connections,
        connect_timeout=10,
        read_timeout=read_timeout_s,
        write_timeout=10,
        media_write_timeout=60,
        pool_timeout=30,
        proxy=proxy,
        httpx_kwargs={"event_hooks": {"request": [read_files_on_threads]}},
    )


def for_updates(*, proxy: str | None = None) -> HTTPXRequest:
    """For `getUpdates`, of which there is one at a time."""
    return HTTPXRequest(connection_pool_size=1, connect_timeout=10, pool_timeout=10, proxy=proxy)


async def read_files_on_threads(request: httpx.Request) -> None:
    """A hook for httpx's `event_hooks`."""
    stream: Any = request.stream
    # A body that is known beforehand is a ByteStream, which holds nothing to be read.
    if isinstance(stream, httpx.SyncByteStream) and not isinstance(stream, httpx.ByteStream):
        request.stream = _OnThreads(stream)


class _OnThreads(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.SyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pieces: Iterator[bytes] = iter(self._stream)
        while piece := await asyncio.to_thread(next, pieces, b""):
            yield piece
