"""`PeopleStore` over SQLite."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from gateway.sessions import is_direct
from gateway.store import asides_sql
from gateway.store.authors import mark_of, without, written_by
from gateway.store.connection import Database
from gateway.store.history_sql import MEMORY
from gateway.store.people import ChatInfo, Forgotten, PersonalData, Said
from gateway.store.rows import from_row, storable, to_row
from gateway.store.sessions import SessionInfo
from gateway.store.sqlite_sessions import INFO

_CHATS = """
SELECT chat, count(*), (SELECT count(*) FROM messages JOIN sessions s ON s.id = session_id
    WHERE s.chat = sessions.chat), max(updated_at),
    coalesce((SELECT group_concat(name, ', ') FROM members WHERE members.chat = sessions.chat), '')
FROM sessions GROUP BY chat ORDER BY max(updated_at) DESC
"""


class SqlitePeople:
    """Implements `PeopleStore`."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    async def data_of(self, person: str) -> PersonalData:
        """See `PeopleStore`."""
        return await self._database.run(lambda connection: _read(connection, storable(person)))

    async def forget(self, person: str) -> Forgotten:
        """See `PeopleStore`."""
        today = f"{self._now():%Y-%m-%d}"
        return await self._database.run(lambda c: _forget(c, storable(person), today))

    async def chats(self) -> Sequence[ChatInfo]:
        """See `PeopleStore`."""
        return [ChatInfo(*row) for row in await self._database.rows(_CHATS)]


def _read(connection: sqlite3.Connection, person: str) -> PersonalData:
    own = _direct_chats(connection, person)
    notes = [
        text
        for kind, owner in [("user", person), *(("memory", chat) for chat in own)]
        for (text,) in connection.execute(MEMORY, (kind, owner))
        if text
    ]
    sessions = []
    for chat in own:
        infos = connection.execute(f"{INFO} WHERE chat = ? ORDER BY started_at", (chat,))
        for info in [SessionInfo(*row) for row in infos.fetchall()]:
            said = connection.execute(
                "SELECT created_at, role, text, position IS NOT NULL FROM messages "
                "WHERE session_id = ? ORDER BY id",
                (info.id,),
            )
            sessions.append((info, [Said(at, role, t, bool(n)) for at, role, t, n in said]))
    in_groups = [
        (chat, Said(at, "user", written_by(text, _id_of(person)), position is not None))
        for _, _, chat, at, text, position, _ in _in_groups(connection, person)
    ]
    jobs = connection.execute(
        "SELECT chat, prompt FROM jobs WHERE platform || ':' || owner_id = ? ORDER BY id", (person,)
    ).fetchall()
    said_in_groups = [(c, s) for c, s in in_groups if s.text]
    asides = connection.execute(
        "SELECT chat, said FROM asides WHERE person = ? ORDER BY number", (person,)
    ).fetchall()
    return PersonalData(person, notes, sessions, said_in_groups, jobs, asides)


def _forget(connection: sqlite3.Connection, person: str, today: str) -> Forgotten:
    own = _direct_chats(connection, person)
    # What is deleted is overwritten, too.
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("DELETE FROM memories WHERE kind = 'user' AND owner = ?", (person,))
    connection.execute("DELETE FROM jobs WHERE platform || ':' || owner_id = ?", (person,))
    connection.execute("DELETE FROM approvals WHERE person = ?", (person,))
    asides_sql.forget_person(connection, person)
    sessions = messages = 0
    for chat in own:
        # That an event was seen is still needed, in case it comes again; what still waits, too.
        connection.execute("UPDATE inbound SET chat = '' WHERE chat = ? AND event IS NULL", (chat,))
        ((count,),) = connection.execute(
            "SELECT count(*) FROM messages JOIN sessions ON sessions.id = session_id "
            "WHERE chat = ?",
            (chat,),
        )
        messages += count
        sessions += connection.execute("DELETE FROM sessions WHERE chat = ?", (chat,)).rowcount
        connection.execute("DELETE FROM memories WHERE owner = ?", (chat,))
        connection.execute("DELETE FROM chat_models WHERE chat = ?", (chat,))
        connection.execute("DELETE FROM members WHERE chat = ?", (chat,))
    changed: set[str] = set()
    for id_, _, chat, _, _, _, written in _in_groups(connection, person):
        left = without(from_row(written), _id_of(person))
        if left is not None:
            row = to_row(left)
            connection.execute(
                "UPDATE messages SET text = ?, message = ? WHERE id = ?",
                (row.text, row.message, id_),
            )
            changed.add(chat)
            messages += 1
    _forget_journal(connection, changed)
    connection.execute("DELETE FROM members WHERE person = ?", (person,))
    # The ledger keeps what was spent, not by whom; today's is still needed for the budgets.
    connection.execute(
        "UPDATE model_calls SET person = '', chat = '' WHERE person = ? AND day < ?",
        (person, today),
    )
    connection.execute("PRAGMA secure_delete = OFF")
    return Forgotten([*own, *sorted(changed)], sessions, messages)


def _forget_journal(connection: sqlite3.Connection, groups: Iterable[str]) -> None:
    """Drop what agents of these groups were told, word by word; what still runs goes on.

    That of direct chats went with their sessions.
    """
    for chat in groups:
        connection.execute(
            "DELETE FROM lives WHERE chat = ? AND NOT EXISTS "
            "(SELECT 1 FROM turns WHERE life_id = lives.id AND ended_at IS NULL)",
            (chat,),
        )


def _direct_chats(connection: sqlite3.Connection, person: str) -> list[str]:
    """Those in which they were seen, and that of their id, from before anybody was noted."""
    platform, _, id_ = person.partition(":")
    own = f"{platform}:dm:{id_}"
    found = connection.execute(
        "SELECT DISTINCT chat FROM (SELECT chat FROM members WHERE person = ? "
        "UNION SELECT chat FROM sessions WHERE chat = ? OR substr(chat, 1, ?) = ?) ORDER BY chat",
        (person, own, len(own) + 1, f"{own}:"),
    )
    return [chat for (chat,) in found if is_direct(chat)]


def _in_groups(
    connection: sqlite3.Connection, person: str
) -> list[tuple[int, str, str, str, str, int | None, str]]:
    """The messages in groups of that platform in which they may have written something."""
    platform = person.partition(":")[0]
    found = connection.execute(
        "SELECT messages.id, session_id, chat, created_at, text, position, message "
        "FROM messages JOIN sessions ON sessions.id = session_id "
        "WHERE role = 'user' AND instr(text, ?) > 0 AND substr(chat, 1, ?) = ?",
        (mark_of(_id_of(person)), len(platform) + 1, f"{platform}:"),
    )
    return [row for row in found if not is_direct(row[2])]


def _id_of(person: str) -> str:
    return person.partition(":")[2]
