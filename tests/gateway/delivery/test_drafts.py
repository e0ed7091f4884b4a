"""A growing text on a platform that has drafts: what is left behind is nothing."""

import asyncio
from itertools import pairwise

import pytest

from adapters.base import (
    Address,
    Ambiguous,
    ChatKind,
    Part,
    Rate,
    RateLimits,
    Rejected,
    Unreachable,
)
from gateway.delivery.persistence import Outcome
from gateway.delivery.reply import DeliverySettings, Reply
from tests.fakes import virtual_time
from tests.fakes.platform import CURSOR, DraftingPlatform, Screen
from tests.gateway.delivery.test_reply import ADDRESS, LONG, SETTINGS, STOP, streaming

GROUP = Address("telegram", "-5", ChatKind.GROUP)


def drafted(screen: Screen) -> list[str]:
    return [part.text for part in screen.drafts.values()]


async def test_a_growing_text_is_a_draft_and_the_final_one_the_only_message() -> None:
    platform = DraftingPlatform()
    reply = Reply(platform, ADDRESS, SETTINGS, STOP)
    async with streaming(reply):
        reply.grow("Hello")
        await platform.until(lambda screen: drafted(screen) == ["Hello" + CURSOR])
        reply.grow(", world")
        await platform.until(lambda screen: drafted(screen) == ["Hello, world" + CURSOR])
        assert platform.screens["1"].messages == {}
        assert await reply.finish("Hello, world!") is Outcome.SHOWN
    screen = platform.screens["1"]
    assert screen.texts == ["Hello, world!"]
    assert screen.drafts == {}
    assert [line.split()[0] for line in screen.log] == ["draft", "draft", "send"]


async def test_parts_that_are_full_are_messages_and_only_the_last_is_a_draft() -> None:
    platform = DraftingPlatform(limit=20)
    reply = Reply(platform, ADDRESS, SETTINGS, STOP)
    async with streaming(reply):
        reply.grow(LONG)
        screen = await platform.until(lambda screen: drafted(screen) == [LONG[40:] + CURSOR])
        assert screen.texts == [LONG[:20], LONG[20:40]]
        assert screen.buttons == []
        await reply.finish(LONG)
    assert platform.screens["1"].texts == [LONG[:20], LONG[20:40], LONG[40:]]
    assert not any(line.startswith("edit") for line in platform.screens["1"].log)


async def test_where_drafts_are_refused_the_text_grows_by_edits() -> None:
    platform = DraftingPlatform()
    platform.fail("draft", Rejected("no drafts for this bot"))
    reply = Reply(platform, ADDRESS, SETTINGS, STOP)
    async with streaming(reply):
        reply.grow("Hello")
        await platform.until_shown("Hello" + CURSOR)
        reply.grow(", world")
        await platform.until_shown("Hello, world" + CURSOR)
        assert [button.label for button in platform.screens["1"].buttons] == ["Stop"]
        await reply.finish("Hello, world")
    assert platform.screens["1"].texts == ["Hello, world"]


@pytest.mark.parametrize("error", [Unreachable("refused"), Ambiguous("timed out")])
async def test_a_draft_that_fails_is_followed_by_the_next(error: Unreachable | Ambiguous) -> None:
    platform = DraftingPlatform()
    platform.fail("draft", error)
    reply = Reply(platform, ADDRESS, SETTINGS, STOP)
    async with streaming(reply):
        reply.grow("Hello")
        await platform.until(lambda screen: len(screen.log) == 1)
        reply.grow(", world")
        await platform.until(lambda screen: drafted(screen) == ["Hello, world" + CURSOR])
        await reply.finish("Hello, world")
    assert platform.screens["1"].texts == ["Hello, world"]


async def test_a_platform_may_have_drafts_in_some_chats_only() -> None:
    platform = DraftingPlatform()
    reply = Reply(platform, GROUP, SETTINGS, STOP)
    async with streaming(reply):
        reply.grow("Hello")
        await platform.until_shown("Hello" + CURSOR, chat="-5")
        await reply.finish("Hello")


def test_drafts_keep_to_the_rates_and_the_last_state_is_shown_when_there_is_room() -> None:
    platform = DraftingPlatform()
    platform.limits = RateLimits(chat=Rate(per_s=1, burst=2))
    settings = DeliverySettings(first_edit_chars=1)

    async def answer() -> None:
        reply = Reply(platform, ADDRESS, settings, STOP)
        async with streaming(reply):
            for n in range(10):
                reply.grow(f"{n} ")
                await asyncio.sleep(0.1)
            await asyncio.sleep(2)
            assert drafted(platform.screens["1"]) == ["0 1 2 3 4 5 6 7 8 9 " + CURSOR]
            await reply.finish("done")

    virtual_time.run(answer())
    assert sum(line.startswith("draft") for line in platform.screens["1"].log) <= 3


def test_a_draft_stays_while_nothing_comes_for_minutes() -> None:
    platform = DraftingPlatform()
    shown_at: list[float] = []
    draft = platform.draft

    async def noted(address: Address, draft_id: int, part: Part) -> None:
        shown_at.append(asyncio.get_running_loop().time())
        await draft(address, draft_id, part)

    platform.draft = noted  # type: ignore[method-assign] # to know the times

    async def answer() -> None:
        reply = Reply(platform, ADDRESS, DeliverySettings(first_edit_chars=1), STOP)
        async with streaming(reply):
            reply.tell("⚙️ research …")
            await asyncio.sleep(130)
            await reply.finish("done")

    virtual_time.run(answer())
    gaps = [after - before for before, after in pairwise([*shown_at, 130])]
    assert max(gaps) < 30
    assert len(shown_at) < 10
    assert platform.screens["1"].texts == ["done"]
