"""The notes on a person are theirs in all their direct chats, whichever agent wrote them."""

from tests.gateway.chats.small_gateway import Start, is_settled


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
