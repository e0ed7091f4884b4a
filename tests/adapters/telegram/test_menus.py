"""The menus of commands: who sees which, in which language, and when they are sent at all."""

import pytest

from adapters.base import Menus
from adapters.telegram.menu_languages import LANGUAGES
from gateway.commands.table import CommandTable
from tests.adapters.telegram.serving import Serving, adapter_for
from tests.fakes.telegram import FakeTelegram, Person, faults

HELP, STOP = ("help", "show this list"), ("stop", "stop the answer")
PAIR = ("pair", "let somebody in")


def names(fake: FakeTelegram, scope: str, language: str = "") -> list[str]:
    return [command["command"] for command in fake.world.menus.get((scope, language), [])]


async def test_members_groups_and_owners_each_see_their_own_menu(
    fake: FakeTelegram, ada: Person
) -> None:
    menus = Menus((HELP, STOP), (STOP,), (HELP, STOP, PAIR), (str(ada.id),))
    async with Serving(adapter_for(fake, menus=lambda: menus)):
        await fake.wait_for(lambda: len(fake.world.menus) == 4 * (1 + len(LANGUAGES)))
    for language in ("", *LANGUAGES):
        assert names(fake, "default", language) == ["help", "stop"]
        assert names(fake, "all_private_chats", language) == ["help", "stop"]
        assert names(fake, "all_group_chats", language) == ["stop"]
        assert names(fake, f"chat {ada.id}", language) == ["help", "stop", "pair"]
    [command] = fake.world.menus["all_group_chats", "de"]
    assert command["description"] == LANGUAGES["de"]["stop"]
    [command] = fake.world.menus["all_group_chats", ""]
    assert command["description"] == "stop the answer"


async def test_menus_that_are_there_already_are_not_sent_again(fake: FakeTelegram) -> None:
    menus = Menus((HELP,), (STOP,))
    each = 3 * (1 + len(LANGUAGES))
    async with Serving(adapter_for(fake, menus=lambda: menus)):
        await fake.wait_for(lambda: len(fake.calls_of("setMyCommands")) == each)
    async with Serving(adapter_for(fake, menus=lambda: menus)):
        await fake.wait_for(lambda: len(fake.calls_of("getMyCommands")) == 2 * each)
    assert len(fake.calls_of("setMyCommands")) == each


async def test_a_new_owner_gets_the_menu_at_once_and_a_former_one_loses_it(
    fake: FakeTelegram, ada: Person
) -> None:
    bea = fake.people.person("Bea")
    owners: list[Person] = []

    def menus() -> Menus:
        return Menus((HELP,), (), (HELP, PAIR), tuple(str(one.id) for one in owners))

    async with Serving(adapter_for(fake, menus=menus)):
        await fake.wait_for(lambda: names(fake, "all_group_chats", "fr") == [])
        owners[:] = [ada]
        fake.people.say(ada, "the code")
        await fake.wait_for(lambda: names(fake, f"chat {ada.id}", "fr"))
        owners[:] = [bea]
        fake.people.say(bea, "another code")
        await fake.wait_for(lambda: names(fake, f"chat {bea.id}", "fr"))
        await fake.wait_for(lambda: (f"chat {ada.id}", "fr") not in fake.world.menus)
    assert names(fake, f"chat {bea.id}") == ["help", "pair"]
    assert names(fake, f"chat {ada.id}") == []


async def test_an_owner_without_a_chat_costs_nobody_their_menu(
    fake: FakeTelegram, ada: Person
) -> None:
    menus = Menus((HELP,), (HELP,), (HELP, PAIR), ("77", str(ada.id)))
    async with Serving(adapter_for(fake, menus=lambda: menus)):
        await fake.wait_for(lambda: names(fake, f"chat {ada.id}", "fr"))
    assert names(fake, "chat 77") == []


async def test_a_telegram_that_can_not_be_reached_keeps_nobody_from_being_served(
    fake: FakeTelegram, ada: Person
) -> None:
    fake.fail("getMyCommands", faults.bad_gateway())
    fake.people.say(ada, "hello")
    async with Serving(adapter_for(fake, menus=lambda: Menus((HELP,)))) as serving:
        await serving.inbound()
    assert fake.world.menus == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_purpose_in_another_language_is_short_and_there_for_the_same_commands(
    language: str,
) -> None:
    assert LANGUAGES[language].keys() == LANGUAGES["de"].keys()
    assert all(1 <= len(purpose) <= 256 for purpose in LANGUAGES[language].values())
    assert {name for name, _ in CommandTable([]).purposes()} <= LANGUAGES[language].keys()
