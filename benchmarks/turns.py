"""What the gateway itself takes of a turn."""

import asyncio
import itertools
import time
from statistics import median, quantiles

import structlog

from benchmarks.figure import Figure, figure
from benchmarks.hosted import hosted

_CHATS = 200
_TURNS_OF_EACH = 6
_ALONE = 10  # chats that are measured one after the other …
_TURNS_OF_ONE = 30  # … for so many turns, so that histories are of usual length


def measure() -> list[Figure]:
    """Own time of turns in one chat, and turns per second in many."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    taken_ms = asyncio.run(_one_chat())
    rate = asyncio.run(_many_chats())
    return [
        figure("own time in a turn, median", median(taken_ms), "ms", "<=", 6),
        figure("own time in a turn, p99", quantiles(taken_ms, n=100)[98], "ms", "<=", 25),
        figure(f"turns with a tool call, {_CHATS} chats, journal on", rate, "/s", ">=", 150),
    ]


async def _one_chat() -> list[float]:
    async with hosted() as gateway:
        taken = []
        for chat, number in itertools.product(range(1, _ALONE + 1), range(_TURNS_OF_ONE)):
            began = time.perf_counter()
            await gateway.turn(str(chat), str(number))
            taken.append(1_000 * (time.perf_counter() - began))
            await gateway.idle(str(chat))
        return taken


async def _many_chats() -> float:
    async with hosted(tools=True) as gateway:

        async def talk(chat: str) -> None:
            for number in range(_TURNS_OF_EACH):
                await gateway.turn(chat, str(number))
                await gateway.idle(chat)

        names = [str(number) for number in range(1, _CHATS + 1)]
        await asyncio.gather(*(gateway.turn(name, "first") for name in names))
        began = time.perf_counter()
        await asyncio.gather(*map(talk, names))
        return _CHATS * _TURNS_OF_EACH / (time.perf_counter() - began)
