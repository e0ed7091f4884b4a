"""`SessionStore` over SQLite."""

import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime

from gateway.store.base import Session
from gateway.store.connection import Database
from gateway.store.history_sql import no_session
from gateway.store.rows import storable
from gateway.store.sessions import Member, SessionInfo
from gateway.store.times import timestamp

FIRST_WORDS_CHARS = 1_000
MAX_REMEMBERED = 10_000

INFO = f"""
SELECT id, chat, started_at, updated_at, ended_at, end_reason, parent, title,
    coalesce((SELECT substr(text, 1, {FIRST_WORDS_CHARS:d}) FROM messages
        WHERE session_id = sessions.id AND role = 'user' ORDER BY messages.id LIMIT 1), ''),
    (SELECT count(position) FROM messages WHERE session_id = sessions.id)
FROM sessions
"""  # noqa: S608 - made of a number of ours
_RECENT = f"""{INFO} WHERE chat = ? AND EXISTS
(SELECT 1 FROM messages WHERE session_id = sessions.id)
ORDER BY updated_at DESC, rowid DESC LIMIT ?
"""  # noqa: S608 - made of ours


class SqliteSessions:
    """Implements `SessionStore`."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now
        self._noted: set[Member] = set()  # since the start: most people write more than once

    async def info(self, session_id: str) -> SessionInfo:
        """See `SessionStore`."""
        rows = await self._database.rows(INFO + "WHERE id = ?", (storable(session_id),))
        for row in rows:
            return SessionInfo(*row)
        raise no_session(session_id)

    async def recent(self, chat: str, limit: int) -> Sequence[SessionInfo]:
        """See `SessionStore`."""
        rows = await self._database.rows(_RECENT, (storable(chat), limit))
        return [SessionInfo(*row) for row in rows]

    async def set_title(self, session_id: str, title: str) -> None:
        """See `SessionStore`."""

        def work(connection: sqlite3.Connection) -> None:
            values = (storable(title), storable(session_id))
            changed = connection.execute("UPDATE sessions SET title = ? WHERE id = ?", values)
            if changed.rowcount == 0:
                raise no_session(session_id)

        await self._database.run(work)

    async def reopen(self, session_id: str, reason: str) -> Session:
        """See `SessionStore`."""
        now = timestamp(self._now())

        def work(connection: sqlite3.Connection) -> Session:
            found = connection.execute(
                "SELECT id, chat, started_at FROM sessions WHERE id = ?", (storable(session_id),)
            ).fetchall()
            for id_, chat, started_at in found:
                connection.execute(
                    "UPDATE sessions SET ended_at = ?, end_reason = ? "
                    "WHERE chat = ? AND ended_at IS NULL AND id <> ?",
                    (now, storable(reason), chat, id_),
                )
                # It counts as used now: a reset that is due would end it at once again.
                connection.execute(
                    "UPDATE sessions SET ended_at = NULL, end_reason = NULL, updated_at = ? "
                    "WHERE id = ?",
                    (now, id_),
                )
                return Session(id_, chat, started_at)
            raise no_session(session_id)

        return await self._database.run(work)

    async def note_member(self, member: Member) -> None:
        """See `SessionStore`."""
        if member in self._noted:
            return
        now = timestamp(self._now())
        values = (storable(member.chat), storable(member.person), storable(member.name), now, now)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO members (chat, person, name, first_seen_at, last_seen_at) "
                "VALUES (?, ?, ?, ?, ?) ON CONFLICT (chat, person) DO UPDATE "
                "SET name = excluded.name, last_seen_at = excluded.last_seen_at",
                values,
            )

        await self._database.run(work)
        if len(self._noted) >= MAX_REMEMBERED:
            self._noted.clear()
        self._noted.add(member)

    async def chats_of(self, person: str) -> Sequence[str]:
        """See `SessionStore`."""
        rows = await self._database.rows(
            "SELECT chat FROM members WHERE person = ? ORDER BY last_seen_at DESC",
            (storable(person),),
        )
        return [chat for (chat,) in rows]

    async def members_of(self, chat: str) -> Sequence[str]:
        """See `SessionStore`."""
        rows = await self._database.rows(
            "SELECT person FROM members WHERE chat = ? ORDER BY last_seen_at DESC",
            (storable(chat),),
        )
        return [person for (person,) in rows]

    async def names_in(self, chat: str, limit: int) -> Sequence[str]:
        """See `SessionStore`."""
        rows = await self._database.rows(
            "SELECT name FROM members WHERE chat = ? ORDER BY last_seen_at DESC LIMIT ?",
            (storable(chat), limit),
        )
        return [name for (name,) in rows]
