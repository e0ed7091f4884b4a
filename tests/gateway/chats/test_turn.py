"""A message becomes an answer, with everything an agent may ask for in between."""

import asyncio
from typing import Any

from gateway.tools.tool import ToolContext, tool, tools_of
from gateway.tools.toolbox import Toolbox
from tests.fakes.platform import CURSOR
from tests.gateway.chats.small_gateway import SmallGateway, Start, is_settled


async def test_a_message_gets_a_streamed_answer(gateway: SmallGateway) -> None:
    drip = gateway.model.enqueue(text="Hello, dear person!", gated=True)
    await gateway.platform.say("hi")
    drip.release(2)  # the role, and the first seven characters
    screen = await gateway.platform.until_shown("Hello, " + CURSOR)
    assert [button.label for button in screen.buttons] == ["Stop"]
    drip.release(10)
    screen = await gateway.platform.until(is_settled)
    assert screen.texts == ["Hello, dear person!"]
    assert screen.typing >= 1


async def test_the_agent_is_told_who_wrote_what_and_when(gateway: SmallGateway) -> None:
    gateway.model.enqueue(text="ok then")
    await gateway.platform.say("hello", chat="-100")
    await gateway.platform.until_shown("ok then", chat="-100")
    system, message = gateway.request()["messages"]
    assert "6 May 2031" in system["content"]
    assert '[from "Alice", id "1"]' in message["content"]
    assert message["content"].endswith("hello")


async def test_an_agent_is_whom_the_settings_say_it_is(start: Start) -> None:
    async with start(agent={"identity": "You are Jeeves, a butler."}) as gateway:
        gateway.model.enqueue(text="very good")
        await gateway.platform.say("tea, please")
        await gateway.platform.until_shown("very good")
        assert gateway.request()["messages"][0]["content"].startswith("You are Jeeves, a butler.")


async def test_a_quoted_message_is_marked_as_a_quotation(gateway: SmallGateway) -> None:
    gateway.model.enqueue(text="I see it")
    await gateway.platform.say("what is this?", quoted="one\ntwo")
    await gateway.platform.until_shown("I see it")
    content = gateway.request()["messages"][-1]["content"]
    assert "> one\n> two\n\nwhat is this?" in content


async def test_the_next_turn_knows_the_last_one(gateway: SmallGateway) -> None:
    for text in ("first", "second"):
        gateway.model.enqueue(text=f"answer to {text}")
        await gateway.platform.say(text)
        await gateway.platform.until_shown(f"answer to {text}")
    said = [message["content"] for message in gateway.request()["messages"][1:]]
    assert said == ["first", "answer to first", "second"]


async def test_history_is_stored_before_the_answer_is_final(gateway: SmallGateway) -> None:
    gateway.model.enqueue(text="the answer")
    await gateway.platform.say("the question")
    await gateway.platform.until_shown("the answer")
    history = await gateway.history()
    assert [m["content"] for m in history] == ["the question", "the answer"]


async def test_a_restarted_gateway_goes_on_where_it_was(start: Start) -> None:
    async with start() as first:
        first.model.enqueue(text="noted, blue")
        await first.platform.say("my colour is blue")
        await first.platform.until_shown("noted, blue")
    async with start() as second:
        second.model.enqueue(text="it is blue")
        await second.platform.say("what is my colour?")
        await second.platform.until_shown("it is blue")
        said = [message["content"] for message in second.request()["messages"][1:]]
    assert said == ["my colour is blue", "noted, blue", "what is my colour?"]


async def test_memory_belongs_to_the_person_and_the_group_has_its_own(
    gateway: SmallGateway,
) -> None:
    def note(text: str) -> dict[str, Any]:
        return {"action": "add", "target": "user", "content": text}

    gateway.model.enqueue(tool_calls=[("memory", note("Alice has a cat."))])
    gateway.model.enqueue(text="noted in private")
    await gateway.platform.say("remember my cat")
    await gateway.platform.until_shown("noted in private")
    gateway.model.enqueue(tool_calls=[("memory", note("Alice likes chess."))])
    gateway.model.enqueue(text="noted in the group")
    await gateway.platform.say("remember chess", chat="-100")
    await gateway.platform.until_shown("noted in the group", chat="-100")
    assert await gateway.store.memory("user", "telegram:1") == "Alice has a cat."
    assert await gateway.store.memory("user", "telegram:group:-100") == "Alice likes chess."
    assert "cat" not in str(gateway.request()["messages"])


async def test_text_beside_tool_calls_is_a_message_of_its_own(gateway: SmallGateway) -> None:
    gateway.model.enqueue(text="Let me see.", tool_calls=[("todo", {})])
    gateway.model.enqueue(text="Nothing to do.")
    await gateway.platform.say("what is there to do?")
    screen = await gateway.platform.until_shown("Let me see.", "Nothing to do.")
    assert screen.buttons == []


async def test_a_cut_answer_is_continued_in_the_same_message(gateway: SmallGateway) -> None:
    gateway.model.enqueue(text="The first half and", finish_reason="length")
    gateway.model.enqueue(text=" the second.")
    await gateway.platform.say("tell me")
    screen = await gateway.platform.until(is_settled)
    assert screen.texts == ["The first half and the second."]


async def test_host_tools_are_offered_called_and_answered(start: Start) -> None:
    class Weather:
        @tool()
        async def weather(self, context: ToolContext, place: str) -> str:
            """The weather."""
            return f"sunny, says {context.call.chat} of {place}"

    async with start(toolbox=Toolbox(tools_of(Weather(), "own"))) as gateway:
        gateway.model.enqueue(tool_calls=[("weather", {"place": "Bern"})])
        gateway.model.enqueue(text="It is sunny.")
        await gateway.platform.say("weather?")
        await gateway.platform.until_shown("It is sunny.")
        result = gateway.request()["messages"][-1]
    assert result["role"] == "tool"
    assert "sunny, says telegram:dm:1" in result["content"]
    assert "Bern" in result["content"]


async def test_silence_in_a_group_shows_nothing(gateway: SmallGateway) -> None:
    gateway.model.enqueue(text="[SILENT]")
    await gateway.platform.say("thanks!", chat="-100")
    await gateway.chats.idle("telegram:group:-100")
    assert gateway.platform.screens["-100"].texts == []
    assert len(gateway.model.requests) == 1


async def test_messages_wait_their_turn_and_each_gets_its_answer(gateway: SmallGateway) -> None:
    drip = gateway.model.enqueue(text="answer 0", gated=True)
    for n in range(1, 4):
        gateway.model.enqueue(text=f"answer {n}")
    for n in range(4):
        await gateway.platform.say(f"question {n}")
    await drip.started.wait()
    assert len(gateway.model.requests) == 1
    drip.release(20)
    screen = await gateway.platform.until_shown(*(f"answer {n}" for n in range(4)))
    questions = [request.body["messages"][-1]["content"] for request in gateway.model.requests]
    assert questions == [f"question {n}" for n in range(4)]
    assert list(screen.replies_to.values()) == sorted(screen.replies_to.values(), key=str)


async def test_the_message_that_finds_no_room_is_refused_and_told_so(start: Start) -> None:
    async with start(inbox_size=2) as gateway:
        drip = gateway.model.enqueue(text="answer 0", gated=True)
        gateway.model.enqueue(text="answer 1")
        gateway.model.enqueue(text="answer 2")
        await gateway.platform.say("question 0")
        await drip.started.wait()
        for n in (1, 2, 3):
            await gateway.platform.say(f"question {n}")
        screen = await gateway.platform.until(lambda s: any("did not take" in t for t in s.texts))
        drip.release(20)
        screen = await gateway.platform.until_shown("answer 1", "answer 2")
    assert sum("did not take" in text for text in screen.texts) == 1
    assert "question 3" not in str([request.body for request in gateway.model.requests])


async def test_chats_do_not_wait_for_each_other(gateway: SmallGateway) -> None:
    drip = gateway.model.enqueue(text="slow answer", gated=True)
    await gateway.platform.say("slow", chat="1")
    await drip.started.wait()
    gateway.model.enqueue(text="quick answer")
    await gateway.platform.say("quick", chat="-100")
    await gateway.platform.until_shown("quick answer", chat="-100")
    drip.release(20)
    await gateway.platform.until_shown("slow answer")
    assert "quick" not in str(await gateway.history())


async def test_a_failed_model_call_is_told_and_the_chat_goes_on(gateway: SmallGateway) -> None:
    gateway.model.enqueue(status=401, body={"error": {"message": "no such key sk-123"}})
    await gateway.platform.say("hello")
    screen = await gateway.platform.until(is_settled)
    assert len(screen.texts) == 1
    assert "sk-123" not in screen.texts[0]
    gateway.model.enqueue(text="back again")
    await gateway.platform.say("and now?")
    await gateway.platform.until_shown("back again")


async def test_an_idle_chat_leaves_nothing_behind(gateway: SmallGateway) -> None:
    before = asyncio.all_tasks()
    gateway.model.enqueue(text="done with it")
    await gateway.platform.say("hello")
    await gateway.platform.until_shown("done with it")
    await gateway.chats.idle("telegram:dm:1")
    left = {task for task in asyncio.all_tasks() - before if "aiohttp" not in repr(task)}
    assert not left
    assert gateway.pool.stats().leased == 0
