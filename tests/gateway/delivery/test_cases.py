"""What went wrong elsewhere on the way out, from a text to a screen."""

import asyncio

from adapters.base import (
    Address,
    Ambiguous,
    ChatKind,
    Part,
    RateLimited,
    Rejected,
    TargetGone,
    Unreachable,
)
from gateway.delivery.persistence import Outcome
from gateway.delivery.reply import DeliverySettings, Reply, say
from tests.fakes import virtual_time
from tests.fakes.platform import CURSOR, FakePlatform
from tests.gateway.delivery.test_reply import ADDRESS, SETTINGS, STOP, streaming

CHAT = Address("telegram", "1", ChatKind.DIRECT)
OTHER = Address("telegram", "2", ChatKind.DIRECT)


async def test_the_plain_fallback_of_a_long_answer_is_all_of_it() -> None:
    """Cases 11 and 12a: 8,000 characters whose formatting is refused in every part."""
    platform = FakePlatform(limit=3_500)
    text = "".join(f"Step {n} - done. " for n in range(600))[:8_000]
    send = platform.send

    async def refuse_formatting(address: Address, part: Part) -> tuple[str, ...]:
        if part.payload is not None:
            raise Rejected("can't parse entities")
        return await send(address, part)

    platform.send = refuse_formatting  # type: ignore[method-assign] # a platform with a whim
    assert await say(platform, CHAT, SETTINGS, text) is Outcome.SHOWN
    assert "".join(platform.screens["1"].texts) == text
    assert "\\" not in platform.screens["1"].texts[0]


async def test_a_short_answer_is_one_message_whether_it_was_previewed_or_not() -> None:
    """Case 13."""
    platform = FakePlatform()
    for text in ("Yes.", "Yes, of course."):
        reply = Reply(platform, ADDRESS, SETTINGS, STOP)
        async with streaming(reply):
            reply.grow(text)
            for _ in range(10):
                await asyncio.sleep(0)
            await reply.finish(text)
    assert platform.screens["1"].texts == ["Yes.", "Yes, of course."]


def test_four_stated_waits_of_21_seconds_do_not_double_the_final_text() -> None:
    """Case 14, in virtual time: the edits give way, the final text comes after the wait, once."""
    platform = FakePlatform()
    platform.edit_interval_s = 0.8

    async def answer() -> float:
        reply = Reply(platform, CHAT, DeliverySettings(), STOP)
        async with streaming(reply):
            reply.grow("The first words of an answer")
            await asyncio.sleep(1)
            platform.fail("edit", *[RateLimited(21)] * 4)
            for n in range(60):
                reply.grow(f" and {n} more")
                await asyncio.sleep(1)
            assert await reply.finish("The whole answer.") is Outcome.SHOWN
        return asyncio.get_running_loop().time()

    assert virtual_time.run(answer()) < 61 + 2 * 21 + 5
    screen = platform.screens["1"]
    assert screen.texts == ["The whole answer."]
    assert sum(line.startswith("send") for line in screen.log) == 1


async def test_the_cursor_goes_whatever_becomes_of_the_last_edits() -> None:
    """Case 17."""
    for error in (Unreachable("refused"), Ambiguous("timed out"), RateLimited(0), Rejected("no")):
        platform = FakePlatform()
        reply = Reply(platform, ADDRESS, SETTINGS, STOP)
        async with streaming(reply):
            reply.grow("Hello")
            await platform.until_shown("Hello" + CURSOR)
            platform.fail("edit", error, error)
            await reply.finish("Hello")
        assert CURSOR not in platform.screens["1"].last
        assert platform.screens["1"].last == "Hello"


async def test_a_stream_of_ten_thousand_characters_makes_no_request_beyond_the_limit() -> None:
    """Case 18: a part that is full stays as it is, and the next one grows."""
    platform = FakePlatform(limit=4_000)
    reply = Reply(platform, ADDRESS, SETTINGS, STOP)
    text = "".join(f"{n:04} " for n in range(2_000))
    async with streaming(reply):
        for start in range(0, len(text), 500):
            reply.grow(text[start : start + 500])
            for _ in range(20):
                await asyncio.sleep(0)
        await platform.until(lambda screen: len(screen.texts) == 3)
        assert await reply.finish(text) is Outcome.SHOWN
    screen = platform.screens["1"]
    assert "".join(screen.texts) == text
    assert sum(line.startswith("send") for line in screen.log) == 3


async def test_every_part_of_a_long_answer_has_its_topic() -> None:
    """Case 20."""
    platform = FakePlatform(limit=20)
    reply = Reply(platform, ADDRESS, SETTINGS, STOP)
    async with streaming(reply):
        reply.grow("word " * 10)
        await platform.until(lambda screen: len(screen.texts) == 3)
        platform.fail("edit", TargetGone("deleted by somebody"))
        await reply.finish("other words " * 6)
    threads = platform.screens["1"].threads.values()
    assert len(threads) >= 4
    assert set(threads) == {"7"}


def test_an_hour_without_the_platform_costs_no_answer_and_no_other_chat_anything() -> None:
    """Case 21: connection refused while sending, then silence."""
    platform = FakePlatform()
    send = platform.send

    async def send_when_up(address: Address, part: Part) -> tuple[str, ...]:
        if address == CHAT and asyncio.get_running_loop().time() < 3_000:
            raise Unreachable("connection refused")
        return await send(address, part)

    platform.send = send_when_up  # type: ignore[method-assign] # the network's doing

    async def answer_both() -> float:
        settings = DeliverySettings()
        async with asyncio.TaskGroup() as group:
            group.create_task(say(platform, CHAT, settings, "late"))
            await say(platform, OTHER, settings, "at once")
            assert asyncio.get_running_loop().time() == 0
        return asyncio.get_running_loop().time()

    assert 3_000 <= virtual_time.run(answer_both()) < 3_100
    assert platform.screens["1"].texts == ["late"]
    assert platform.screens["2"].texts == ["at once"]


async def test_an_answer_to_a_message_that_was_deleted_is_not_lost() -> None:
    """Case 23b, with a preview that was deleted as well."""
    platform = FakePlatform()
    reply = Reply(platform, ADDRESS, SETTINGS, STOP)
    platform.fail("send", TargetGone("message to be replied not found"))
    async with streaming(reply):
        reply.grow("Hello")
        await platform.until(lambda screen: bool(screen.log))
        reply.grow(" again")
        screen = await platform.until_shown("Hello again" + CURSOR)
        screen.messages.clear()
        assert await reply.finish("Hello again") is Outcome.SHOWN
    assert platform.screens["1"].texts == ["Hello again"]
    assert set(platform.screens["1"].replies_to.values()) == {None}


async def test_text_of_a_finished_answer_never_shows_up_later() -> None:
    """Case 23a: what comes for an old turn is dropped."""
    platform = FakePlatform()
    old, new = (Reply(platform, ADDRESS, SETTINGS, STOP) for _ in range(2))
    async with streaming(old):
        old.grow("The old answer")
        await platform.until_shown("The old answer" + CURSOR)
        await old.finish("The old answer\n\n*(stopped)*")
    async with streaming(new):
        old.grow(" and its rest")
        old.tell("⚙️ still working …")
        await new.finish("The new answer")
    assert platform.screens["1"].texts == ["The old answer\n\n*(stopped)*", "The new answer"]


async def test_an_end_that_comes_while_an_edit_is_under_way_waits_for_it_and_sends_nothing() -> (
    None
):
    """Case 22: stopping while the answer was being edited in sent the whole text again."""
    platform, entered, leave = FakePlatform(), asyncio.Event(), asyncio.Event()
    edit = platform.edit

    async def wait_and_edit(address: Address, message_id: str, part: Part) -> None:
        entered.set()
        await leave.wait()
        await edit(address, message_id, part)

    reply = Reply(platform, ADDRESS, SETTINGS, STOP)
    async with streaming(reply):
        reply.grow("Hello")
        await platform.until_shown("Hello" + CURSOR)
        platform.edit = wait_and_edit  # type: ignore[method-assign] # a slow network
        reply.grow(", world")
        await entered.wait()
        finishing = asyncio.ensure_future(reply.finish("Hello\n\n*(stopped)*"))
        await asyncio.sleep(0)
        leave.set()
        assert await finishing is Outcome.SHOWN
    screen = platform.screens["1"]
    assert screen.texts == ["Hello\n\n*(stopped)*"]
    assert sum(line.startswith("send") for line in screen.log) == 1


def test_a_preview_that_can_not_be_taken_away_holds_a_turn_up_for_a_minute_at_most() -> None:
    platform = FakePlatform()
    platform.fail("delete", *[Unreachable("connection refused")] * 100)

    async def withdraw() -> float:
        reply = Reply(platform, CHAT, DeliverySettings(first_edit_chars=1), STOP)
        async with streaming(reply):
            reply.grow("some text")
            await asyncio.sleep(1)
            assert await reply.withdraw() is Outcome.UNREACHED
        return asyncio.get_running_loop().time()

    assert 60 <= virtual_time.run(withdraw()) < 70
