"""How much an MCP server may send, whichever way it is connected."""

import time
from collections.abc import Callable

from gateway.mcp.errors import Misbehaved

MAX_MESSAGE_BYTES = 4 * 1024**2
MAX_BYTES_PER_WINDOW = 32 * 1024**2
MAX_MESSAGES_PER_WINDOW = 1_000
WINDOW_S = 10.0


class Meter:
    """What one server has sent lately. A flood is a fault: reading it would keep chats waiting."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began_at = clock()
        self._bytes = self._messages = 0

    def count(self, size_bytes: int) -> None:
        """One more message. Raises `Misbehaved`."""
        now = self._clock()
        if now - self._began_at > WINDOW_S:
            self._began_at, self._bytes, self._messages = now, 0, 0
        self._bytes += size_bytes
        self._messages += 1
        if self._bytes > MAX_BYTES_PER_WINDOW or self._messages > MAX_MESSAGES_PER_WINDOW:
            raise Misbehaved("The server sends more than anybody could read.")
