"""Who may talk: nobody, until the settings name them."""

import pytest

from adapters.base import Address, ButtonPress, ChatKind, Event, Inbound, Sender
from config.settings import Settings, TelegramSettings
from gateway.access import allowed_by, may_talk

ALICE, EVE = Sender("1", "Alice"), Sender("666", "Eve")
SETTINGS = Settings(telegram=TelegramSettings(allowed_users=(1,), allowed_chats=(-100, 666)))


async def acknowledge(notice: str | None) -> None: ...


def events(sender: Sender, chat: str, platform: str = "telegram") -> list[Event]:
    kind = ChatKind.GROUP if chat.startswith("-") else ChatKind.DIRECT
    address = Address(platform, chat, kind)
    return [
        Inbound("e1", address, sender, "hello"),
        ButtonPress("e2", address, sender, "stop:1", acknowledge),
    ]


@pytest.mark.parametrize(
    ("sender", "chat", "may"),
    [
        (ALICE, "1", True),
        (ALICE, "-100", True),
        (ALICE, "-999", True),  # a user may talk anywhere
        (EVE, "666", False),  # a direct chat is nobody's group
        (EVE, "-999", False),
        (EVE, "-100", True),  # everybody in a named group may
        (Sender("1", "Bot", is_bot=True), "1", False),
        (Sender("2", "Bot", is_bot=True), "-100", False),
        (Sender("01", "Alice"), "1", False),
        (Sender("alice", "1"), "1", False),
    ],
)
def test_messages_and_buttons_are_decided_alike(sender: Sender, chat: str, may: bool) -> None:
    allowed = allowed_by(SETTINGS)
    assert [may_talk(allowed, event) for event in events(sender, chat)] == [may, may]


def test_empty_lists_let_nobody_in() -> None:
    allowed = allowed_by(Settings())
    for chat in ("1", "-100"):
        assert not any(may_talk(allowed, event) for event in events(ALICE, chat))


def test_an_unknown_platform_lets_nobody_in() -> None:
    assert not any(may_talk(allowed_by(SETTINGS), e) for e in events(ALICE, "1", "carrier pigeon"))


def test_whoever_sits_at_the_terminal_may_talk() -> None:
    assert all(
        may_talk(allowed_by(Settings()), e) for e in events(Sender("local", ""), "", "console")
    )


def test_the_banner_says_who_may_talk() -> None:
    allowed = allowed_by(SETTINGS)
    assert str(allowed["telegram"]) == "1 user and 2 groups"
    assert str(allowed_by(Settings())["telegram"]) == "nobody yet"
