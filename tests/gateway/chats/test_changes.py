"""What happens to messages after they were sent: changes and deletions."""

import asyncio
from dataclasses import replace
from datetime import timedelta

from adapters.base import Inbound, Sender
from config.settings import AccessSettings
from gateway.changes import REDONE_WITHIN, incoming
from tests.gateway.chats.people import EVE
from tests.gateway.chats.small_gateway import NOON, SmallGateway, Start

CHAT = "telegram:dm:1"


# Changes


async def test_a_message_that_waits_is_answered_as_it_is_by_then(gateway: SmallGateway) -> None:
    drip = gateway.model.enqueue(text="the first answer", gated=True)
    gateway.model.enqueue(text="the second answer")
    await gateway.platform.say("one")
    await drip.started.wait()
    waits = await gateway.platform.say("tow")
    await gateway.platform.change(waits, "two")
    drip.release(20)
    await gateway.platform.until_shown("the first answer", "the second answer")
    assert gateway.said() == ["one", "two"]


async def test_a_change_of_what_waits_survives_a_restart(start: Start) -> None:
    async with start() as first:
        hanging = first.model.enqueue(text="never comes", gated=True)
        await first.platform.say("one")
        await hanging.started.wait()
        waits = await first.platform.say("tow")
        await first.platform.change(waits, "two")
    async with start() as second:
        for answer in ("cut off", "the first answer", "the second answer"):
            second.model.enqueue(text=answer)
        await second.platform.until(lambda s: len(s.texts) >= 2)
        await second.chats.idle(CHAT)
        assert second.said() == ["one", "two"]


async def test_a_change_while_the_answer_is_written_has_it_written_anew(
    gateway: SmallGateway,
) -> None:
    await gateway.talk("hello", "hi")
    drip = gateway.model.enqueue(text="Luna, I think it was", gated=True)
    gateway.model.enqueue(text="It is Rex")
    message = await gateway.platform.say("what is my cat called?")
    await drip.started.wait()
    await gateway.platform.change(message, "what is my dog called?")
    await gateway.platform.until(lambda s: s.last == "It is Rex")
    await gateway.chats.idle(CHAT)
    assert gateway.said() == ["hello", "what is my dog called?"]
    history = [message["content"] for message in await gateway.history()]
    assert history == ["hello", "hi", "what is my dog called?", "It is Rex"]
    assert "Undone" not in str(gateway.platform.screens["1"].log)


async def test_a_change_right_after_the_answer_has_it_written_anew(gateway: SmallGateway) -> None:
    message = await gateway.talk("what is my cat called?", "Luna")
    gateway.model.enqueue(text="Rex")
    await gateway.platform.change(message, "what is my dog called?")
    await gateway.platform.until_shown("Luna", "Rex")
    await gateway.chats.idle(CHAT)
    assert [m["content"] for m in await gateway.history()] == ["what is my dog called?", "Rex"]


async def test_a_message_can_be_changed_again_and_again(gateway: SmallGateway) -> None:
    message = await gateway.talk("one", "first")
    for number in range(3):
        gateway.model.enqueue(text=f"answer {number}")
        await gateway.platform.change(message, f"version {number}")
        await gateway.platform.until(lambda s, n=number: s.last == f"answer {n}")  # type: ignore[misc]  # a default binds
        await gateway.chats.idle(CHAT)
    assert [m["content"] for m in await gateway.history()] == ["version 2", "answer 2"]


async def test_a_change_that_comes_twice_is_one(gateway: SmallGateway) -> None:
    message = await gateway.talk("one", "first")
    gateway.model.enqueue(text="second")
    for _ in range(3):
        await gateway.platform.change(message, "two", event_id="change")
    await gateway.platform.until_shown("first", "second")
    await gateway.chats.idle(CHAT)
    assert len(gateway.model.requests) == 2


async def test_a_change_of_nothing_is_none(gateway: SmallGateway) -> None:
    message = await gateway.talk("see https://example.org", "I see")
    await gateway.platform.change(message, "see https://example.org")
    await gateway.talk("and?", "nothing")
    assert gateway.said() == ["see https://example.org", "and?"]


async def test_a_redone_turn_goes_on_after_a_restart(start: Start) -> None:
    async with start() as first:
        message = await first.talk("what is my cat called?", "Luna")
        hanging = first.model.enqueue(text="never comes", gated=True)
        await first.platform.change(message, "what is my dog called?")
        await hanging.started.wait()
    async with start() as second:
        for _ in range(2):
            second.model.enqueue(text="Rex")
        await second.platform.until(lambda s: s.last == "Rex")
        await second.chats.idle(CHAT)
        history = [m["content"] for m in await second.history()]
        assert history == ["what is my dog called?", "Rex"]
        assert "Undone" not in str(second.platform.screens["1"].log)


async def test_a_change_that_waits_at_a_kill_is_answered_in_the_place_of_what_it_changes(
    start: Start,
) -> None:
    async with start() as first:
        hanging = first.model.enqueue(text="never comes", gated=True)
        message = await first.platform.say("what is my cat called?")
        await hanging.started.wait()
        await first.platform.say("and my bird?")
        # Killed right after it was taken, before the turn of what it was has stopped.
        changed = replace(message, text="and my dog?", event_id="changed", is_redone=True)
        await first.store.inbound.take(incoming(changed))
    async with start() as second:
        drip = second.model.enqueue(text="Luna", gated=True)
        await drip.started.wait()
        # The platform, which was not told that it was taken, brings it again.
        await second.platform.change(message, "and my dog?", event_id="changed")
        for answer in ("Rex", "Tweety"):
            second.model.enqueue(text=answer)
        drip.release(20)
        await second.platform.until(lambda s: s.last == "Tweety")
        await second.chats.idle(CHAT)
        history = [m["content"] for m in await second.history()]
        assert history == ["and my dog?", "Rex", "and my bird?", "Tweety"]


async def test_a_change_of_an_older_message_is_told_with_the_next(gateway: SmallGateway) -> None:
    message = await gateway.talk("my cat is Luna", "noted")
    await gateway.talk("how are you?", "fine")
    await gateway.platform.change(message, "my cat is Lina")
    await gateway.talk("what is my cat called?", "Lina")
    assert (
        '> "Alice": (changed an earlier message, which says now: “my cat is Lina”)'
        in (gateway.said()[-1])
    )
    assert len(gateway.model.requests) == 3


async def test_a_change_after_a_while_is_told_and_answers_nothing(start: Start) -> None:
    now = [NOON]
    async with start(clock=lambda: now[0]) as gateway:
        message = await gateway.talk("my cat is Luna", "noted")
        now[0] += REDONE_WITHIN + timedelta(seconds=1)
        await gateway.platform.change(message, "my cat is Lina")
        await gateway.talk("hm?", "yes?")
        assert len(gateway.model.requests) == 2
        assert "Lina" in gateway.said()[-1]


async def test_a_change_of_a_message_of_the_conversation_before_takes_nothing_back(
    gateway: SmallGateway,
) -> None:
    message = await gateway.talk("my cat is Luna", "noted")
    await gateway.platform.say("/new")
    await gateway.platform.until(lambda s: s.last.startswith("A new conversation"))
    await gateway.platform.change(message, "my cat is Lina")
    await gateway.talk("hello", "hi")
    assert len(gateway.model.requests) == 2


async def test_a_change_after_undo_takes_back_nothing_more(gateway: SmallGateway) -> None:
    await gateway.talk("one", "first")
    message = await gateway.talk("two", "second")
    await gateway.platform.say("/undo")
    await gateway.platform.until(lambda s: s.last.startswith("Undone"))
    await gateway.chats.idle(CHAT)
    await gateway.platform.change(message, "three")
    await gateway.talk("four", "fourth")
    assert gateway.said()[0] == "one"


async def test_a_command_that_is_changed_is_not_carried_out_again(gateway: SmallGateway) -> None:
    message = await gateway.platform.say("/help")
    await gateway.platform.until(lambda s: s.last.startswith("Write to me"))
    await gateway.platform.change(message, "/new")
    await gateway.talk("hello", "hi")
    assert not any("A new conversation." in t for t in gateway.platform.screens["1"].texts)
    assert gateway.said() == ["hello"]


async def test_nobody_changes_what_another_has_said(gateway: SmallGateway) -> None:
    drip = gateway.model.enqueue(text="to Alice", gated=True)
    await gateway.platform.say("one", chat="-100")
    await drip.started.wait()
    gateway.model.enqueue(text="to Alice again")
    waits = await gateway.platform.say("two", chat="-100")
    bob = Sender("2", "Bob")
    forged = Inbound("x", waits.address, bob, "forged", message_id=waits.message_id)
    await gateway.platform.change(forged, "forged")
    drip.release(20)
    await gateway.platform.until_shown("to Alice", "to Alice again", chat="-100")
    assert gateway.said()[-1].endswith("two")


async def test_a_strangers_change_and_reaction_are_nothing(gateway: SmallGateway) -> None:
    await gateway.talk("hello", "hi")
    mine = await gateway.platform.say("hello", sender=EVE)
    await gateway.platform.change(mine, "let me in")
    await gateway.platform.react(gateway.shown_as("hi"), "👍", sender=EVE, chat="1")
    await gateway.talk("and?", "nothing")
    assert gateway.said() == ["hello", "and?"]
    assert gateway.platform.screens["666"].log == []


# Deletions


async def test_a_message_that_is_deleted_while_it_waits_is_not_answered(
    gateway: SmallGateway,
) -> None:
    drip = gateway.model.enqueue(text="the first answer", gated=True)
    gateway.model.enqueue(text="the third answer")
    await gateway.platform.say("one")
    await drip.started.wait()
    waits = await gateway.platform.say("two")
    await gateway.platform.say("three")
    await gateway.platform.take_away(waits)
    drip.release(20)
    await gateway.platform.until_shown("the first answer", "the third answer")
    await gateway.chats.idle(CHAT)
    assert gateway.said() == ["one", "three"]
    assert await gateway.store.inbound.waiting() == []


async def test_a_message_that_is_about_to_go_into_an_answer_can_be_changed_and_deleted(
    start: Start,
) -> None:
    async with start(busy="steer", max_turns=1) as gateway:
        drip = gateway.model.enqueue(text="for the other chat", gated=True)
        await gateway.platform.say("first", chat="-100")
        await drip.started.wait()  # the one turn there may be: the next waits for its first step
        gateway.model.enqueue(text="one answer")
        gateway.model.enqueue(text="the same, with the rest")
        await gateway.platform.say("one")
        await asyncio.sleep(0)
        two, other = [await gateway.platform.say(text) for text in ("tow", "xylophone")]
        await gateway.platform.change(two, "two")
        await gateway.platform.take_away(other)
        drip.release(20)
        await gateway.platform.until(lambda s: s.last == "the same, with the rest")
        await gateway.chats.idle(CHAT)
        assert "two" in gateway.said()[-1]
        assert "tow" not in str(gateway.request()["messages"])
        assert "xylophone" not in str(gateway.request()["messages"])
        assert await gateway.store.inbound.waiting() == []


async def test_what_was_answered_already_stays_when_it_is_deleted(gateway: SmallGateway) -> None:
    message = await gateway.talk("hello", "hi")
    await gateway.platform.take_away(message)
    await gateway.talk("and?", "nothing")
    assert gateway.said() == ["hello", "and?"]


# Too much of it


async def test_changes_and_reactions_count_as_messages_do(start: Start) -> None:
    access = AccessSettings(user_messages_per_minute=0.1, user_burst=2)
    async with start(access=access) as gateway:
        message = await gateway.talk("one", "first")
        gateway.model.enqueue(text="second")
        await gateway.platform.change(message, "two")
        await gateway.platform.until_shown("first", "second")
        await gateway.platform.change(message, "three", event_id="too much")
        assert not await gateway.was_taken("too much")
