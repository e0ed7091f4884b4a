"""Reactions that say how far a message has come."""

from adapters.base import Mark, Rejected
from tests.gateway.chats.small_gateway import Start


async def test_a_message_is_seen_and_then_done(start: Start) -> None:
    async with start(marks=True) as gateway:
        answer = gateway.model.enqueue(text="Here you are.", gated=True)
        await gateway.platform.say("hello", event_id="e1")
        screen = await gateway.platform.until(lambda s: Mark.SEEN in s.marks.values())
        answer.release(100)
        await gateway.platform.until(lambda s: Mark.DONE in s.marks.values())
    assert len(screen.marks) == 1


async def test_a_failed_turn_marks_its_message_so(start: Start) -> None:
    async with start(marks=True) as gateway:
        gateway.model.enqueue(status=400)
        await gateway.platform.say("hello")
        await gateway.platform.until(lambda s: Mark.FAILED in s.marks.values())


async def test_a_mark_that_is_refused_does_no_harm(start: Start) -> None:
    async with start(marks=True) as gateway:
        gateway.platform.fail("mark", Rejected("no such reaction"), Rejected("nor that"))
        gateway.model.enqueue(text="Here you are.")
        await gateway.platform.say("hello")
        screen = await gateway.platform.until_shown("Here you are.")
    assert screen.marks == {}


async def test_marks_are_not_put_unasked(start: Start) -> None:
    async with start() as gateway:
        gateway.model.enqueue(text="Here you are.")
        await gateway.platform.say("hello")
        screen = await gateway.platform.until_shown("Here you are.")
    assert "mark" not in screen.log
