"""A growing text on a screen: shown once, whatever happens on the way."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from adapters.base import (
    Address,
    Ambiguous,
    Button,
    ChatGone,
    ChatKind,
    RateLimited,
    Rejected,
    TargetGone,
    Unreachable,
)
from gateway.delivery.persistence import Outcome
from gateway.delivery.reply import DeliverySettings, Reply
from tests.fakes.platform import CURSOR, FakePlatform

ADDRESS = Address("telegram", "1", ChatKind.DIRECT, thread_id="7", reply_to="in1")
STOP = ((Button("Stop", "stop:t1"),),)
SETTINGS = DeliverySettings(first_edit_chars=5, backoff_s=(0, 0, 0))
LONG = "The quick brown fox jumps over the lazy dog."


def make_reply(platform: FakePlatform, settings: DeliverySettings = SETTINGS) -> Reply:
    return Reply(platform, ADDRESS, settings, STOP)


@asynccontextmanager
async def streaming(reply: Reply) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as group:
        group.create_task(reply.stream())
        yield


async def test_a_reply_grows_by_edits_and_ends_without_cursor_or_button() -> None:
    platform = FakePlatform()
    reply = make_reply(platform)
    async with streaming(reply):
        reply.grow("Hello")
        await platform.until_shown("Hello" + CURSOR)
        assert [button.label for button in platform.screens["1"].buttons] == ["Stop"]
        reply.grow(", world")
        await platform.until_shown("Hello, world" + CURSOR)
        assert await reply.finish("Hello, world!") is Outcome.SHOWN
    screen = platform.screens["1"]
    assert screen.texts == ["Hello, world!"]
    assert screen.buttons == []
    assert [line.split()[0] for line in screen.log] == ["send", "edit", "edit"]


async def test_a_short_text_is_not_previewed() -> None:
    platform = FakePlatform()
    reply = make_reply(platform)
    async with streaming(reply):
        reply.grow("Hi")
        await reply.finish("Hi")
    assert platform.screens["1"].log == ["send Hi"]


async def test_without_streaming_only_the_final_text_is_sent() -> None:
    platform = FakePlatform()
    reply = make_reply(platform, DeliverySettings(is_streaming=False))
    async with streaming(reply):
        reply.grow(LONG)
        await reply.finish(LONG)
    assert platform.screens["1"].log == [f"send {LONG}"]


async def test_a_long_text_is_split_and_only_its_first_part_is_a_reply() -> None:
    platform = FakePlatform(limit=20)
    reply = make_reply(platform)
    async with streaming(reply):
        reply.grow(LONG)
        await platform.until(lambda screen: len(screen.texts) == 3)
        await reply.finish(LONG)
    screen = platform.screens["1"]
    assert "".join(screen.texts) == LONG
    assert list(screen.replies_to.values()) == ["in1", None, None]


async def test_a_final_text_shorter_than_its_preview_leaves_nothing_behind() -> None:
    platform = FakePlatform(limit=20)
    reply = make_reply(platform)
    async with streaming(reply):
        reply.grow(LONG)
        await platform.until(lambda screen: len(screen.texts) == 3)
        await reply.finish("No.")
    assert platform.screens["1"].texts == ["No."]


async def test_a_stream_that_starts_again_takes_the_place_of_the_first() -> None:
    platform = FakePlatform()
    reply = make_reply(platform)
    async with streaming(reply):
        reply.grow("wrong start")
        await platform.until_shown("wrong start" + CURSOR)
        reply.begin(continues=False)
        reply.grow("right")
        await platform.until_shown("right" + CURSOR)
        reply.begin(continues=True)
        reply.grow(" again")
        await platform.until_shown("right again" + CURSOR)
        reply.grow(None)
        reply.grow(" at last")
        await platform.until_shown("right at last" + CURSOR)
        await reply.finish(reply.text)
    assert platform.screens["1"].texts == ["right at last"]


async def test_a_stream_that_was_taken_back_leaves_the_screen_until_there_is_more() -> None:
    platform = FakePlatform()
    reply = make_reply(platform)
    async with streaming(reply):
        reply.grow("wrong start")
        await platform.until_shown("wrong start" + CURSOR)
        reply.grow(" that goes on")
        reply.grow(None)
        for _ in range(20):
            await asyncio.sleep(0)
        assert platform.screens["1"].texts == ["wrong start" + CURSOR]
        await reply.finish("right")
    assert platform.screens["1"].texts == ["right"]


async def test_text_that_comes_after_the_end_is_dropped() -> None:
    platform = FakePlatform()
    reply = make_reply(platform)
    async with streaming(reply):
        await reply.finish("done")
        reply.grow("stale text of an old turn")
        reply.begin(continues=False)
    assert platform.screens["1"].texts == ["done"]
    assert reply.text == ""


async def test_a_withdrawn_reply_leaves_an_empty_screen() -> None:
    platform = FakePlatform()
    reply = make_reply(platform)
    async with streaming(reply):
        reply.grow(LONG)
        await platform.until_shown(LONG + CURSOR)
        await reply.withdraw()
    assert platform.screens["1"].texts == []


async def test_flood_waits_during_the_edits_do_not_double_the_final_text() -> None:
    platform = FakePlatform()
    reply = make_reply(platform)
    platform.fail("edit", *[RateLimited(0.001)] * 4)
    async with streaming(reply):
        for n in range(20):
            reply.grow(f"{n} words ")
            await asyncio.sleep(0)
        await platform.until(lambda screen: sum("edit" in line for line in screen.log) >= 1)
        await reply.finish("the final text")
    assert platform.screens["1"].texts == ["the final text"]


async def test_after_three_strikes_the_edits_stop_until_the_end() -> None:
    platform = FakePlatform()
    reply = make_reply(platform)
    platform.fail("send", *[Unreachable("refused")] * 3)
    async with streaming(reply):
        for n in range(3):
            reply.grow(f"{n} attempt ")
            await platform.until(lambda screen, n=n: len(screen.log) == n + 1)  # type: ignore[misc]
        reply.grow("no one sees this before the end")
    # `stream` has returned by itself: it has given up.
    assert len(platform.screens["1"].log) == 3
    assert await reply.finish("all of it") is Outcome.SHOWN
    assert platform.screens["1"].texts == ["all of it"]


async def test_a_preview_that_may_have_been_shown_is_not_followed_by_another() -> None:
    platform = FakePlatform()
    reply = make_reply(platform)
    platform.fail("send", Ambiguous("timed out"), done_all_the_same=True)
    async with streaming(reply):
        reply.grow("some text")
        await platform.until_shown("some text" + CURSOR)
        reply.grow(" and more")
    assert len(platform.screens["1"].log) == 1
    await reply.finish("some text and more")
    assert platform.screens["1"].texts[-1] == "some text and more"


async def test_a_final_text_that_may_have_arrived_is_shown_once() -> None:
    platform = FakePlatform()
    platform.fail("send", Ambiguous("timed out"), done_all_the_same=True)
    assert await make_reply(platform).finish("once") is Outcome.UNKNOWN
    assert platform.screens["1"].texts == ["once"]


async def test_a_last_edit_that_fails_is_made_until_the_cursor_is_gone() -> None:
    platform = FakePlatform()
    reply = make_reply(platform)
    async with streaming(reply):
        reply.grow("Hello")
        await platform.until_shown("Hello" + CURSOR)
        platform.fail("edit", Ambiguous("timed out"), Unreachable("refused"), RateLimited(0))
        assert await reply.finish("Hello") is Outcome.SHOWN
    assert platform.screens["1"].texts == ["Hello"]


async def test_refused_formatting_is_shown_as_plain_text() -> None:
    platform = FakePlatform()
    platform.fail("send", Rejected("can't parse entities"))
    assert await make_reply(platform).finish("*odd") is Outcome.SHOWN
    assert [part.payload for part in platform.screens["1"].messages.values()] == [None]


async def test_a_part_that_is_refused_for_good_does_not_take_the_others_with_it() -> None:
    platform = FakePlatform(limit=20)
    platform.fail("send", Rejected("bad"), Rejected("still bad"))
    assert await make_reply(platform).finish(LONG) is Outcome.REFUSED
    assert platform.screens["1"].texts == [LONG[20:40], LONG[40:]]


async def test_a_deleted_preview_is_replaced_by_a_new_message() -> None:
    platform = FakePlatform()
    reply = make_reply(platform)
    async with streaming(reply):
        reply.grow("Hello")
        screen = await platform.until_shown("Hello" + CURSOR)
        screen.messages.clear()
        assert await reply.finish("Hello again") is Outcome.SHOWN
    assert platform.screens["1"].texts == ["Hello again"]


async def test_an_answer_to_a_deleted_message_is_sent_without_the_reference() -> None:
    platform = FakePlatform()
    platform.fail("send", TargetGone("message to be replied not found"))
    assert await make_reply(platform).finish("here") is Outcome.SHOWN
    assert list(platform.screens["1"].replies_to.values()) == [None]


async def test_a_chat_that_is_gone_is_not_tried_part_by_part() -> None:
    platform = FakePlatform(limit=20)
    platform.fail("send", ChatGone("blocked"))
    assert await make_reply(platform).finish(LONG) is Outcome.GONE
    assert len(platform.screens["1"].log) == 1


async def test_an_unreachable_platform_is_given_up_after_a_bounded_number_of_tries() -> None:
    platform = FakePlatform(limit=20)
    platform.fail("send", *[Unreachable("refused")] * 4)
    assert await make_reply(platform).finish(LONG) is Outcome.UNREACHED
    assert len(platform.screens["1"].log) == 4


@pytest.mark.parametrize("error", [RateLimited(0), Unreachable("refused")])
async def test_nothing_is_lost_when_parts_fail_in_the_middle(
    error: RateLimited | Unreachable,
) -> None:
    platform = FakePlatform(limit=10)
    reply = make_reply(platform)
    async with streaming(reply):
        reply.grow(LONG)
        await platform.until(lambda screen: len(screen.texts) == 5)
        platform.fail("edit", error, error)
        await reply.finish(LONG.upper())
    assert "".join(platform.screens["1"].texts) == LONG.upper()
