"""Chats and their keys; whose memory is used where."""

import pytest

from adapters.base import Address, ChatKind, Sender
from gateway.sessions import memory_owners, session_key

DIRECT, GROUP = ChatKind.DIRECT, ChatKind.GROUP
ALICE, BOB = Sender("1", "Alice"), Sender("2", "Bob")


@pytest.mark.parametrize(
    ("address", "key"),
    [
        (Address("telegram", "42", DIRECT), "telegram:dm:42"),
        (Address("telegram", "42", DIRECT, reply_to="9"), "telegram:dm:42"),
        (Address("telegram", "-100", GROUP), "telegram:group:-100"),
        (Address("telegram", "-100", GROUP, thread_id="7"), "telegram:group:-100:7"),
        (Address("discord", "42", DIRECT), "discord:dm:42"),
        (Address("discord", "42", GROUP), "discord:guild:42"),
        (Address("discord", "42", GROUP, thread_id="7"), "discord:guild:7"),
        (Address("console", "terminal", DIRECT), "console"),
    ],
)
def test_every_chat_has_one_key(address: Address, key: str) -> None:
    assert session_key(address) == key


def test_notes_about_a_person_follow_them_through_their_direct_chats() -> None:
    owners = [memory_owners(Address("telegram", chat, DIRECT), ALICE) for chat in ("1", "9")]
    assert {owner.user for owner in owners} == {"telegram:1"}
    assert len({owner.memory for owner in owners}) == 2


def test_a_persons_notes_are_never_those_of_a_group() -> None:
    group = Address("telegram", "-100", GROUP)
    alone = memory_owners(Address("telegram", "1", DIRECT), ALICE)
    assert memory_owners(group, ALICE) == memory_owners(group, BOB)
    assert memory_owners(group, ALICE).user != alone.user
