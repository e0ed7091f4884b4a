"""Discord's limit for all calls of a bot together.

It takes 50 calls a second ("Rate Limits", global), and what is beyond counts against the bot. The
client keeps to the limits of single routes, and learns of this one only when it is broken. So calls
are held apart here, by the time at which they really begin: promises of places would all be kept
at once after a moment in which the machine was busy.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

from adapters.base import Rate

CALLS_PER_S = 40.0
MESSAGES = Rate(per_s=30, burst=10)  # what the gateway keeps to, which then leaves out previews


class Pacer:
    """The way out for all calls of one bot."""

    def __init__(
        self,
        per_s: float = CALLS_PER_S,
        now_s: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._gap_s = 1 / per_s
        self._now_s = now_s
        self._sleep = sleep
        self._turn = asyncio.Lock()
        self._last_s = -self._gap_s

    @property
    def is_busy(self) -> bool:
        """Whether others wait: what may be left out is left out."""
        return self._turn.locked()

    async def enter(self) -> None:
        """Wait for the next place, in the order of coming."""
        async with self._turn:
            wait_s = self._last_s + self._gap_s - self._now_s()
            if wait_s > 0:
                await self._sleep(wait_s)
            self._last_s = self._now_s()
