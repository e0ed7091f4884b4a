"""/undo, /retry and /compress: turns that begin with a command to the agent."""

from adapters.base import Sender
from tests.gateway.chats.small_gateway import SmallGateway, Start

BOB = Sender("2", "Bob")


async def asked_and_answered(gateway: SmallGateway, question: str, answer: str) -> None:
    gateway.model.enqueue(text=answer)
    await gateway.platform.say(question)
    await gateway.platform.until_shown(answer)


async def contents(gateway: SmallGateway) -> list[str]:
    return [message["content"] for message in await gateway.history()]


async def test_undo_takes_back_the_last_message_and_its_answer(gateway: SmallGateway) -> None:
    await asked_and_answered(gateway, "one", "answer one")
    await asked_and_answered(gateway, "two", "answer two")
    await gateway.platform.say("/undo")
    await gateway.platform.until_shown("Undone: your last message and its answer.")
    assert await contents(gateway) == ["one", "answer one"]
    await asked_and_answered(gateway, "three", "answer three")
    assert "two" not in str(gateway.request()["messages"])


async def test_undo_takes_a_number(gateway: SmallGateway) -> None:
    for word in ("one", "two", "three"):
        await asked_and_answered(gateway, word, f"answer {word}")
    await gateway.platform.say("/undo 2")
    await gateway.platform.until(lambda s: s.last.startswith("Undone: your last 2"))
    assert await contents(gateway) == ["one", "answer one"]
    await gateway.platform.say("/undo lots")
    await gateway.platform.until(lambda s: s.last.startswith("How many?"))
    assert await contents(gateway) == ["one", "answer one"]


async def test_an_undone_message_stays_undone_after_a_restart(start: Start) -> None:
    async with start() as gateway:
        await asked_and_answered(gateway, "one", "answer one")
        await gateway.platform.say("/undo")
        await gateway.platform.until(lambda s: s.last.startswith("Undone"))
    async with start() as gateway:
        assert await contents(gateway) == []


async def test_retry_asks_the_model_once_more_and_forgets_the_first_answer(
    gateway: SmallGateway,
) -> None:
    await asked_and_answered(gateway, "a name for a cat?", "Felix")
    gateway.model.enqueue(text="Luna, perhaps")
    await gateway.platform.say("/retry")
    await gateway.platform.until_shown("Luna, perhaps")
    assert gateway.request()["messages"][-1]["content"] == "a name for a cat?"
    assert await contents(gateway) == ["a name for a cat?", "Luna, perhaps"]


async def test_retry_and_undo_of_nothing_say_so(gateway: SmallGateway) -> None:
    await gateway.platform.say("/retry")
    await gateway.platform.until_shown("There is nothing to try again.")
    await gateway.platform.say("/undo")
    await gateway.platform.until_shown("There is nothing to undo.")
    assert gateway.model.requests == []


async def test_a_command_waits_for_the_answer_that_is_being_written(
    gateway: SmallGateway,
) -> None:
    drip = gateway.model.enqueue(text="the whole answer", gated=True)
    await gateway.platform.say("question")
    await drip.started.wait()
    await gateway.platform.say("/undo")
    await gateway.platform.until(lambda s: any("as soon as" in t for t in s.texts))
    drip.release(20)
    await gateway.platform.until(lambda s: s.last.startswith("Undone"))
    assert await contents(gateway) == []


async def test_a_retry_can_be_stopped_and_leaves_a_valid_history(gateway: SmallGateway) -> None:
    await asked_and_answered(gateway, "a story?", "No.")
    drip = gateway.model.enqueue(text="Once upon a time there was", gated=True)
    await gateway.platform.say("/retry")
    drip.release(3)
    await gateway.platform.until(lambda s: "Once" in s.last)
    await gateway.platform.say("/stop")
    await gateway.platform.until(lambda s: s.last.endswith("*(stopped)*"))
    await gateway.chats.idle("telegram:dm:1")
    roles = [message["role"] for message in await gateway.history()]
    assert roles == ["user", "assistant"]


async def test_compress_sums_up_what_was_said(gateway: SmallGateway) -> None:
    for number in range(12):
        await asked_and_answered(gateway, f"question {number} " + "x" * 3000, f"answer {number}")
    gateway.model.enqueue(text="They talked about numbers.")
    await gateway.platform.say("/compress numbers")
    await gateway.platform.until(lambda s: s.last.startswith("Shortened"))
    assert "They talked about numbers." in str(await gateway.history())
    assert "numbers" in gateway.request()["messages"][0]["content"]
    await asked_and_answered(gateway, "and now?", "on we go")


async def test_a_full_inbox_refuses_commands_too(start: Start) -> None:
    async with start(inbox_size=1) as gateway:
        drip = gateway.model.enqueue(text="the answer", gated=True)
        await gateway.platform.say("question")
        await drip.started.wait()
        await gateway.platform.say("/retry")
        await gateway.platform.say("/memory add something")
        await gateway.platform.until(lambda s: any("Too much waits" in t for t in s.texts))
        gateway.model.enqueue(text="another answer")
        drip.release(20)
        await gateway.platform.until_shown("another answer")


async def test_in_a_group_the_group_s_history_is_meant(gateway: SmallGateway) -> None:
    await asked_and_answered(gateway, "mine alone", "yours alone")
    gateway.model.enqueue(text="to all")
    await gateway.platform.say("hello all", chat="-100", sender=BOB)
    await gateway.platform.until_shown("to all", chat="-100")
    await gateway.platform.say("/undo", chat="-100")
    await gateway.platform.until(lambda s: s.last.startswith("Undone"), chat="-100")
    assert await gateway.history("telegram:group:-100") == []
    assert await contents(gateway) == ["mine alone", "yours alone"]


async def test_a_retry_that_a_kill_cuts_off_goes_on_after_the_start(start: Start) -> None:
    async with start() as first:
        await asked_and_answered(first, "a name for a cat?", "Felix")
        hanging = first.model.enqueue(text="never comes", gated=True)
        await first.platform.say("/retry")
        await hanging.started.wait()
    async with start() as second:
        second.model.enqueue(text="Luna, perhaps")
        await second.platform.until_shown("Luna, perhaps")
        assert await contents(second) == ["a name for a cat?", "Luna, perhaps"]
        assert not any("cut off" in text or "/retry" in text for text in screen_texts(second))


async def test_an_undo_that_waited_at_a_kill_is_carried_out_once_and_in_its_place(
    start: Start,
) -> None:
    async with start() as first:
        await asked_and_answered(first, "one", "answer one")
        hanging = first.model.enqueue(text="never comes", gated=True)
        await first.platform.say("two")
        await hanging.started.wait()
        await first.platform.say("/undo")
        await first.platform.say("three")
        await first.platform.until(lambda s: any("as soon as" in t for t in s.texts))
    async with start() as second:
        second.model.enqueue(text="answer two")
        second.model.enqueue(text="answer three")
        screen = await second.platform.until(lambda s: "answer three" in s.texts)
        await second.chats.idle("telegram:dm:1")
        assert sum(text.startswith("Undone") for text in screen.texts) == 1
    async with start() as third:
        await third.chats.idle("telegram:dm:1")
        assert await contents(third) == ["one", "answer one", "three", "answer three"]
        assert third.platform.screens["1"].log == []


async def test_what_only_looks_like_a_command_is_none_after_a_kill_either(start: Start) -> None:
    async with start() as first:
        hanging = first.model.enqueue(text="never comes", gated=True)
        await first.platform.say("one")
        await hanging.started.wait()
        await first.platform.say("/queue /undo is a command, isn't it?")
    async with start() as second:
        second.model.enqueue(text="answer one")
        second.model.enqueue(text="It is.")
        await second.platform.until_shown("answer one", "It is.")
        assert (await contents(second))[2] == "/undo is a command, isn't it?"


async def test_another_command_that_still_waited_at_a_kill_is_not_lost_without_a_word(
    start: Start,
) -> None:
    async with start() as first:
        hanging = first.model.enqueue(text="never comes", gated=True)
        await first.platform.say("one")
        await hanging.started.wait()
        await first.platform.say("/memory add by hand")
        await first.platform.until(lambda s: any("as soon as" in t for t in s.texts))
    async with start() as second:
        second.model.enqueue(text="answer one")
        screen = await second.platform.until(lambda s: len(s.texts) > 1)
        assert any("/memory" in text for text in screen.texts)


async def test_a_new_session_drops_the_commands_that_wait(gateway: SmallGateway) -> None:
    drip = gateway.model.enqueue(text="the whole answer", gated=True)
    await gateway.platform.say("question")
    await drip.started.wait()
    await gateway.platform.say("/undo")
    await gateway.platform.say("/new")
    await gateway.platform.until(lambda s: any("1 message that still waited" in t for t in s.texts))
    await gateway.chats.idle("telegram:dm:1")
    assert not any(text.startswith("Undone") for text in screen_texts(gateway))


def screen_texts(gateway: SmallGateway) -> list[str]:
    return gateway.platform.screens["1"].texts
