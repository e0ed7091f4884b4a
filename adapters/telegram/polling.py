"""Long polling that acknowledges an update only once it has been taken.

Telegram forgets an update when `getUpdates` is called with a higher offset ("Getting updates").
The client's own Updater moves the offset as soon as it has put updates into a queue in memory; a
process that dies then has lost them. Here the offset follows the hand-over, one update at a time.
What an update means is inbound.py's business.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from telegram import Bot
from telegram.error import Conflict, EndPointNotFound, InvalidToken, RetryAfter, TelegramError

from adapters.base import AdapterError, Pulse, RateLimited
from adapters.telegram.errors import scrub, translate

ALLOWED_UPDATES = ("message", "callback_query")

# do_api_request warns against endpoints that the client has a method for. We want the plain JSON
# all the same: one update that the client can't read must not cost us the others. This spelling
# is turned into getUpdates, and goes over the connection that is kept for it.
_GET_UPDATES = "get_Updates"

_CONFLICT = (
    "Another program is fetching this bot's messages: stop it, or give it a token of its own."
)

_log = structlog.get_logger(__name__)

RawUpdate = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Pace:
    """How long to listen, and how long to wait after failures: 5, 10, 20, 40, 60, 60, … s."""

    long_poll_s: int = 30
    answer_within_s: float = 10  # of the end of a long poll; then the connection counts as dead
    first_wait_s: float = 5
    longest_wait_s: float = 60

    @property
    def max_silence_s(self) -> float:
        """Two polls without an answer: something is wrong."""
        return 2 * (self.long_poll_s + self.answer_within_s)

    def wait_s(self, failures: int) -> float:
        """The pause after so many failures in a row."""
        return min(self.first_wait_s * 2.0 ** min(failures - 1, 30), self.longest_wait_s)


class Poller:
    """Fetches updates and hands them over in order, for ever."""

    def __init__(self, bot: Bot, pace: Pace) -> None:
        self._bot = bot
        self._pace = pace
        self.pulse = Pulse(pace.max_silence_s)
        self._offset: int | None = None

    async def connect(self, prepare: Callable[[], Awaitable[None]]) -> None:
        """Carry out `prepare`, again and again if Telegram can't be reached."""
        failures = 0
        while True:
            try:
                return await prepare()
            except TelegramError as error:
                failures += 1
                await self._pause(error, failures)

    async def run(self, take: Callable[[RawUpdate], Awaitable[None]]) -> None:
        """Give each update to `take`; one that it fails on comes again after a pause."""
        failures = 0
        while True:
            try:
                updates = await self._fetch()
                await self._hand_over(updates, take)
                failures = 0
            except TelegramError as error:
                failures += 1
                await self._pause(error, failures)
            except Exception:  # noqa: BLE001 - whatever the gateway raised, the update is kept
                failures += 1
                wait_s = self._pace.wait_s(failures)
                _log.exception("An update could not be taken; it will come again", wait_s=wait_s)
                await asyncio.sleep(wait_s)

    async def _fetch(self) -> Sequence[RawUpdate]:
        arguments: dict[str, Any] = {
            "timeout": self._pace.long_poll_s,
            "allowed_updates": list(ALLOWED_UPDATES),
        }
        if self._offset is not None:
            arguments["offset"] = self._offset
        result: Any = await self._bot.do_api_request(
            _GET_UPDATES,
            api_kwargs=arguments,
            read_timeout=self._pace.long_poll_s + self._pace.answer_within_s,
        )
        if not isinstance(result, list):
            raise TelegramError("getUpdates did not answer with a list")
        self.pulse.beat()
        return result

    async def _hand_over(
        self, updates: Sequence[RawUpdate], take: Callable[[RawUpdate], Awaitable[None]]
    ) -> None:
        for update in updates:
            await take(update)
            self._offset = update["update_id"] + 1

    async def _pause(self, error: TelegramError, failures: int) -> None:
        """Wait as long as this error asks for. Raises it if waiting is of no use."""
        token = self._bot.token
        if isinstance(error, InvalidToken | EndPointNotFound):
            raise translate(error, token) from None
        wait_s = self._pace.wait_s(failures)
        if isinstance(error, Conflict):
            _log.warning(_CONFLICT, wait_s=wait_s)
        elif isinstance(error, RetryAfter):
            limit: AdapterError = translate(error, token)
            wait_s = limit.retry_after_s if isinstance(limit, RateLimited) else wait_s
            _log.warning("Telegram asks to fetch less often", wait_s=wait_s)
        else:
            reason = scrub(error.message, token)
            _log.warning("Telegram can't be reached", reason=reason, wait_s=wait_s)
        await asyncio.sleep(wait_s)
