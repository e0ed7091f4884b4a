"""Commands that were acknowledged and have no answer yet: Discord shows "is thinking…" for them.

Some commands have nothing to say (/stop), and some answers wait behind others. After a while the
line is taken away; an answer that comes later is a message of its own.
"""

import asyncio
from collections.abc import Awaitable, Callable

import aiohttp
import discord
import structlog

from adapters.base import Address
from adapters.discord.interactions import Pass

THINKING_S = 60.0

TakeAway = Callable[[], Awaitable[None]]

_log = structlog.get_logger(__name__)


class Waiting:
    """Which acknowledgements still show, each with the task that takes it away."""

    def __init__(self, thinking_s: float = THINKING_S) -> None:
        self._thinking_s = thinking_s
        self._clearing: dict[str, asyncio.Task[None]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def begin(self, leave: Pass, take_away: TakeAway) -> None:
        """An interaction was acknowledged; `take_away` removes what shows that."""
        loop = asyncio.get_running_loop()
        self._timers[leave.token] = loop.call_later(
            self._thinking_s, self._clear, leave.token, take_away
        )

    async def end(self, address: Address) -> None:
        """An answer goes out: it takes the line's place, unless that is being taken away."""
        leave = Pass.in_address(address)
        if leave is None:
            return
        if (timer := self._timers.pop(leave.token, None)) is not None:
            timer.cancel()
        if (clearing := self._clearing.get(leave.token)) is not None:
            await asyncio.wait([clearing])

    async def close(self) -> None:
        """Leave all lines to Discord, which takes them away after a quarter of an hour."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        if self._clearing:
            await asyncio.wait(self._clearing.values())

    def _clear(self, token: str, take_away: TakeAway) -> None:
        self._timers.pop(token, None)
        task = asyncio.create_task(_taken_away(take_away))
        self._clearing[token] = task
        task.add_done_callback(lambda _: self._clearing.pop(token, None))


async def _taken_away(take_away: TakeAway) -> None:
    try:
        await take_away()
    except (discord.DiscordException, aiohttp.ClientError) as error:
        _log.info("an acknowledgement was not taken away", why=str(error)[:200])
