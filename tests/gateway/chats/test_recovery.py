"""A gateway that goes down in mid-turn: the next one goes on where it was."""

import asyncio
import json

import pytest

from gateway.chats.lost_replies import NOTICE
from gateway.store.inbound import Incoming
from gateway.tools.tool import ToolContext, tool, tools_of
from gateway.tools.toolbox import Toolbox
from tests.fakes.hanging import hanging_at
from tests.gateway.chats.small_gateway import SmallGateway, Start


class Barometer:
    """A tool that counts how often it ran; the first run waits until it is cut off."""

    def __init__(self, *, hangs: bool = False) -> None:
        self.runs = 0
        self.started = asyncio.Event()
        self._hangs = hangs

    @tool()
    async def weather(self, context: ToolContext) -> str:
        """The weather."""
        return await self._look()

    @tool(is_repeatable=True)
    async def forecast(self, context: ToolContext) -> str:
        """The weather to come."""
        return await self._look()

    async def _look(self) -> str:
        self.runs += 1
        self.started.set()
        if self._hangs and self.runs == 1:
            await asyncio.get_running_loop().create_future()
        return "sunny"


def results(gateway: SmallGateway) -> list[str]:
    messages = gateway.request()["messages"]
    return [message["content"] for message in messages if message["role"] == "tool"]


async def test_an_answered_model_call_is_not_made_again(start: Start) -> None:
    barometer = Barometer()
    async with start(toolbox=Toolbox(tools_of(barometer, "own"))) as first:
        first.model.enqueue(tool_calls=[("weather", {})])
        hanging = first.model.enqueue(text="never comes", gated=True)
        await first.platform.say("how is the weather?")
        await hanging.started.wait()
    async with start(toolbox=Toolbox(tools_of(barometer, "own"))) as second:
        second.model.enqueue(text="It is sunny.")
        await second.platform.until_shown("It is sunny.")
        history = await second.history()
    assert barometer.runs == 1
    assert len(second.model.requests) == 3  # the first, the one that was cut off, and that again
    assert second.model.requests[1].body == second.model.requests[2].body
    assert [m["role"] for m in history] == ["user", "assistant", "tool", "assistant"]


@pytest.mark.parametrize("is_repeatable", [True, False])
async def test_a_tool_that_was_cut_off_is_reported_or_repeated_if_it_allows_that(
    start: Start, is_repeatable: bool
) -> None:
    barometer = Barometer(hangs=True)
    name = "forecast" if is_repeatable else "weather"
    async with start(toolbox=Toolbox(tools_of(barometer, "own"))) as first:
        first.model.enqueue(tool_calls=[(name, {})])
        await first.platform.say("how is the weather?")
        await barometer.started.wait()
    async with start(toolbox=Toolbox(tools_of(barometer, "own"))) as second:
        second.model.enqueue(text="That is how it is.")
        await second.platform.until_shown("That is how it is.")
        (content,) = results(second)
    assert barometer.runs == 1 + is_repeatable
    assert ("interrupted by a restart" in content) is not is_repeatable


async def test_a_question_is_still_open_and_its_old_button_works(start: Start) -> None:
    """Cases 39 and 40."""
    question = {"question": "Which city?", "choices": ["Berlin", "Paris"]}
    async with start() as first:
        first.model.enqueue(tool_calls=[("clarify", question)])
        await first.platform.say("book a trip")
        screen = await first.platform.until(lambda s: bool(s.buttons))
        data = next(b.data for b in screen.buttons if b.label == "Paris")
    async with start() as second:
        second.model.enqueue(text="Paris is booked.")
        assert await second.platform.press_data(data) == ""
        await second.platform.until(lambda s: s.last == "Paris is booked.")
        assert "Paris" in results(second)[0]


async def test_a_message_that_still_waited_is_answered_in_its_order(start: Start) -> None:
    async with start() as first:
        hanging = first.model.enqueue(text="never comes", gated=True)
        for text in ("one", "two", "three"):
            await first.platform.say(text)
        await hanging.started.wait()
    async with start() as second:
        for text in ("1", "2", "3"):
            second.model.enqueue(text=f"answer {text}")
        await second.platform.until_shown("answer 1", "answer 2", "answer 3")
        said = [m["content"] for m in await second.history() if m["role"] == "user"]
    assert said == ["one", "two", "three"]


async def test_a_full_inbox_is_taken_up_to_its_last_message(start: Start) -> None:
    async with start(inbox_size=2) as first:
        hanging = first.model.enqueue(text="never comes", gated=True)
        await first.platform.say("one")
        await hanging.started.wait()
        await first.platform.say("two")
        await first.platform.say("three")
    async with start(inbox_size=1) as second:
        for text in ("1", "2", "3"):
            second.model.enqueue(text=f"answer {text}")
        await second.platform.until_shown("answer 1", "answer 2", "answer 3")


async def test_an_answer_that_was_being_sent_is_not_sent_again_unasked(
    start: Start,
) -> None:
    async with start(streaming=False) as first:
        with hanging_at(first.platform) as has_come:
            first.model.enqueue(text="the answer")
            await first.platform.say("the question")
            await has_come.wait()
    async with start(streaming=False) as second:
        await second.platform.until_shown(NOTICE)
        await second.platform.press("Show it again")
        await second.platform.until_shown(NOTICE, "the answer")
        await second.platform.press("Show it again")
        screen = await second.platform.until(lambda s: "nothing to show" in s.last)
        assert screen.texts.count("the answer") == 1
        assert len(second.model.requests) == 1


async def test_a_turn_that_has_ended_is_not_taken_up_again(start: Start) -> None:
    async with start() as first:
        first.model.enqueue(text="the answer")
        await first.platform.say("the question")
        await first.platform.until_shown("the answer")
        await first.chats.idle("telegram:dm:1")
    async with start() as second:
        assert await second.store.journal.open_turns() == []
        assert await second.store.inbound.waiting() == []
        await second.chats.idle("telegram:dm:1")
        assert second.platform.screens["1"].log == []


async def test_a_command_that_was_cut_off_is_asked_about_and_not_repeated(start: Start) -> None:
    """Case 23c: a command that ends the gateway would end it again after each start."""
    async with start() as first:
        before = await first.store.current_session("telegram:dm:1")
        event = {
            "event_id": "e",
            "address": {"platform": "telegram", "chat_id": "1", "kind": "direct"},
            "sender": {"id": "1", "name": "Alice"},
            "text": "/new",
        }
        incoming = Incoming("telegram", "e", "telegram:dm:1", json.dumps(event))
        await first.store.inbound.take(incoming, is_command=True)
        broken = Incoming("telegram", "f", "telegram:dm:1", "{not JSON")
        await first.store.inbound.take(broken)
    async with start() as second:
        screen = await second.platform.until(lambda s: "carried out /new" in s.last)
        assert (await second.store.current_session("telegram:dm:1")) == before
        await second.chats.idle("telegram:dm:1")
    assert len(screen.texts) == 1


async def test_an_agent_that_answers_its_journal_differently_ends_the_turn_with_a_sentence(
    start: Start,
) -> None:
    async with start(replays=False) as first:
        hanging = first.model.enqueue(text="never comes", gated=True)
        await first.platform.say("hello")
        await hanging.started.wait()
        async with first.store._database.writing() as connection:
            await connection.execute("UPDATE steps SET answers = 'other' WHERE number = 0")
    async with start(replays=False) as second:
        await second.platform.until(lambda s: "I was updated" in s.last)
        await second.chats.idle("telegram:dm:1")
        assert await second.store.journal.open_turns() == []
        second.model.enqueue(text="hello again")
        await second.platform.say("hello?")
        await second.platform.until_shown("hello again")


async def test_a_preview_of_before_turns_into_the_answer(start: Start) -> None:
    async with start() as first:
        hanging = first.model.enqueue(text="Once upon a time there was a gateway.", gated=True)
        await first.platform.say("a story")
        hanging.release(3)
        screen = await first.platform.until(lambda s: bool(s.texts))
        (preview,) = screen.messages
    async with start() as second:
        second.platform.screens["1"].messages[preview] = screen.messages[preview]
        second.model.enqueue(text="Once upon a time there was a gateway.")
        screen = await second.platform.until(lambda s: s.last.endswith("gateway."))
        await second.chats.idle("telegram:dm:1")
        assert list(screen.messages) == [preview]


async def test_a_new_conversation_that_was_not_begun_yet_is_not_forgotten(start: Start) -> None:
    async with start() as first:
        hanging = first.model.enqueue(text="never comes", gated=True)
        await first.platform.say("hello")
        await hanging.started.wait()
        first.chats.is_closing = True  # as in the moment before a kill
        await first.platform.say("/new")
    async with start() as second:
        second.model.enqueue(text="the answer")
        screen = await second.platform.until(lambda s: len(s.texts) == 2)
        await second.chats.idle("telegram:dm:1")
        assert any("carried out /new" in text for text in screen.texts)
