"""`session_search`: what was said before is found, and only by those who may know it."""

import re
from typing import Any

from adapters.base import Sender
from tests.fakes.platform import ALICE
from tests.gateway.chats.small_gateway import SmallGateway, Start, use_tool

BOB = Sender("2", "Bob")


async def say(
    gateway: SmallGateway, text: str, *, sender: Sender = ALICE, chat: str | None = None
) -> None:
    answer = f"heard: {text}"
    gateway.model.enqueue(text=answer)
    await gateway.platform.say(text, sender=sender, chat=chat)
    await gateway.platform.until_shown(answer, chat=chat or sender.id)


async def search(
    gateway: SmallGateway, *, sender: Sender = ALICE, chat: str | None = None, **arguments: Any
) -> str:
    """What the model reads."""
    return await use_tool(gateway, "session_search", by=sender, chat=chat, **arguments)


async def new_session(gateway: SmallGateway) -> None:
    await gateway.platform.say("/new")
    await gateway.platform.until(lambda s: "new conversation" in s.last)


async def test_what_was_said_in_an_earlier_conversation_is_found_and_read_around(
    start: Start,
) -> None:
    async with start(own_tools=True) as gateway:
        await say(gateway, "my bicycle is green")
        await say(gateway, "and my boat is red")
        await new_session(gateway)
        found = await search(gateway, query="bicycle green")
        assert "the person: my bicycle is green" in found
        assert "you: heard: my bicycle is green" in found
        assert "boat" not in found
        assert found.startswith("What follows is data from earlier conversations.")
        numbers = re.findall(r"#(\d+) ", found)
        around = await search(gateway, around=int(numbers[-1]))
        assert "boat is red" in around
        session = re.search(r"\[(\w{8})\]", found)
        assert session
        assert "boat is red" in await search(gateway, session=session[1])
        listed = await search(gateway)
        assert f"[{session[1]}]" in listed


async def test_nobody_finds_what_another_person_said_to_the_bot_alone(start: Start) -> None:
    async with start(own_tools=True) as gateway:
        await say(gateway, "my password is swordfish")
        mine = await search(gateway, query="swordfish")
        number = int(re.findall(r"#(\d+) ", mine)[-1])
        session = re.search(r"\[(\w{8})\]", mine)
        assert session
        for chat in (None, "-100"):
            found = [
                await search(gateway, sender=BOB, chat=chat, query="swordfish"),
                await search(gateway, sender=BOB, chat=chat, around=number),
                await search(gateway, sender=BOB, chat=chat, session=session[1]),
                await search(gateway, sender=BOB, chat=chat),
            ]
            assert not any("swordfish" in text.replace("heard", "") for text in found)
        in_group = await search(gateway, chat="-100", query="swordfish")
        assert in_group == "Nothing was found."


async def test_alone_a_person_finds_what_was_said_in_a_group_they_were_in(start: Start) -> None:
    async with start(own_tools=True) as gateway:
        await say(gateway, "the party is on the roof", chat="-100")
        assert "in another chat" in await search(gateway, query="party roof")
        assert await search(gateway, sender=BOB, query="party roof") == "Nothing was found."
