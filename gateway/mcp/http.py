"""HTTP for the SDK's client, with answers of bounded length.

The SDK bounds the events of a stream, but not a plain answer; and what is packed is unpacked above
this. So nothing packed is asked for or taken, and a plain answer has a limit. A stream that breaks
off is opened again when its server says so, for ever and without a pause if it likes; here these
wait for each other.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping

import httpx2

from gateway.mcp.limits import MAX_MESSAGE_BYTES, Meter

CONNECT_TIMEOUT_S = 10.0
STREAM_GAP_S = 0.2
"""Between two streams that are opened at one server."""

EVENT_STREAM = "text/event-stream"


class _Bounded(httpx2.AsyncByteStream):
    """A body that breaks off when there is too much of it."""

    def __init__(self, inner: httpx2.AsyncByteStream, meter: Meter, *, is_stream: bool) -> None:
        self._inner = inner
        self._is_stream = is_stream
        self._meter = meter

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._inner:
            self._meter.count(len(piece))
            size += len(piece)
            if size > MAX_MESSAGE_BYTES and not self._is_stream:
                raise httpx2.ReadError("The answer is too long.")
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


class _BoundedTransport(httpx2.AsyncHTTPTransport):
    def __init__(self) -> None:
        super().__init__()
        self._meter = Meter()  # of all that the server sends, in however many answers
        self._next_stream_at = 0.0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET":  # which is for streams (MCP specification, transports)
            now = asyncio.get_running_loop().time()
            begins_at = max(now, self._next_stream_at)
            self._next_stream_at = begins_at + STREAM_GAP_S
            await asyncio.sleep(begins_at - now)
        response = await super().handle_async_request(request)
        encoding = response.headers.get("content-encoding", "identity").lower()
        if encoding != "identity" or not isinstance(response.stream, httpx2.AsyncByteStream):
            await response.aclose()
            raise httpx2.DecodingError("The answer is packed, which was not asked for.")
        is_stream = response.headers.get("content-type", "").startswith(EVENT_STREAM)
        response.stream = _Bounded(response.stream, self._meter, is_stream=is_stream)
        return response


def make_client(headers: Mapping[str, str], timeout_s: float) -> httpx2.AsyncClient:
    """A client for one server. Blocks while it reads certificates."""
    return httpx2.AsyncClient(
        headers={"Accept-Encoding": "identity", **headers},
        transport=_BoundedTransport(),
        # A server may hold a stream open and say nothing for as long as it likes.
        timeout=httpx2.Timeout(timeout_s, connect=CONNECT_TIMEOUT_S, read=None),
        follow_redirects=False,
    )
