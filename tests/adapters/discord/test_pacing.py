"""Calls are held apart by when they begin; what may be left out is left out where others wait."""

import asyncio

from adapters.discord.pacing import CALLS_PER_S, MESSAGES, Pacer


class Clock:
    """Time that passes while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def read(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)  # others may come in the meantime
        self.now += seconds


def test_all_calls_together_stay_within_fifty_in_any_second_with_some_to_spare() -> None:
    assert CALLS_PER_S + 1 < 50
    assert MESSAGES.per_s < CALLS_PER_S  # there is room for what is no message


async def test_calls_that_come_at_once_begin_one_after_the_other() -> None:
    clock = Clock()
    pacer = Pacer(4, clock.read, clock.sleep)
    began: list[tuple[int, float]] = []

    async def call(number: int) -> None:
        await pacer.enter()
        began.append((number, clock.now))

    await asyncio.gather(*(call(number) for number in range(4)))
    assert began == [(0, 100.0), (1, 100.25), (2, 100.5), (3, 100.75)]


async def test_places_that_nobody_took_are_not_kept_for_later() -> None:
    clock = Clock()
    pacer = Pacer(4, clock.read, clock.sleep)
    await pacer.enter()
    clock.now += 60
    await pacer.enter()
    await pacer.enter()
    assert clock.now == 160.25


async def test_it_is_busy_as_long_as_somebody_waits() -> None:
    clock = Clock()
    pacer = Pacer(4, clock.read, clock.sleep)
    await pacer.enter()
    seen = [pacer.is_busy]
    waiting = asyncio.create_task(pacer.enter())
    await asyncio.sleep(0)
    seen.append(pacer.is_busy)
    await waiting
    seen.append(pacer.is_busy)
    assert seen == [False, True, False]
