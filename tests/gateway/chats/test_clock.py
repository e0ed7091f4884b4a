"""The machine's clock is set while turns run: days ahead, days back. Nothing hangs on it."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.gateway.chats.small_gateway import Start

NOON = datetime(2031, 5, 6, 12, 0, tzinfo=UTC)


class Clock:
    """A clock that somebody sets."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.mark.parametrize("days", [1, 400, -1, -400])
async def test_a_jump_in_mid_turn_loses_and_doubles_nothing(start: Start, days: int) -> None:
    clock = Clock()
    async with start(clock=clock) as gateway:
        drip = gateway.model.enqueue(text="the first answer", gated=True)
        await gateway.platform.say("one")
        await drip.started.wait()
        clock.now += timedelta(days=days)
        gateway.model.enqueue(text="the second answer")
        await gateway.platform.say("two")
        drip.release(100)
        await gateway.platform.until_shown("the first answer", "the second answer")
        clock.now -= timedelta(days=days)
        gateway.model.enqueue(text="the third answer")
        await gateway.platform.say("three")
        await gateway.platform.until_shown(
            "the first answer", "the second answer", "the third answer"
        )
        said = [message["content"] for message in await gateway.history()]
    assert said[1::2] == ["the first answer", "the second answer", "the third answer"]


async def test_what_waited_at_a_restart_is_answered_in_order_though_the_clock_went_back(
    start: Start,
) -> None:
    clock = Clock()
    async with start(clock=clock, shutdown_grace_s=0) as gateway:
        drip = gateway.model.enqueue(text="never comes", gated=True)
        await gateway.platform.say("one")
        await drip.started.wait()
        clock.now -= timedelta(days=3)
        await gateway.platform.say("two")
    clock.now -= timedelta(days=3)
    async with start(clock=clock) as gateway:
        for answer in ("answer to one", "answer to two"):
            gateway.model.enqueue(text=answer)
        await gateway.platform.until_shown("answer to one", "answer to two")


async def test_a_question_is_neither_given_up_nor_kept_for_ever(start: Start) -> None:
    clock = Clock()
    question = {"question": "Red or blue?", "choices": ["Red", "Blue"]}
    async with start(clock=clock) as gateway:
        gateway.model.enqueue(tool_calls=[("clarify", question)])
        await gateway.platform.say("paint it")
        await gateway.platform.until_shown("Red or blue?")
        clock.now += timedelta(days=2)
        gateway.model.enqueue(text="Blue it is.")
        await gateway.platform.press("Blue")
        await gateway.platform.until(lambda screen: screen.last == "Blue it is.")
