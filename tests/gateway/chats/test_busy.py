"""Messages that come while an answer is written: each is answered, or merged and said so."""

import asyncio
from collections.abc import Sequence

import pytest

from adapters.base import Sender
from gateway.chats.busy import MERGED
from gateway.store.journal import Entry, Fed
from gateway.tools.tool import ToolContext, tool, tools_of
from gateway.tools.toolbox import Toolbox
from tests.fakes.platform import CURSOR
from tests.gateway.chats.small_gateway import SmallGateway, Start

CHAT = "telegram:dm:1"
BOB = Sender("2", "Bob")
ONE_CALL = {"max_iterations": 1}


class Barometer:
    """A tool that answers when it is told to."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.may_end = asyncio.Event()

    @tool(is_repeatable=True)
    async def weather(self, context: ToolContext) -> str:
        """The weather."""
        self.started.set()
        await self.may_end.wait()
        return "sunny"


async def test_a_message_is_steered_into_the_running_turn_and_that_is_said(start: Start) -> None:
    barometer = Barometer()
    async with start(toolbox=Toolbox(tools_of(barometer, "own")), busy="steer") as gateway:
        gateway.model.enqueue(tool_calls=[("weather", {})])
        gateway.model.enqueue(text="Sunny, in Paris.")
        await gateway.platform.say("how is the weather?")
        await barometer.started.wait()
        await gateway.platform.say("in Paris, I mean")
        await gateway.platform.until(lambda s: MERGED in s.texts)
        barometer.may_end.set()
        screen = await gateway.platform.until(lambda s: "Sunny, in Paris." in s.texts)
        await gateway.chats.idle(CHAT)
        assert sorted(screen.texts) == sorted([MERGED, "Sunny, in Paris."])
        assert len(gateway.model.requests) == 2
        assert "in Paris, I mean" in gateway.said()[-1]
        assert await gateway.store.inbound.waiting() == []
        assert await gateway.store.inbound.steering(CHAT) == []


async def test_what_a_message_quotes_is_steered_with_it(start: Start) -> None:
    async with start(busy="steer") as gateway:
        drip = gateway.model.enqueue(text="an answer", gated=True)
        gateway.model.enqueue(text="another one")
        await gateway.platform.say("write to her")
        await drip.started.wait()
        await gateway.platform.say("to this address", quoted="ann@example.org")
        await gateway.platform.until(lambda s: MERGED in s.texts)
        drip.release(20)
        await gateway.platform.until(lambda s: "another one" in s.texts)
        assert "> ann@example.org" in gateway.said()[-1]


async def test_a_steer_that_comes_too_late_is_answered_by_itself(start: Start) -> None:
    barometer = Barometer()
    barometer.may_end.set()
    async with start(
        toolbox=Toolbox(tools_of(barometer, "own")), busy="steer", agent=ONE_CALL
    ) as gateway:
        gateway.model.enqueue(tool_calls=[("weather", {})])
        last_words = gateway.model.enqueue(text="It was sunny.", gated=True)
        gateway.model.enqueue(text="the answer to two")
        await gateway.platform.say("one")
        await last_words.started.wait()
        await gateway.platform.say("two")
        await gateway.platform.until(lambda s: MERGED in s.texts)
        last_words.release(20)
        screen = await gateway.platform.until(lambda s: s.last == "the answer to two")
        assert "It was sunny." in screen.texts
        assert gateway.said()[-1] == "two"
        await gateway.chats.idle(CHAT)
        assert await gateway.store.inbound.waiting() == []
        assert await gateway.store.inbound.steering(CHAT) == []


async def test_steer_is_a_command_for_one_message(gateway: SmallGateway) -> None:
    drip = gateway.model.enqueue(text="an answer", gated=True)
    gateway.model.enqueue(text="a better one")
    await gateway.platform.say("one")
    await drip.started.wait()
    await gateway.platform.say("/steer be quick")
    await gateway.platform.until(lambda s: MERGED in s.texts)
    drip.release(20)
    await gateway.platform.until(lambda s: "a better one" in s.texts)
    assert gateway.said()[-1].endswith("be quick")


async def test_queue_is_a_command_for_one_message(start: Start) -> None:
    async with start(busy="steer") as gateway:
        drip = gateway.model.enqueue(text="the first answer", gated=True)
        gateway.model.enqueue(text="the second answer")
        await gateway.platform.say("one")
        await drip.started.wait()
        await gateway.platform.say("/queue two")
        drip.release(20)
        screen = await gateway.platform.until_shown("the first answer", "the second answer")
        assert MERGED not in screen.texts
        assert gateway.said() == ["one", "two"]


@pytest.mark.parametrize("name", ["queue", "steer"])
async def test_without_anything_that_runs_they_are_ordinary_messages(
    gateway: SmallGateway, name: str
) -> None:
    gateway.model.enqueue(text="hello")
    await gateway.platform.say(f"/{name} hi there")
    await gateway.platform.until_shown("hello")
    assert gateway.said() == ["hi there"]


async def test_without_a_message_they_explain_themselves(gateway: SmallGateway) -> None:
    await gateway.platform.say("/steer")
    await gateway.platform.until(lambda s: "`/steer and also …`" in s.last)
    assert gateway.model.requests == []


async def test_a_message_interrupts_and_comes_next(start: Start) -> None:
    async with start(busy="interrupt") as gateway:
        drip = gateway.model.enqueue(text="Once upon a time there was", gated=True)
        gateway.model.enqueue(text="as you wish")
        await gateway.platform.say("a story please")
        drip.release(3)
        await gateway.platform.until_shown("Once upon a ti" + CURSOR)
        await gateway.platform.say("no, a poem")
        await gateway.platform.until_shown("Once upon a ti\n\n*(stopped)*", "as you wish")
        assert gateway.said()[-1] == "no, a poem"


async def test_nobody_interrupts_what_is_answered_to_another_person(start: Start) -> None:
    async with start(busy="interrupt") as gateway:
        drip = gateway.model.enqueue(text="for Ann", gated=True)
        gateway.model.enqueue(text="for Bob")
        await gateway.platform.say("one", chat="-100")
        await drip.started.wait()
        await gateway.platform.say("two", chat="-100", sender=BOB)
        drip.release(20)
        await gateway.platform.until_shown("for Ann", "for Bob", chat="-100")


async def test_a_new_conversation_drops_nothing_silently_when_steering(start: Start) -> None:
    barometer = Barometer()
    async with start(toolbox=Toolbox(tools_of(barometer, "own")), busy="steer") as gateway:
        gateway.model.enqueue(tool_calls=[("weather", {})])
        await gateway.platform.say("how is the weather?")
        await barometer.started.wait()
        await gateway.platform.say("in Paris, I mean")
        await gateway.platform.say("/new")
        screen = await gateway.platform.until(lambda s: any("new conv" in t for t in s.texts))
        await gateway.chats.idle(CHAT)
        told = [MERGED in screen.texts, any("1 message that" in t for t in screen.texts)]
        assert sum(told) == 1
        assert len(gateway.model.requests) == 1
        assert await gateway.store.inbound.waiting() == []


async def test_messages_beyond_the_inbox_are_refused_and_told(start: Start) -> None:
    """Case 29."""
    async with start(inbox_size=31) as gateway:
        drip = gateway.model.enqueue(text="answer 0", gated=True)
        await gateway.platform.say("message 0")
        await drip.started.wait()
        for number in range(1, 33):
            gateway.model.enqueue(text=f"answer {number}")
            await gateway.platform.say(f"message {number}")
        await gateway.platform.until(lambda s: "31 of your messages already wait" in s.last)
        drip.release(20)
        screen = await gateway.platform.until(lambda s: s.last == "answer 31")
        assert [t for t in screen.texts if t.startswith("answer")] == [
            f"answer {number}" for number in range(32)
        ]


async def test_a_steered_message_survives_a_restart_in_its_turn(start: Start) -> None:
    async with start(busy="steer") as first:
        hanging = first.model.enqueue(text="never comes", gated=True)
        await first.platform.say("one")
        await hanging.started.wait()
        await first.platform.say("two")
        await first.platform.until(lambda s: MERGED in s.texts)
    async with start(busy="steer") as second:
        assert await second.store.inbound.waiting() == []
        second.model.enqueue(text="first try")
        second.model.enqueue(text="the answer to both")
        await second.platform.until(lambda s: "the answer to both" in s.texts)
        await second.chats.idle(CHAT)
        assert "two" in second.said()[-1]
        assert await second.store.inbound.steering(CHAT) == []


async def test_a_steer_that_comes_too_late_after_a_restart_is_still_answered(start: Start) -> None:
    barometer = Barometer()
    barometer.may_end.set()
    async with start(
        toolbox=Toolbox(tools_of(barometer, "own")), busy="steer", agent=ONE_CALL
    ) as first:
        first.model.enqueue(tool_calls=[("weather", {})])
        last_words = first.model.enqueue(text="never comes", gated=True)
        await first.platform.say("one")
        await last_words.started.wait()
        await first.platform.say("two")
        await first.platform.until(lambda s: MERGED in s.texts)
    async with start(
        toolbox=Toolbox(tools_of(barometer, "own")), busy="steer", agent=ONE_CALL
    ) as second:
        second.model.enqueue(text="It was sunny.")
        second.model.enqueue(text="the answer to two")
        await second.platform.until_shown("It was sunny.", "the answer to two")
        await second.chats.idle(CHAT)
        assert second.said()[-1] == "two"
        assert await second.store.inbound.waiting() == []


async def test_a_steer_is_found_to_come_too_late_by_the_start_after_a_kill(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    barometer = Barometer()
    barometer.may_end.set()
    async with start(
        toolbox=Toolbox(tools_of(barometer, "own")), busy="steer", agent=ONE_CALL
    ) as first:
        journal, is_stored = first.store.journal, asyncio.Event()
        write = journal.write

        async def write_and_hang(entries: Sequence[Entry]) -> None:
            await write(entries)
            if any(isinstance(e, Fed) and "It was sunny." in "".join(e.lines) for e in entries):
                is_stored.set()  # and nothing comes of it any more
                await asyncio.get_running_loop().create_future()

        monkeypatch.setattr(journal, "write", write_and_hang)
        first.model.enqueue(tool_calls=[("weather", {})])
        last_words = first.model.enqueue(text="It was sunny.", gated=True)
        await first.platform.say("one")
        await last_words.started.wait()
        await first.platform.say("two")
        await first.platform.until(lambda s: MERGED in s.texts)
        last_words.release(20)
        await is_stored.wait()
    async with start(
        toolbox=Toolbox(tools_of(barometer, "own")), busy="steer", agent=ONE_CALL
    ) as second:
        second.model.enqueue(text="the answer to two")
        await second.platform.until(lambda s: s.last == "the answer to two")
        await second.chats.idle(CHAT)
        assert second.said()[-1] == "two"
        assert len(second.model.requests) == 3
        assert await second.store.inbound.waiting() == []
        assert await second.store.inbound.steering(CHAT) == []
