"""Turns that end early: stopped by a person, by silence, or by the gateway's own end."""

import asyncio

from tests.fakes.platform import CURSOR
from tests.gateway.chats.small_gateway import SmallGateway, Start, is_settled


async def test_stop_ends_the_answer_with_what_there_is(gateway: SmallGateway) -> None:
    drip = gateway.model.enqueue(text="Once upon a time there was", gated=True)
    await gateway.platform.say("a story please")
    drip.release(3)
    await gateway.platform.until_shown("Once upon a ti" + CURSOR)
    await gateway.platform.say("/stop")
    screen = await gateway.platform.until(is_settled)
    assert screen.texts == ["Once upon a ti\n\n*(stopped)*"]
    await drip.disconnected.wait()  # the model is not paid for words that nobody reads


async def test_a_stopped_turn_leaves_a_valid_history_and_no_late_text(
    gateway: SmallGateway,
) -> None:
    """Case 23a."""
    drip = gateway.model.enqueue(text="Once upon a time there was", gated=True)
    await gateway.platform.say("a story please")
    drip.release(3)
    await gateway.platform.until_shown("Once upon a ti" + CURSOR)
    await gateway.platform.say("/stop")
    await gateway.platform.until(is_settled)
    drip.release(20)
    gateway.model.enqueue(text="hello again")
    await gateway.platform.say("hello")
    screen = await gateway.platform.until_shown("hello again")
    assert screen.texts == ["Once upon a ti\n\n*(stopped)*", "hello again"]
    roles = [message["role"] for message in await gateway.history()]
    assert roles == ["user", "assistant", "user", "assistant"]


async def test_the_stop_button_works_like_the_command(gateway: SmallGateway) -> None:
    drip = gateway.model.enqueue(text="Once upon a time there was", gated=True)
    await gateway.platform.say("a story please")
    drip.release(3)
    await gateway.platform.until_shown("Once upon a ti" + CURSOR)
    assert await gateway.platform.press("Stop") == ""
    screen = await gateway.platform.until(is_settled)
    assert screen.texts == ["Once upon a ti\n\n*(stopped)*"]


async def test_an_old_stop_button_does_not_stop_the_next_turn(gateway: SmallGateway) -> None:
    first = gateway.model.enqueue(text="the first answer", gated=True)
    await gateway.platform.say("one")
    first.release(2)
    screen = await gateway.platform.until(lambda s: bool(s.buttons))
    old = screen.buttons[0].data
    first.release(20)
    await gateway.platform.until_shown("the first answer")
    second = gateway.model.enqueue(text="the second answer", gated=True)
    await gateway.platform.say("two")
    await second.started.wait()
    assert "no longer" in await gateway.platform.press_data(old)
    second.release(20)
    await gateway.platform.until_shown("the second answer")


async def test_a_press_that_a_client_made_up_takes_no_message_away(gateway: SmallGateway) -> None:
    drip = gateway.model.enqueue(text="an answer to be kept", gated=True)
    await gateway.platform.say("one")
    drip.release(2)
    screen = await gateway.platform.until(lambda s: bool(s.buttons))
    stop = screen.buttons[0].data
    drip.release(20)
    screen = await gateway.platform.until_shown("an answer to be kept")
    (kept,) = screen.messages
    assert "no longer" in await gateway.platform.press_data(stop, under=kept)
    await gateway.chats.idle("telegram:dm:1")
    assert screen.texts == ["an answer to be kept"]


async def test_only_the_running_turn_is_stopped(gateway: SmallGateway) -> None:
    drip = gateway.model.enqueue(text="the first answer", gated=True)
    gateway.model.enqueue(text="the second answer")
    await gateway.platform.say("one")
    await gateway.platform.say("two")
    await drip.started.wait()
    await gateway.platform.say("/stop")
    screen = await gateway.platform.until_shown("the second answer")
    assert len(screen.texts) == 2


async def test_stop_with_nothing_to_stop_says_so(gateway: SmallGateway) -> None:
    await gateway.platform.say("/stop")
    await gateway.platform.until_shown("There is nothing to stop.")


async def test_a_turn_in_which_nothing_happens_is_given_up(start: Start) -> None:
    async with start(turn_timeout_s=1.5) as gateway:
        hanging = gateway.model.enqueue(raw=[], then="hang")
        await gateway.platform.say("hello?")
        await gateway.platform.until(is_settled)
        await hanging.disconnected.wait()
        gateway.model.enqueue(text="here I am")
        await gateway.platform.say("and now?")
        await gateway.platform.until_shown("here I am")


async def test_text_that_arrives_keeps_a_turn_alive(start: Start) -> None:
    async with start(turn_timeout_s=2) as gateway:
        drip = gateway.model.enqueue(text="slow but steady, it comes", gated=True)
        await gateway.platform.say("go")
        for _ in range(8):
            await asyncio.sleep(0.3)  # longer than the time-out in all, shorter each
            drip.release()
        await gateway.platform.until_shown("slow but steady, it comes")


async def test_new_stops_forgets_and_begins_again(gateway: SmallGateway) -> None:
    drip = gateway.model.enqueue(text="the first answer", gated=True)
    await gateway.platform.say("one")
    await gateway.platform.say("two")
    await drip.started.wait()
    before = await gateway.store.current_session("telegram:dm:1")
    await gateway.platform.say("/new")
    screen = await gateway.platform.until(lambda s: "new conversation" in s.last)
    assert "1 message that still waited" in screen.texts[-1]
    gateway.model.enqueue(text="fresh start")
    await gateway.platform.say("three")
    await gateway.platform.until_shown("fresh start")
    after = await gateway.store.current_session("telegram:dm:1")
    assert after.id != before.id
    assert [m["content"] for m in gateway.request()["messages"][1:]] == ["three"]


async def test_memory_survives_a_new_session(gateway: SmallGateway) -> None:
    note = {"action": "add", "target": "user", "content": "The user likes tea."}
    gateway.model.enqueue(tool_calls=[("memory", note)])
    gateway.model.enqueue(text="noted it")
    await gateway.platform.say("I like tea")
    await gateway.platform.until_shown("noted it")
    await gateway.platform.say("/new")
    await gateway.platform.until(lambda s: "new conversation" in s.last)
    gateway.model.enqueue(text="tea, of course")
    await gateway.platform.say("what do I like?")
    await gateway.platform.until_shown("tea, of course")
    assert "The user likes tea." in gateway.request()["messages"][0]["content"]


async def test_a_closing_gateway_lets_a_short_turn_end(gateway: SmallGateway) -> None:
    drip = gateway.model.enqueue(text="almost there", gated=True)
    await gateway.platform.say("quick")
    await drip.started.wait()
    closing = asyncio.create_task(gateway.chats.close(10))
    drip.release(20)
    await closing
    assert gateway.platform.screens["1"].texts == ["almost there"]


async def test_a_closing_gateway_leaves_a_long_turn_and_who_waits_to_the_next(start: Start) -> None:
    async with start() as first:
        drip = first.model.enqueue(text="a very long story", gated=True)
        await first.platform.say("tell me a story")
        drip.release(3)
        await first.platform.until(lambda s: bool(s.texts))
        await first.platform.say("and another one")
        await first.chats.close(0.05)
    first.model.enqueue(text="a very long story")
    first.model.enqueue(text="another one")
    async with start() as second:
        await second.platform.until_shown("a very long story", "another one")
        roles = [message["role"] for message in await second.history()]
    assert roles == ["user", "assistant"] * 2


async def test_cancelling_everything_leaves_no_task_and_no_leased_agent(start: Start) -> None:
    before = asyncio.all_tasks()
    async with start() as gateway:
        drip = gateway.model.enqueue(text="never finished", gated=True)
        await gateway.platform.say("hello")
        await drip.started.wait()
        task = next(iter(gateway.chats._tasks))
        task.cancel()
        await asyncio.wait([task])
        assert gateway.pool.stats().leased == 0
        await drip.disconnected.wait()
    left = {task for task in asyncio.all_tasks() - before if "aiohttp" not in repr(task)}
    assert not left
