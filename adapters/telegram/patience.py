"""How long to wait before Telegram is asked again, and what is said about it meanwhile.

Used by whatever brings updates in: polling.py and webhook.py.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog
from telegram.error import BadRequest, Conflict, RetryAfter, TelegramError, TimedOut

from adapters.base import RateLimited
from adapters.telegram.errors import TokenRefused, translate

_CONFLICT = (
    "Another program is fetching this bot's messages: stop it, or give it a token of its own."
)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """How long to listen, and how long to wait after failures: 1, 2, 4, …, 32, 60, 60, … s."""

    long_poll_s: int = 30
    answer_within_s: float = 10  # of the end of a long poll; then the connection counts as dead
    first_wait_s: float = 1  # most failures are over at once, and people wait as long
    longest_wait_s: float = 60
    conflict_ends_after_s: float = 300  # without another; two pollers disturb each other all along
    webhook_check_s: float = 60  # between two looks at how Telegram gets on with our webhook

    @property
    def deaf_after_s(self) -> float:
        """A poll that has not ended by then is given up, though something may still trickle in."""
        return self.long_poll_s + 2 * self.answer_within_s

    @property
    def max_silence_s(self) -> float:
        """Two polls without an answer: something is wrong."""
        return 2 * (self.long_poll_s + self.answer_within_s)

    def wait_s(self, failures: int) -> float:
        """The pause after so many failures in a row."""
        return min(self.first_wait_s * 2.0 ** min(failures - 1, 30), self.longest_wait_s)


class Patience:
    """Counts failures in a row, and waits after each."""

    def __init__(self, pace: Pace, token: str) -> None:
        self._pace = pace
        self._token = token
        self._failures = 0
        self._conflict_at: float | None = None  # the latest, on the monotonic clock

    def succeeded(self) -> None:
        """The next failure is a first one."""
        self._failures = 0

    async def until_done(self, action: Callable[[], Awaitable[None]]) -> None:
        """Carry something out, again and again if Telegram can't be reached."""
        while True:
            try:
                async with asyncio.timeout(self._pace.deaf_after_s):
                    await action()
            except TimeoutError:
                await self.wait_out(TimedOut())
            except TelegramError as error:
                await self.wait_out(error)
            else:
                return self.succeeded()

    async def wait_out(self, error: TelegramError) -> None:
        """Wait as long as this error asks for. Raises `TokenRefused` if waiting is of no use."""
        meaning = translate(error, self._token)
        if isinstance(meaning, TokenRefused):
            raise meaning from None
        self._failures += 1
        wait_s = self._pace.wait_s(self._failures)
        if isinstance(error, Conflict):
            self._note_conflict(wait_s)
        elif isinstance(error, RetryAfter) and isinstance(meaning, RateLimited):
            wait_s = meaning.retry_after_s
            _log.warning("Telegram asks to come back later", wait_s=wait_s)
        else:
            said = "refuses" if isinstance(error, BadRequest) else "can't be reached"
            _log.warning(f"Telegram {said}", reason=str(meaning), wait_s=wait_s)
        await asyncio.sleep(wait_s)

    async def wait_after_ours(self) -> None:
        """Wait because the gateway could not take an update."""
        self._failures += 1
        wait_s = self._pace.wait_s(self._failures)
        _log.exception("an update could not be taken; it will come again", wait_s=wait_s)
        await asyncio.sleep(wait_s)

    def _note_conflict(self, wait_s: float) -> None:
        """One sentence for each episode: while two poll, each ends the other's polls in turn."""
        now, before = time.monotonic(), self._conflict_at
        self._conflict_at = now
        if before is None or now - before > self._pace.conflict_ends_after_s:
            _log.warning(_CONFLICT, wait_s=wait_s)
        else:
            _log.debug("there is still another program", wait_s=wait_s)
