"""What a program prints, within bounds: the beginning and the end are kept, the rest counted."""

from collections import deque
from collections.abc import Callable

Read = Callable[[int, int], bytes]
"""Bytes of what is being printed, from one offset to another: only what is kept is copied."""

_HEAD_SHARE = 0.4  # of the limit: what went wrong is mostly at the end


class Capture:
    """One stream of a program."""

    def __init__(self, limit_bytes: int) -> None:
        self._head_bytes = int(limit_bytes * _HEAD_SHARE)
        self._tail_bytes = limit_bytes - self._head_bytes
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._left_out_bytes = 0

    def write(self, size: int, read: Read) -> None:
        """Take `size` bytes."""
        start = min(size, self._head_bytes - len(self._head))
        if start:
            self._head += read(0, start)
        if start == size:
            return
        kept = read(max(start, size - self._tail_bytes), size)
        self._left_out_bytes += size - start - len(kept)
        self._tail.append(kept)
        self._tail_size += len(kept)
        while self._tail_size > self._tail_bytes:
            surplus = self._tail_size - self._tail_bytes
            first = self._tail.popleft()
            if len(first) > surplus:
                self._tail.appendleft(first[surplus:])
            dropped = min(surplus, len(first))
            self._tail_size -= dropped
            self._left_out_bytes += dropped

    def text(self) -> str:
        """What was kept, with a line where something is missing."""
        tail = b"".join(self._tail)
        if not self._left_out_bytes:
            return (bytes(self._head) + tail).decode(errors="replace")
        gap = f"\n[… {self._left_out_bytes:,} bytes left out …]\n"
        return self._head.decode(errors="replace") + gap + tail.decode(errors="replace")
