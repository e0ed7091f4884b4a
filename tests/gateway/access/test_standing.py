"""Who may talk: nobody, until somebody is named or let in. A table of who is what, and why."""

from datetime import UTC, datetime

import pytest

from adapters.base import Address, ChatKind, Sender
from config.discord import DiscordSettings
from config.settings import AccessSettings, Settings
from config.telegram import TelegramSettings
from gateway.access.report import people, summary
from gateway.access.roles import Role, Standing
from gateway.access.snapshot import Access, access_from, standing_of
from gateway.store.access import Grant, GrantedRole, StoredAccess

WHEN = datetime(2031, 5, 6, 12, 0, tzinfo=UTC)
SETTINGS = Settings(
    telegram=TelegramSettings(
        owners=(7, 8), allowed_users=(1, 3), allowed_chats=(-100, 666), allowed_bots=(50, 51)
    )
)


def granted(person: str, role: GrantedRole, source: str = "/allow") -> Grant:
    return Grant("telegram", person, role, source, "telegram:7", WHEN)


ACCESS = access_from(SETTINGS).with_stored(
    StoredAccess(
        1,
        (
            granted("2", "member", "pairing"),
            granted("3", "blocked", "/block"),
            granted("4", "blocked", "/block"),
            granted("8", "blocked", "/block"),
            granted("9", "owner", "claim"),
            granted("51", "blocked", "/block"),
            granted("60", "member"),
        ),
    )
)


def standing(person: str, chat: str, *, is_bot: bool = False, access: Access = ACCESS) -> Standing:
    kind = ChatKind.GROUP if chat.startswith("-") else ChatKind.DIRECT
    address = Address("telegram", chat, kind)
    return standing_of(access, address, Sender(person, "Whoever", is_bot=is_bot))


@pytest.mark.parametrize(
    ("person", "chat", "role", "reason"),
    [
        ("7", "7", Role.OWNER, "telegram.owners"),
        ("7", "-999", Role.OWNER, "telegram.owners"),
        ("8", "8", Role.OWNER, "telegram.owners"),  # nobody can block an owner
        ("9", "9", Role.OWNER, "the ownership code, 2031-05-06"),
        ("1", "1", Role.MEMBER, "telegram.allowed_users"),
        ("1", "-999", Role.MEMBER, "telegram.allowed_users"),  # a user may talk anywhere
        ("2", "2", Role.MEMBER, "a pairing code by telegram:7, 2031-05-06"),
        ("3", "3", Role.BLOCKED, "/block by telegram:7, 2031-05-06"),  # though it is allowed
        ("3", "-100", Role.BLOCKED, "/block by telegram:7, 2031-05-06"),
        (
            "4",
            "-100",
            Role.BLOCKED,
            "/block by telegram:7, 2031-05-06",
        ),  # an open group, but not to them
        ("5", "-100", Role.MEMBER, "telegram.allowed_chats"),
        ("5", "-999", Role.STRANGER, "nothing that names you"),  # case 35: a group of their own
        ("-999", "-999", Role.STRANGER, "nothing that names you"),  # case 31: an anonymous admin
        ("-100", "-100", Role.MEMBER, "telegram.allowed_chats"),
        ("666", "666", Role.STRANGER, "nothing that names you"),  # a direct chat is no group
        ("01", "01", Role.STRANGER, "nothing that names you"),
        ("1 ", "1", Role.STRANGER, "nothing that names you"),
        ("", "", Role.STRANGER, "nothing that names you"),
    ],
)
def test_everybody_has_one_role_and_a_reason(
    person: str, chat: str, role: Role, reason: str
) -> None:
    assert standing(person, chat) == Standing(role, reason)


@pytest.mark.parametrize(
    ("person", "chat", "role"),
    [
        ("50", "50", Role.MEMBER),
        ("50", "-999", Role.MEMBER),
        ("51", "51", Role.BLOCKED),
        ("52", "-100", Role.STRANGER),  # case 36: a group's leave is not for bots
        ("60", "60", Role.STRANGER),  # nor is anything that is stored
        ("1", "1", Role.STRANGER),
        ("7", "7", Role.STRANGER),  # a bot is never an owner
        ("9", "9", Role.STRANGER),
    ],
)
def test_a_bot_is_heard_only_if_it_is_named_as_one(person: str, chat: str, role: Role) -> None:
    assert standing(person, chat, is_bot=True).role is role


def test_a_person_is_not_let_in_as_a_bot() -> None:
    assert standing("50", "50").role is Role.STRANGER


def test_a_name_lets_nobody_in() -> None:
    address = Address("telegram", "5", ChatKind.DIRECT)
    assert not standing_of(ACCESS, address, Sender("5", "7")).may_talk
    assert not standing_of(ACCESS, address, Sender("owner", "owner")).may_talk


def test_empty_lists_let_nobody_in() -> None:
    access = access_from(Settings())
    for chat in ("1", "-100"):
        assert not standing("1", chat, access=access).may_talk


@pytest.mark.parametrize("platform", ["carrier pigeon", "", "discord", "Telegram"])
def test_an_unknown_platform_lets_nobody_in(platform: str) -> None:
    address = Address(platform, "7", ChatKind.DIRECT)
    assert standing_of(ACCESS, address, Sender("7", "Owner")).role is Role.STRANGER


def test_a_grant_holds_on_its_own_platform_only() -> None:
    access = access_from(Settings()).with_stored(
        StoredAccess(1, (Grant("discord", "7", "owner", "claim", "the code", WHEN),))
    )
    assert standing("7", "7", access=access).role is Role.STRANGER
    assert access.has_owner("discord")
    assert not access.has_owner("telegram")


def test_whoever_sits_at_the_terminal_owns_it() -> None:
    address = Address("console", "terminal", ChatKind.DIRECT)
    here = standing_of(access_from(Settings()), address, Sender("local", ""))
    assert here == Standing(Role.OWNER, "this terminal")


@pytest.mark.parametrize(
    ("settings", "policy"),
    [
        (Settings(), "pair"),
        (Settings(telegram=TelegramSettings(owners=(1,))), "pair"),
        (Settings(telegram=TelegramSettings(allowed_users=(1,))), "ignore"),
        (Settings(telegram=TelegramSettings(allowed_chats=(-1,))), "ignore"),
        (Settings(access=AccessSettings(strangers="ignore")), "ignore"),
        (
            Settings(
                access=AccessSettings(strangers="pair"),
                telegram=TelegramSettings(allowed_users=(1,)),
            ),
            "pair",
        ),
    ],
)
def test_an_allowlist_silences_the_gate_unless_the_settings_say_so(
    settings: Settings, policy: str
) -> None:
    assert access_from(settings).strangers == policy


def test_it_can_be_summed_up_in_a_line() -> None:
    assert summary(ACCESS, "telegram") == (
        "3 owners, 4 members and 2 groups may talk; strangers are ignored"
    )
    assert summary(access_from(Settings()), "telegram") == (
        "nobody yet may talk; strangers may ask with a code"
    )
    assert summary(ACCESS, "console") == "whoever uses this terminal may talk"


def test_everybody_is_listed_once_with_the_reason() -> None:
    listed = list(people(ACCESS, "telegram"))
    assert ("telegram:9", "owner (the ownership code, 2031-05-06)") in listed
    assert ("telegram:3", "blocked (/block by telegram:7, 2031-05-06)") in listed
    assert ("telegram:-100", "everybody in this group (telegram.allowed_chats)") in listed
    names = [name for name, _ in listed]
    assert sorted(names) == sorted(set(names))
    assert {f"telegram:{n}" for n in (1, 2, 3, 4, 7, 8, 9, 50, 51)} < set(names)


def test_a_role_lets_in_whoever_has_it_and_no_name_or_block_is_overruled() -> None:
    access = access_from(
        Settings(discord=DiscordSettings(allowed_roles=(100,), allowed_chats=(5,)))
    ).with_stored(StoredAccess(1, (Grant("discord", "3", "blocked", "/block", "discord:7", WHEN),)))
    channel, thread = (
        Address("discord", "9", ChatKind.GROUP),
        Address("discord", "5", ChatKind.GROUP, thread_id="6"),
    )
    has_role = Sender("1", "Ada", roles=("100", "200"))
    assert standing_of(access, channel, has_role) == Standing(Role.MEMBER, "discord.allowed_roles")
    assert standing_of(access, channel, Sender("1", "Ada", roles=("200",))).role is Role.STRANGER
    assert standing_of(access, channel, Sender("3", "Eve", roles=("100",))).role is Role.BLOCKED
    assert (
        standing_of(access, channel, Sender("4", "Bot", is_bot=True, roles=("100",))).role
        is Role.STRANGER
    )
    # A thread belongs to its channel.
    assert standing_of(access, thread, Sender("1", "Ada")).reason == "discord.allowed_chats"
    assert "1 role" in summary(access, "discord")
    assert ("discord:100", "everybody with this role (discord.allowed_roles)") in list(
        people(access, "discord")
    )
