"""Reads the body of an answer as server-sent events, whatever its headers call it.

httpx-sse decodes the lines. It insists on the content type, on the charset that the headers name,
and on a blank line behind the last event; servers get all three wrong, so the body is handed to it
under headers and with an end of ours. What is in the events is `assembly.py`'s business.
"""

import codecs
from collections.abc import AsyncGenerator, AsyncIterator

import httpx
from httpx_sse import EventSource, ServerSentEvent

MAX_BODY_BYTES = 64 * 1024 * 1024


class BodyTooLong(Exception):
    """More than `MAX_BODY_BYTES` came: no answer to a chat is that long."""


class Body:
    """The bytes of an answer that is being received, with a look at their beginning."""

    def __init__(self, response: httpx.Response) -> None:
        self._chunks = response.aiter_bytes()
        self._head = b""
        self._size = 0

    async def first_byte(self) -> bytes:
        """The first byte that is neither white space nor a byte order mark; empty if none comes."""
        async for chunk in self._chunks:
            self._head += self._counted(chunk)
            if start := self._head.removeprefix(codecs.BOM_UTF8).lstrip():
                return start[:1]
        return b""

    async def read(self) -> str:
        """All of it."""
        return b"".join([chunk async for chunk in self]).decode("utf-8", "replace")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        head, self._head = self._head.removeprefix(codecs.BOM_UTF8), b""
        if head:
            yield head
        async for chunk in self._chunks:
            yield self._counted(chunk)

    def _counted(self, chunk: bytes) -> bytes:
        self._size += len(chunk)
        if self._size > MAX_BODY_BYTES:
            raise BodyTooLong
        return chunk


async def events(body: Body) -> AsyncGenerator[ServerSentEvent, None]:
    """The events of a body, the last one also if the body ends without a blank line."""
    response = httpx.Response(
        200,
        headers={"content-type": "text/event-stream; charset=utf-8"},
        stream=_Ended(body),
    )
    source = EventSource(response).aiter_sse()
    try:
        async for event in source:
            yield event
    finally:
        await source.aclose()


class _Ended(httpx.AsyncByteStream):
    """A body with a blank line behind it."""

    def __init__(self, body: Body) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._body:
            yield chunk
        yield b"\n\n"
