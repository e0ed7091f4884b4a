"""What owners alone can do in a chat: groups let in and shut out, /health, /broadcast."""

from adapters.base import Address, ChatGone, ChatKind, Sender
from config.telegram import TelegramSettings
from gateway.sessions import address_of, session_key
from tests.fakes.platform import ALICE
from tests.gateway.chats.people import BOSS, EVE, PAIRING, answered
from tests.gateway.chats.small_gateway import Start

OWNED = TelegramSettings(owners=(7,), allowed_users=(1,))
GROUP = "-200"


async def test_a_group_is_let_in_and_shut_out_by_an_owner_who_is_in_it(start: Start) -> None:
    async with start(telegram=OWNED) as gateway:
        await gateway.platform.say("hello", sender=EVE, chat=GROUP)
        allowed = await answered(gateway, "/allow here", BOSS, GROUP)
        assert allowed == f"Everybody in telegram:chat:{GROUP} may talk from now on."
        gateway.model.enqueue(text="Eve!")
        assert await answered(gateway, "hello again", EVE, GROUP) == "Eve!"
        await answered(gateway, "/block here", BOSS, GROUP)
        await gateway.platform.say("and now?", sender=EVE, chat=GROUP)
        assert "owner" in await answered(gateway, "/whoami", BOSS, GROUP)
        assert len(gateway.model.requests) == 1


async def test_here_is_no_group_in_a_direct_chat(start: Start) -> None:
    async with start(telegram=OWNED) as gateway:
        assert "in a group" in await answered(gateway, "/allow here", BOSS)


async def test_owners_hear_of_it_when_a_stranger_asks_to_be_let_in(start: Start) -> None:
    async with start(telegram=OWNED, access=PAIRING) as gateway:
        gateway.model.enqueue(text="Boss")
        await answered(gateway, "hello", BOSS)
        code = await answered(gateway, "let me in", EVE)
        screen = await gateway.platform.until(lambda s: len(s.texts) == 2, chat=BOSS.id)
        assert "Eve (telegram:666) asks to be let in" in screen.last
        assert not any(word in screen.last for word in code.split("`")[1::2])
        await answered(gateway, "let me in, I said", ALICE)
    assert len(gateway.platform.screens[BOSS.id].texts) == 2


async def test_health_says_how_the_gateway_is_to_owners_only(start: Start) -> None:
    async with start(telegram=OWNED) as gateway:
        assert (await answered(gateway, "/health", BOSS)).startswith("All is well.")
        assert "for the owners" in await answered(gateway, "/health", ALICE)


async def test_a_broadcast_reaches_the_chats_that_may_talk_and_counts_them(start: Start) -> None:
    telegram = TelegramSettings(owners=(7,), allowed_users=(1, 2, 3))
    async with start(telegram=telegram) as gateway:
        for number, name in enumerate(("Ada", "Bob", "Eve"), 1):
            gateway.model.enqueue(text=f"{name}!")
            await answered(gateway, "hello", Sender(str(number), name))
        await answered(gateway, "/block 3", BOSS)
        gateway.platform.fail("send", ChatGone("blocked"))
        done = await answered(gateway, "/broadcast back at nine", BOSS)
        told = [gateway.platform.screens[chat].last for chat in "123"]
    assert told.count("back at nine") == 1
    assert told[2] == "Eve!"
    assert done == "Said in 1 of 2 chats."


def test_a_key_says_where_its_chat_is() -> None:
    for address in (
        Address("telegram", "42", ChatKind.DIRECT),
        Address("telegram", "-100", ChatKind.GROUP, thread_id="7"),
        Address("discord", "9", ChatKind.GROUP),
        Address("discord", "8", ChatKind.DIRECT),
    ):
        assert address_of(session_key(address)) == address
    for key in ("console", "", "telegram", "telegram:dm:", "telegram:else:1"):
        assert address_of(key) is None
