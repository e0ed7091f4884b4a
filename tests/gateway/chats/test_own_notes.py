"""The notes on a person are theirs in all their direct chats, whichever agent wrote them."""

from tests.fakes.model_server import Script
from tests.gateway.chats.small_gateway import SmallGateway, Start, is_settled


def enqueue_note(
    gateway: SmallGateway, action: str, *, target: str = "user", **arguments: str
) -> Script:
    """Let the model change a note when it is let go."""
    call = {"action": action, "target": target, **arguments}
    return gateway.model.enqueue(tool_calls=[("memory", call)], gated=True)


async def test_a_note_made_in_one_direct_chat_is_known_in_the_other_and_kept(start: Start) -> None:
    async with start() as gateway:

        async def says(thread: str, note: str | None) -> None:
            if note is not None:
                arguments = {"action": "add", "target": "user", "content": note}
                gateway.model.enqueue(tool_calls=[("memory", arguments)])
            gateway.model.enqueue(text="Ok.")
            shown = len(gateway.platform.screens["1"].texts)
            await gateway.platform.say("note this", thread=thread)
            await gateway.platform.until(lambda s: len(s.texts) > shown and is_settled(s))
            await gateway.chats.idle(f"telegram:dm:1:{thread}")

        await says("7", "likes tea")
        await says("8", "has a cat")
        await says("7", "plays the flute")
        await says("8", None)
        notes = await gateway.store.memory("user", "telegram:1")
        told = str(gateway.request()["messages"])
    for note in ("likes tea", "has a cat", "plays the flute"):
        assert note in notes
        assert note in told


async def test_notes_that_two_direct_chats_of_a_person_make_at_once_are_both_kept(
    start: Start,
) -> None:
    async with start() as gateway:
        await gateway.store.set_memory("user", "telegram:1", "is called Ada")
        drips = {}
        for thread, note in (("7", "likes tea"), ("8", "has a cat")):
            drips[thread] = enqueue_note(gateway, "add", content=note)
            await gateway.platform.say("note this", thread=thread)
            await drips[thread].started.wait()
        for thread, drip in drips.items():
            gateway.model.enqueue(text="Noted.")
            drip.release(20)
            await gateway.chats.idle(f"telegram:dm:1:{thread}")
        notes = await gateway.store.memory("user", "telegram:1")
        assert notes.split("\n§\n") == ["is called Ada", "likes tea", "has a cat"]


async def test_a_note_about_a_chat_leaves_those_about_its_person_alone(start: Start) -> None:
    async with start() as gateway:
        drip = enqueue_note(gateway, "add", target="memory", content="about cats")
        await gateway.platform.say("note this", thread="7")
        await drip.started.wait()
        await gateway.platform.say("/memory add me: likes tea", thread="8")
        await gateway.platform.until(lambda s: "Noted." in s.texts)
        gateway.model.enqueue(text="Done.")
        drip.release(20)
        await gateway.platform.until(lambda s: "Done." in s.texts)
        assert await gateway.store.memory("user", "telegram:1") == "likes tea"
        assert await gateway.store.memory("memory", "telegram:dm:1:7") == "about cats"


async def test_an_agent_that_goes_on_after_a_kill_knows_what_it_has_noted_itself(
    start: Start,
) -> None:
    async with start() as first:
        enqueue_note(first, "add", content="likes tea").release(20)
        enqueue_note(first, "read").release(20)  # by the next step, the note is kept for good
        hanging = first.model.enqueue(text="never comes", gated=True)
        await first.platform.say("note this", thread="7")
        await hanging.started.wait()
    async with start() as second:
        drip = enqueue_note(second, "remove", old_text="likes tea")
        await drip.started.wait()
        await second.platform.say("/memory add me: has a cat", thread="8")
        await second.platform.until(lambda s: "Noted." in s.texts)
        second.model.enqueue(text="Done.")
        drip.release(20)
        await second.platform.until(lambda s: "Done." in s.texts)
        assert await second.store.memory("user", "telegram:1") == "has a cat"
