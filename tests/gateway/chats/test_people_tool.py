"""`send_message`: into chats where the person was and may be, after a yes, and known there."""

from typing import Any

from adapters.base import ChatGone, Sender
from config.telegram import TelegramSettings
from tests.fakes.platform import ALICE
from tests.gateway.chats.small_gateway import SmallGateway, Start, use_tool

BOB = Sender("2", "Bob <b>")
GROUP = "telegram:group:-100"
OWNER = TelegramSettings(owners=(1,), allowed_users=(2,), allowed_chats=(-100,))
FREELY: dict[str, Any] = {"risks": {"message": "allow"}}


async def meet(gateway: SmallGateway, sender: Sender = ALICE, chat: str = "-100") -> None:
    """Somebody writes in a group."""
    gateway.model.enqueue(text="hello all")
    await gateway.platform.say("hi", sender=sender, chat=chat)
    await gateway.platform.until_shown("hello all", chat=chat)


async def test_a_message_is_posted_in_the_name_of_its_person_and_known_there(
    start: Start,
) -> None:
    async with start(own_tools=True, telegram=OWNER, tools=FREELY) as gateway:
        await meet(gateway)
        said = await use_tool(gateway, "send_message", target=GROUP, text="Dinner at *eight*.")
        assert said == f"Posted in {GROUP}."
        posted = "Dinner at *eight*.\n\n*(Alice asked me to post this.)*"
        await gateway.platform.until_shown(posted, chat="-100")
        gateway.model.enqueue(text="at eight")
        await gateway.platform.say("when?", sender=BOB, chat="-100")
        await gateway.platform.until_shown("at eight", chat="-100")
        messages = gateway.request()["messages"]
    assert posted in [message["content"] for message in messages]
    roles = [message["role"] for message in messages]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]


async def test_by_default_a_person_is_asked_with_the_exact_text(start: Start) -> None:
    async with start(own_tools=True, telegram=OWNER) as gateway:
        await meet(gateway, BOB)
        await meet(gateway)
        gateway.model.enqueue(tool_calls=[("send_message", {"target": GROUP, "text": "Hi ``` x"})])
        gateway.model.enqueue(text="done")
        await gateway.platform.say("please")
        screen = await gateway.platform.until(lambda s: "May I use send_message" in s.last)
        assert "````\nHi ``` x\n````" in screen.last
        assert "(Alice, Bob b)" in screen.last
        await gateway.platform.press("Deny")
        await gateway.platform.until_shown("done")
        assert "Hi" not in str(gateway.platform.screens["-100"].texts)


async def test_only_chats_of_the_person_are_listed_and_written_to(start: Start) -> None:
    async with start(own_tools=True, telegram=OWNER, tools=FREELY) as gateway:
        await meet(gateway)
        listed = await use_tool(gateway, "list_chats")
        assert f"{GROUP} (a group; Alice)" in listed
        assert await use_tool(gateway, "list_chats", by=BOB) == "There are no other chats."
        for target in (GROUP, "telegram:dm:1", "telegram:dm:99", "nonsense", "console", ""):
            said = await use_tool(gateway, "send_message", by=BOB, target=target, text="spam")
            assert "There is no such chat" in said
        own = await use_tool(gateway, "send_message", target="telegram:dm:1", text="echo")
        assert "just answer" in own
    assert gateway.platform.screens["-100"].texts == ["hello all"]


async def test_a_chat_that_was_closed_to_a_person_is_not_written_to_for_them(
    start: Start,
) -> None:
    both = TelegramSettings(allowed_chats=(-100, -200))
    async with start(own_tools=True, telegram=both, tools=FREELY) as gateway:
        await meet(gateway, BOB)
        await meet(gateway, BOB, chat="-200")
        target = "telegram:group:-200"
        asked: dict[str, Any] = {"by": BOB, "chat": "-100", "target": target, "text": "Hi"}
        assert await use_tool(gateway, "send_message", **asked) == f"Posted in {target}."
        one = gateway.host.settings.model_copy(
            update={"telegram": TelegramSettings(allowed_chats=(-100,))}
        )
        gateway.gate.reconfigure(one)
        said = await use_tool(gateway, "send_message", **asked)
        assert "may not write there any more" in said
    assert len(gateway.platform.screens["-200"].texts) == 2


async def test_what_can_not_be_shown_there_is_told(start: Start) -> None:
    async with start(own_tools=True, telegram=OWNER, tools=FREELY) as gateway:
        await meet(gateway)
        gateway.model.enqueue(tool_calls=[("send_message", {"target": GROUP, "text": "Hi"})])
        gateway.model.enqueue(text="sorry")
        gateway.platform.fail("send", ChatGone("kicked"))
        await gateway.platform.say("please")
        await gateway.platform.until_shown("sorry")
        assert "could not be shown there" in gateway.request()["messages"][-1]["content"]
        assert len(await gateway.history(GROUP)) == 2
