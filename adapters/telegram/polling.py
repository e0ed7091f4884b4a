"""Long polling that acknowledges an update only once it has been taken.

Telegram forgets an update when `getUpdates` is called with a higher offset ("Getting updates").
The client's own Updater moves the offset as soon as it has put updates into a queue in memory; a
process that dies then has lost them. Here the offset follows the hand-over, one update at a time.
A poll that does not end is given up together with its connection. What an update means is the
business of `inbound/`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import structlog
from telegram import Bot
from telegram.error import TelegramError
from telegram.request import BaseRequest

from adapters.base import Pulse
from adapters.telegram.inbound.reader import RawUpdate
from adapters.telegram.inbound.updates import ALLOWED_UPDATES
from adapters.telegram.patience import Pace, Patience

# do_api_request warns against endpoints that the client has a method for. We want the plain JSON
# all the same: one update that the client can't read must not cost us the others. This spelling
# is turned into getUpdates, and goes over the connection that is kept for it.
_GET_UPDATES = "get_Updates"

_log = structlog.get_logger(__name__)


class Poller:
    """Fetches updates and hands them over in order, for ever.

    `request` is the bot's own for `getUpdates`.
    """

    def __init__(self, bot: Bot, pace: Pace, request: BaseRequest) -> None:
        self._bot = bot
        self._pace = pace
        self._request = request
        self._patience = Patience(pace, bot.token)
        self.pulse = Pulse(pace.max_silence_s)
        self._offset: int | None = None

    async def connect(self) -> None:
        """Get ready, as soon as Telegram can be reached. Raises `TokenRefused`."""
        await self._patience.until_done(self._prepare)

    async def run(self, take: Callable[[RawUpdate], Awaitable[None]]) -> None:
        """Give each update to `take`; one that it fails on comes again after a pause."""
        while True:
            try:
                updates = await self._fetch()
                await self._hand_over(updates, take)
                self._patience.succeeded()
            except TelegramError as error:
                await self._patience.wait_out(error)
            except Exception:  # noqa: BLE001 - whatever the gateway raised, the update is kept
                await self._patience.wait_after_ours()

    async def _prepare(self) -> None:
        await self._bot.initialize()
        # A webhook that is set makes every getUpdates fail.
        await self._bot.delete_webhook(drop_pending_updates=False)

    async def _fetch(self) -> Sequence[RawUpdate]:
        arguments: dict[str, Any] = {
            "timeout": self._pace.long_poll_s,
            "allowed_updates": list(ALLOWED_UPDATES),
        }
        if self._offset is not None:
            arguments["offset"] = self._offset
        try:
            async with asyncio.timeout(self._pace.deaf_after_s):
                result: Any = await self._bot.do_api_request(
                    _GET_UPDATES,
                    api_kwargs=arguments,
                    read_timeout=self._pace.long_poll_s + self._pace.answer_within_s,
                )
        except TimeoutError:
            await self._renew_connection()
            return ()
        if not isinstance(result, list):
            raise TelegramError("getUpdates did not answer with a list")
        self.pulse.beat()
        if not result:
            # What was below the offset is forgotten by now, so it has done its work. Kept, it would
            # make us deaf: after a week without any, the next update may have a lower id (Bot API,
            # Update.update_id).
            self._offset = None
        return result

    async def _renew_connection(self) -> None:
        """The client's time-outs count from the last byte: a proxy that keeps sending some, or a
        connection that dies at the wrong moment, would leave us alive and deaf for hours."""
        _log.warning("a poll did not end: polling begins anew", after_s=self._pace.deaf_after_s)
        await self._request.shutdown()
        await self._request.initialize()

    async def _hand_over(
        self, updates: Sequence[RawUpdate], take: Callable[[RawUpdate], Awaitable[None]]
    ) -> None:
        for update in updates:
            await take(update)
            self._offset = update["update_id"] + 1
