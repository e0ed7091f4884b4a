"""What the next message of a chat is told beside it, as statements within a transaction.

A row goes with one message. If that comes to nothing (refused, deleted before it was answered) it
is to be told again; once that is answered the row is of no use any more, and goes with the next
look at its chat.
"""

import sqlite3
from collections.abc import Sequence

from gateway.store.inbound import Aside
from gateway.store.rows import storable

_PENDING = frozenset({"accepted", "steering"})
_CAME_TO_NOTHING = frozenset({"refused", "dropped"})


def add(connection: sqlite3.Connection, aside: Aside, limit: int, now: str) -> None:
    """Keep an aside, and of its kind only the last `limit` of its chat."""
    chat = storable(aside.chat)
    connection.execute(
        "INSERT INTO asides (chat, kind, person, name, said, noted_at) VALUES (?, ?, ?, ?, ?, ?)",
        (chat, aside.kind, *map(storable, (aside.person, aside.name, aside.text)), now),
    )
    connection.execute(
        "DELETE FROM asides WHERE chat = ?1 AND kind = ?2 AND number NOT IN (SELECT number "
        "FROM asides WHERE chat = ?1 AND kind = ?2 ORDER BY number DESC LIMIT ?3)",
        (chat, aside.kind, limit),
    )


def untold(connection: sqlite3.Connection, chat: str) -> dict[int, Aside]:
    """What a chat's next message goes with, by number, in the order of its coming."""
    rows = connection.execute(
        "SELECT asides.number, kind, person, name, said, told_with, state FROM asides "
        "LEFT JOIN inbound ON inbound.number = told_with WHERE asides.chat = ? "
        "ORDER BY asides.number",
        (storable(chat),),
    ).fetchall()
    found: dict[int, Aside] = {}
    for number, kind, person, name, said, told_with, state in rows:
        if told_with is None or state in _CAME_TO_NOTHING:
            found[number] = Aside(chat, kind, person, name, said)
        elif state not in _PENDING:
            connection.execute("DELETE FROM asides WHERE number = ?", (number,))
    return found


def tell(connection: sqlite3.Connection, numbers: Sequence[int], event: int) -> None:
    """Note that these go with an inbound event."""
    connection.executemany(
        "UPDATE asides SET told_with = ? WHERE number = ?", [(event, number) for number in numbers]
    )


def forget_before(connection: sqlite3.Connection, moment: str) -> None:
    """Drop what is older."""
    connection.execute("DELETE FROM asides WHERE noted_at < ?", (moment,))


def forget_person(connection: sqlite3.Connection, person: str) -> None:
    """Drop what somebody said or did."""
    connection.execute("DELETE FROM asides WHERE person = ?", (person,))
