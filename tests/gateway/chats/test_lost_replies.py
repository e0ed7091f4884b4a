"""Messages of which nobody knows whether they arrived: nothing is doubled, nothing stays behind."""

import asyncio
from typing import Any

import pytest

from adapters.base import AdapterError, Ambiguous, Rejected, Unreachable
from gateway.chats.lost_replies import NOT_HEARD
from tests.fakes.hanging import hanging_at
from tests.fakes.platform import CURSOR, FakePlatform, SearchablePlatform
from tests.gateway.chats.small_gateway import Start

CHAT = "telegram:dm:1"


async def test_an_answer_that_the_platform_never_confirmed_is_shown_again_only_if_asked_for(
    start: Start,
) -> None:
    """Cases 15 and 16: a time-out after sending, a send that brings no id."""
    async with start(streaming=False) as gateway:
        gateway.platform.fail("send", Ambiguous("timed out"))
        gateway.model.enqueue(text="the answer")
        await gateway.platform.say("the question")
        screen = await gateway.platform.until_shown(NOT_HEARD)
        assert screen.texts == [NOT_HEARD]
        await gateway.platform.press("Show it again")
        await gateway.platform.until_shown(NOT_HEARD, "the answer")
        await gateway.platform.press("Show it again")
        screen = await gateway.platform.until(lambda s: "nothing to show" in s.last)
        assert screen.texts.count("the answer") == 1


async def test_a_notice_that_may_not_have_arrived_is_said_again(start: Start) -> None:
    async with start(streaming=False) as gateway:
        gateway.platform.fail("send", *[Ambiguous("timed out")] * 2)
        gateway.model.enqueue(text="the answer")
        await gateway.platform.say("the question")
        await gateway.platform.until_shown(NOT_HEARD)
        await gateway.platform.press("Show it again")
        await gateway.platform.until_shown(NOT_HEARD, "the answer")


@pytest.mark.parametrize("error", [Ambiguous("timed out"), Rejected("no")])
async def test_what_is_shown_again_in_vain_can_be_shown_once_more(
    start: Start, error: AdapterError
) -> None:
    async with start(streaming=False) as gateway:
        gateway.platform.fail("send", Ambiguous("timed out"))
        gateway.model.enqueue(text="the answer")
        await gateway.platform.say("the question")
        await gateway.platform.until_shown(NOT_HEARD)
        gateway.platform.fail("send", error, error)  # as it is, and as plain text
        await gateway.platform.press("Show it again")
        await gateway.chats.idle(CHAT)
        gateway.platform.failures.clear()
        await gateway.platform.press("Show it again")
        await gateway.platform.until(lambda s: s.texts.count("the answer") == 1)


async def test_a_press_while_it_is_being_shown_again_shows_it_no_second_time(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with start(streaming=False) as gateway:
        gateway.platform.fail("send", Ambiguous("timed out"))
        gateway.model.enqueue(text="the answer")
        await gateway.platform.say("the question")
        await gateway.platform.until_shown(NOT_HEARD)
        sending, may_arrive = asyncio.Event(), asyncio.Event()
        send = gateway.platform.send

        async def slowly(*arguments: Any) -> tuple[str, ...]:
            sending.set()
            await may_arrive.wait()
            return await send(*arguments)

        monkeypatch.setattr(gateway.platform, "send", slowly)
        await gateway.platform.press("Show it again")
        await sending.wait()
        await gateway.platform.press("Show it again")
        may_arrive.set()
        await gateway.chats.idle(CHAT)
        assert gateway.platform.screens["1"].texts == [NOT_HEARD, "the answer"]


async def test_a_question_that_may_not_have_arrived_is_shown_once_more(start: Start) -> None:
    async with start(streaming=False) as gateway:
        gateway.platform.fail("send", Ambiguous("timed out"))
        question = {"question": "Which city?", "choices": ["Berlin", "Paris"]}
        gateway.model.enqueue(tool_calls=[("clarify", question)])
        gateway.model.enqueue(text="Paris is booked.")
        await gateway.platform.say("book a trip")
        await gateway.platform.until(lambda s: bool(s.buttons))
        await gateway.platform.press("Paris")
        await gateway.platform.until(lambda s: s.last == "Paris is booked.")


async def test_only_the_part_that_was_in_doubt_is_shown_again(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with start(streaming=False) as gateway:
        gateway.platform.limit = 300
        text = "a" * 300 + "b" * 300 + "c" * 10
        gateway.model.enqueue(text=text)
        sent = gateway.platform.send

        async def second_is_lost(*arguments: Any) -> tuple[str, ...]:
            if arguments[1].text.startswith("b"):
                raise Ambiguous("timed out")
            return await sent(*arguments)

        monkeypatch.setattr(gateway.platform, "send", second_is_lost)
        await gateway.platform.say("a long one")
        await gateway.platform.until_shown("a" * 300, "c" * 10, NOT_HEARD)
        monkeypatch.setattr(gateway.platform, "send", sent)
        await gateway.platform.press("Show it again")
        await gateway.platform.until_shown("a" * 300, "c" * 10, NOT_HEARD, "b" * 300)


async def leave_a_stray(start: Start, first: FakePlatform) -> None:
    """A gateway that goes down while a preview arrives, before it hears of its id."""
    async with start(platform=first) as gateway:
        with hanging_at(first, arrives=True) as has_come:
            drip = gateway.model.enqueue(text="Once upon a time there was a gateway.", gated=True)
            await gateway.platform.say("a story")
            drip.release(3)
            await has_come.wait()
    assert first.screens["1"].last.endswith(CURSOR)


async def test_a_stray_preview_is_looked_for_and_becomes_the_answer(
    start: Start,
) -> None:
    platform = SearchablePlatform()
    await leave_a_stray(start, platform)
    platform.fail("find", Unreachable("not connected yet"))
    async with start(platform=platform) as second:
        second.model.enqueue(text="Once upon a time there was a gateway.")
        screen = await platform.until(lambda s: s.last.endswith("gateway."))
        await second.chats.idle("telegram:dm:1")
    assert screen.texts == ["Once upon a time there was a gateway."]
    assert sum(line.startswith("send") for line in screen.log) == 1


async def test_where_it_can_not_be_found_its_button_takes_it_away(
    start: Start,
) -> None:
    platform = FakePlatform()
    await leave_a_stray(start, platform)
    async with start(platform=platform) as second:
        second.model.enqueue(text="Once upon a time there was a gateway.")
        screen = await platform.until(lambda s: s.last.endswith("gateway."))
        await second.chats.idle("telegram:dm:1")
        assert len(screen.texts) == 2
        assert await platform.press("Stop") == "This answer is no longer being written."
        screen = await platform.until(lambda s: len(s.texts) == 1)
    assert screen.texts == ["Once upon a time there was a gateway."]
