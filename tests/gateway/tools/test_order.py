"""Calls of one turn: beside each other where that is safe, else in their order."""

import asyncio

from gateway.tools.order import Line, Place


async def order_of(*calls: bool) -> list[str]:
    """What happens when calls, safe to run beside others or not, are made at once."""
    line = Line()
    log: list[str] = []

    async def run(number: int, place: Place) -> None:
        async with place:
            log.append(f"{number}+")
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            log.append(f"{number}-")

    places = [line.take(is_parallel=is_parallel) for is_parallel in calls]
    async with asyncio.TaskGroup() as group:
        for number, place in enumerate(places):
            group.create_task(run(number, place))
    assert line.places == []
    return log


async def test_safe_calls_run_beside_each_other() -> None:
    assert await order_of(True, True) == ["0+", "1+", "0-", "1-"]


async def test_calls_that_are_not_safe_run_one_after_the_other() -> None:
    assert await order_of(False, False) == ["0+", "0-", "1+", "1-"]


async def test_a_safe_call_waits_for_what_came_before_it_and_is_not() -> None:
    log = await order_of(True, False, True, True)
    assert log == ["0+", "0-", "1+", "1-", "2+", "3+", "2-", "3-"]


async def test_a_call_that_is_cut_off_while_it_waits_holds_nobody_up() -> None:
    line = Line()
    first, second, third = (line.take(is_parallel=False) for _ in range(3))

    async def enter() -> None:
        async with second:
            raise AssertionError("it was cut off")

    async with first:
        waiting = asyncio.ensure_future(enter())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})
    async with asyncio.timeout(30), third:
        assert line.places == [third]
