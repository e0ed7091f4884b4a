"""Unpacks gzip in pieces of bounded size, so that a bomb is noticed before it has gone off.

Nothing else is unpacked: servers are told that gzip is all that is taken (`ACCEPTED`).
"""

import asyncio
import zlib
from collections.abc import AsyncIterable, AsyncIterator, Iterator

from gateway.web.errors import BadAnswer, TooLarge

ACCEPTED = "gzip"
"""For the header Accept-Encoding."""

PIECE_BYTES = 65_536
_GZIP = 16 + zlib.MAX_WBITS  # zlib's way to say: with gzip's header


class Inflater:
    """One body. `zlib.error` means that it is broken."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(_GZIP)
        self._is_begun = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What these bytes unpack to, at most `PIECE_BYTES` at a time."""
        while data:
            if self._member.eof:  # a file of several members is one file (RFC 1952, 2.2)
                self._member = zlib.decompressobj(_GZIP)
            self._is_begun = True
            yield self._member.decompress(data, PIECE_BYTES)
            data = self._member.unused_data if self._member.eof else self._member.unconsumed_tail

    @property
    def is_whole(self) -> bool:
        """Whether the body may end here."""
        return self._member.eof or not self._is_begun


def is_packed(encoding: str | None) -> bool:
    """What a header Content-Encoding says. Raises `BadAnswer` if it is not what was asked for."""
    said = (encoding or "identity").strip().lower()
    if said not in {"identity", "gzip", "x-gzip"}:
        raise BadAnswer("The server packs its answer in a way that it was not asked for.")
    return said != "identity"


async def unpacked(
    body: AsyncIterable[bytes], max_bytes: int, *, packed: bool
) -> AsyncIterator[bytes]:
    """A body as it was meant, piece by piece. Raises `TooLarge`, `BadAnswer`.

    Neither it nor what came over the wire is longer than `max_bytes`.
    """
    inflater = Inflater()
    received = size = 0
    async for raw in body:
        received += len(raw)
        if received > max_bytes:
            raise too_large(max_bytes)
        if not packed:
            yield raw
            continue
        try:
            for piece in inflater.feed(raw):
                size += len(piece)
                if size > max_bytes:
                    raise too_large(max_bytes)
                yield piece
                await asyncio.sleep(0)  # a small packet can be long work
        except zlib.error as error:
            raise BadAnswer("The server's answer is packed, and broken.") from error
    if packed and not inflater.is_whole:
        raise BadAnswer("The server's answer broke off.")


def too_large(max_bytes: int) -> TooLarge:
    """More than whoever asked can use."""
    return TooLarge(f"It is too large: more than {max_bytes / 1e6:.3g} MB.")
