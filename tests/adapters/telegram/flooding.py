"""The real client and a fake with Telegram's published limits, in virtual time; no waiting."""

import asyncio
import gc
from collections.abc import Awaitable, Callable

from adapters.base import Address
from adapters.telegram.adapter import TelegramAdapter
from gateway.delivery.persistence import Outcome
from gateway.delivery.reply import DeliverySettings, Reply
from tests.adapters.telegram.serving import adapter_for
from tests.fakes import virtual_time
from tests.fakes.telegram import FakeTelegram, FloodLimits

Work = Callable[[FakeTelegram, TelegramAdapter, DeliverySettings], Awaitable[None]]

# On a busy machine a connection may be given up as the clock jumps, and httpx leaves its socket to
# the garbage collector: seen with a hundred chats at once. It is of no interest to these tests.
LEFT_TO_COLLECTOR = "ignore:unclosed:ResourceWarning"


def served(work: Work, *, drafts: bool = True, patience_s: float = 0.002) -> None:
    """Run `work(fake, adapter, settings)` between a fake with the published limits and a client.

    More patience lets uploads arrive before the clock jumps: they go by way of threads.
    """

    async def run() -> None:
        fake = FakeTelegram(flood=FloodLimits.published())
        fake.flood.clock = asyncio.get_running_loop().time
        async with fake:
            adapter = adapter_for(fake, drafts=drafts)
            try:
                await work(fake, adapter, DeliverySettings())
            finally:
                await adapter.close()
        await asyncio.sleep(1)  # of virtual time: what was closed is gone
        assert fake.world.violations == []

    virtual_time.run(run(), patience_s=patience_s)
    gc.collect()  # what is left over is told now, and not in another test


async def stream(
    adapter: TelegramAdapter, address: Address, settings: DeliverySettings, text: str
) -> Outcome:
    """An answer that grows for some ten seconds, and then is there."""
    reply = Reply(adapter, address, settings)
    async with asyncio.TaskGroup() as group:
        group.create_task(reply.stream())
        for start in range(0, len(text), len(text) // 60 + 1):
            reply.grow(text[start : start + len(text) // 60 + 1])
            await asyncio.sleep(0.17)
        return await reply.finish(text)
