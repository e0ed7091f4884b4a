"""The gate in a running gateway: members, owners, the blocked, on every way in."""

import pytest

from adapters.base import Address, ChatKind, Inbound, Sender
from config.settings import AccessSettings, Settings
from config.telegram import TelegramSettings
from gateway.access.roles import Role
from gateway.commands.models import key_of
from gateway.router import TOO_MUCH
from tests.fakes.platform import ALICE
from tests.gateway.chats.people import BOSS, EVE, PAIRING, UNLIMITED, WITH_OWNER, answered
from tests.gateway.chats.small_gateway import Start

BOB = Sender("3", "Bob")


async def test_a_blocked_persons_ways_in_are_all_shut(start: Start) -> None:
    async with start(telegram=WITH_OWNER) as gateway:
        question = {"question": "Which city?", "choices": ["Berlin", "Paris"]}
        gateway.model.enqueue(tool_calls=[("clarify", question)])
        await gateway.platform.say("book a trip")
        asked = await gateway.platform.until(lambda s: len(s.buttons) == 3)
        berlin = asked.buttons[0].data
        assert (
            await answered(gateway, "/block 1")
            == "telegram:1 is blocked. `/allow telegram:1` undoes it."
        )
        await gateway.chats.idle("telegram:dm:1")
        shown = list(gateway.platform.screens["1"].texts)

        notice = await gateway.platform.press_data(berlin, wait_s=0.05)
        await gateway.platform.say("Berlin")
        await gateway.platform.say("/help")
        await gateway.platform.say("hello", chat="-100")
        assert notice == "(never acknowledged)"
        assert gateway.platform.screens["1"].texts == shown
        assert gateway.platform.screens["-100"].log == []
        assert len(gateway.model.requests) == 1

        assert await answered(gateway, "/allow 1") == "telegram:1 may talk from now on."
        gateway.model.enqueue(text="welcome back")
        await gateway.platform.say("hello")
        await gateway.platform.until_shown("welcome back")


async def test_who_is_blocked_while_their_message_waits_is_not_answered(start: Start) -> None:
    async with start(telegram=WITH_OWNER) as gateway:
        drip = gateway.model.enqueue(text="an answer to Bob", gated=True)
        gateway.model.enqueue(text="an answer to Boss")
        await gateway.platform.say("first", sender=BOB, chat="-100")
        await drip.started.wait()
        await gateway.platform.say("second", sender=ALICE, chat="-100", event_id="waits")
        await gateway.platform.say("third", sender=BOSS, chat="-100")
        assert "is blocked" in await answered(gateway, "/block 1")
        drip.release(50)
        await gateway.platform.until(lambda s: s.last == "an answer to Boss", chat="-100")
        said = [m["content"] for m in await gateway.history("telegram:group:-100")]
        assert not any("second" in str(text) for text in said)


async def test_a_block_from_elsewhere_counts_when_the_turn_comes(start: Start) -> None:
    """Another process may have written it: the store is asked again before each turn."""
    async with start(telegram=WITH_OWNER) as gateway:
        drip = gateway.model.enqueue(text="an answer to Bob", gated=True)
        await gateway.platform.say("first", sender=BOB, chat="-100")
        await drip.started.wait()
        await gateway.platform.say("second", sender=ALICE, chat="-100")
        await gateway.administration.block(("telegram", "1"), "the command line")
        drip.release(50)
        await gateway.platform.until(lambda s: s.last == "an answer to Bob", chat="-100")
        await gateway.chats.idle("telegram:group:-100")
        assert len(gateway.model.requests) == 1


async def test_what_a_blocked_person_was_about_to_say_into_an_answer_is_left_out(
    start: Start,
) -> None:
    async with start(telegram=WITH_OWNER) as gateway:
        drip = gateway.model.enqueue(text="an answer to Bob", gated=True)
        await gateway.platform.say("first", sender=BOB, chat="-100")
        await drip.started.wait()
        await gateway.administration.block(("telegram", "1"), "telegram:7")
        group = Address("telegram", "-100", ChatKind.GROUP)
        gateway.chats.say(Inbound("said before", group, ALICE, "and do this"), "steer")
        gateway.chats.shut_out("telegram", "1")  # no await: the turn has not looked yet
        drip.release(50)
        await gateway.platform.until(lambda s: s.last == "an answer to Bob", chat="-100")
        await gateway.chats.idle("telegram:group:-100")
        assert len(gateway.model.requests) == 1
        assert "and do this" not in str(await gateway.history("telegram:group:-100"))


async def test_blocking_somebody_stops_the_answer_that_they_get(start: Start) -> None:
    async with start(telegram=WITH_OWNER) as gateway:
        gateway.model.enqueue(text="a very long answer", gated=True).release(6)
        await gateway.platform.say("question")
        await gateway.platform.until(lambda s: bool(s.texts))
        await answered(gateway, "/block 1")
        await gateway.platform.until(lambda s: s.last.endswith("*(stopped)*"))


async def test_an_owner_cannot_be_blocked(start: Start) -> None:
    async with start(telegram=WITH_OWNER) as gateway:
        assert await answered(gateway, "/block 7") == "telegram:7 is an owner, and stays one."
        assert "telegram:7, and an owner" in await answered(gateway, "/whoami")


async def test_commands_of_owners_are_for_owners(start: Start) -> None:
    async with start(telegram=WITH_OWNER) as gateway:
        for text in ("/block 3", "/allow 666", "/pair list", "/pair approve ABCDEFGH"):
            name = text.split()[0]
            assert await answered(gateway, text, ALICE) == f"{name} is for the owners of this bot."
        assert "/block" not in await answered(gateway, "/help", ALICE)
        assert "/block" in await answered(gateway, "/help")
        await gateway.platform.say("hello", sender=EVE)
        assert gateway.platform.screens["666"].log == []


async def test_groups_may_have_fewer_commands(start: Start) -> None:
    access = AccessSettings.model_validate({"group_commands": ["help", "stop"], **UNLIMITED})
    async with start(telegram=WITH_OWNER, access=access) as gateway:
        await gateway.platform.say("/new", chat="-100")
        await gateway.platform.until_shown(
            "/new is not for groups. Write to me directly.", chat="-100"
        )
        await gateway.platform.say("/help", chat="-100")
        shown = await gateway.platform.until(lambda s: "/stop" in s.last, chat="-100")
        assert "/new" not in shown.last
        await gateway.platform.say("/help", sender=BOSS, chat="-100")
        await gateway.platform.until(lambda s: "/new" in s.last, chat="-100")
        assert "/new" in await answered(gateway, "/help", ALICE)


async def test_a_button_does_no_more_than_its_command_would(start: Start) -> None:
    access = AccessSettings.model_validate({"group_commands": ["help", "stop"], **UNLIMITED})
    async with start(telegram=WITH_OWNER, access=access, other_models=["other-model"]) as gateway:
        press = f"model:{key_of('other-model')}"
        notice = await gateway.platform.press_data(press, chat="-100")
        assert notice == "/model is not for groups. Write to me directly."
        notice = await gateway.platform.press_data(press, sender=EVE, wait_s=0.05)
        assert notice == "(never acknowledged)"
        assert gateway.platform.screens["-100"].log == []
        assert await gateway.platform.press_data(press, sender=BOSS, chat="-100") == ""
        await gateway.platform.until(lambda s: "From your next" in s.last, chat="-100")


async def test_whoami_says_who_what_and_why(start: Start) -> None:
    async with start(telegram=WITH_OWNER) as gateway:
        assert await answered(gateway, "/whoami", ALICE) == (
            "You are telegram:1, and a member here, because of telegram.allowed_users. "
            "This chat is `telegram:dm:1`."
        )
        await gateway.platform.say("/whoami", sender=EVE, chat="-100")
        await gateway.platform.until(
            lambda s: (
                "telegram:666, and a member here, because of telegram.allowed_chats" in s.last
            ),
            chat="-100",
        )


async def test_a_store_that_fails_changes_nobodys_role(start: Start) -> None:
    async with start(telegram=WITH_OWNER, access=PAIRING) as gateway:
        assert "may talk from now on" in await answered(gateway, "/allow 666")
        await answered(gateway, "/whoami", EVE)
        await gateway.store.close()
        group = Address("telegram", "-999", ChatKind.GROUP)
        roles = [
            (await gateway.gate.standing(Inbound("1", group, sender, ""))).role
            for sender in (BOSS, ALICE, EVE, BOB)
        ]
        assert roles == [Role.OWNER, Role.MEMBER, Role.MEMBER, Role.STRANGER]
        await gateway.platform.say("let me in", sender=BOB)  # no code can be kept, so none is given
        assert gateway.platform.screens["3"].log == []


async def test_too_much_is_refused_once_and_then_met_with_silence(start: Start) -> None:
    access = AccessSettings(user_burst=3, user_messages_per_minute=0.01)
    async with start(access=access) as gateway:
        for _ in range(10):
            await gateway.platform.say("/help")
        await gateway.chats.idle("telegram:dm:1")
        texts = gateway.platform.screens["1"].texts
        assert len(texts) == 4
        assert texts.count(TOO_MUCH) == 1
        drip = gateway.model.enqueue(text="the answer", gated=True)
        await gateway.platform.say("question", event_id="too much")
        assert not await gateway.was_taken("too much")  # left no trace
        assert not drip.started.is_set()
        assert await gateway.platform.press_data("ask:1:1") == ""  # acknowledged, but not taken
        await gateway.platform.say("/stop")  # is needed most when all is too much
        await gateway.platform.until_shown("There is nothing to stop.")


async def test_other_settings_hold_at_once_and_keep_what_is_stored(start: Start) -> None:
    async with start(telegram=WITH_OWNER) as gateway:
        await answered(gateway, "/allow 666")
        gateway.gate.reconfigure(Settings(telegram=TelegramSettings(owners=(1,))))
        assert "telegram:1, and an owner here" in await answered(gateway, "/whoami", ALICE)
        assert "telegram:666, and a member here" in await answered(gateway, "/whoami", EVE)
        assert "is blocked" in await answered(gateway, "/block 7", ALICE)  # no owner any more
        await gateway.platform.say("/whoami", sender=BOSS)
        await gateway.platform.say("/whoami", sender=BOB, chat="-100")
        assert gateway.platform.screens["7"].texts == ["telegram:666 may talk from now on."]
        assert gateway.platform.screens["-100"].log == []


@pytest.mark.parametrize("arguments", ["", "  ", "a b", ":1", "1:", "telegram:", "\u200b"])
@pytest.mark.parametrize("command", ["allow", "block"])
async def test_an_id_that_is_none_is_refused(start: Start, command: str, arguments: str) -> None:
    async with start(telegram=WITH_OWNER) as gateway:
        told = await answered(gateway, f"/{command} {arguments}")
        assert told.startswith(f"It is `/{command} ID`, `/{command} platform:ID`, or in a group")


async def test_an_unknown_platform_is_refused(start: Start) -> None:
    async with start(telegram=WITH_OWNER) as gateway:
        assert await answered(gateway, "/allow pigeon:1") == (
            "There is no platform pigeon. Known here: telegram, discord."
        )
        assert await answered(gateway, "/pair frobnicate") == (
            "It is `/pair list`, `/pair approve CODE` or `/pair deny CODE`."
        )
