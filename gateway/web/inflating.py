"""Unpacks gzip in pieces of bounded size, so that a bomb is noticed before it has gone off.

Nothing else is unpacked: the fetcher tells servers that gzip is all that it takes.
"""

import zlib
from collections.abc import Iterator

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
