"""The store over SQLite, and the way to those of its neighbours (`sqlite_….py`), in one file.

Each call is one transaction. The clock is given from outside. Transactions and errors are
`connection`'s business, the form of messages that of `rows`.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import aiosqlite

from gateway.store import history_sql
from gateway.store.base import MemoryKind, Message, Session
from gateway.store.connection import Database
from gateway.store.errors import StoreDamaged
from gateway.store.rows import from_row, storable
from gateway.store.session_ids import new_session_id
from gateway.store.sqlite_access import SqliteAccess
from gateway.store.sqlite_approvals import SqliteApprovals
from gateway.store.sqlite_inbound import SqliteInbound
from gateway.store.sqlite_journal import SqliteJournal
from gateway.store.sqlite_model_choices import SqliteModelChoices
from gateway.store.sqlite_moves import SqliteMoves
from gateway.store.sqlite_people import SqlitePeople
from gateway.store.sqlite_schedule import SqliteSchedule
from gateway.store.sqlite_search import SqliteSearch
from gateway.store.sqlite_sessions import SqliteSessions
from gateway.store.sqlite_usage import SqliteUsage
from gateway.store.times import timestamp

FILE_NAME = "hermes.db"


class SqliteStore:
    """A `Store` in one file. Open it with `SqliteStore.open`."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self.access = SqliteAccess(database)
        self._database = database
        self._now = now
        self.usage = SqliteUsage(database, now)
        self.model_choices = SqliteModelChoices(database)
        self.sessions = SqliteSessions(database, now)
        self.search = SqliteSearch(database)
        self.inbound = SqliteInbound(database, now)
        self.journal = SqliteJournal(database, now)
        self.people = SqlitePeople(database, now)
        self.approvals = SqliteApprovals(database, now)
        self.schedule = SqliteSchedule(database)
        self.moves = SqliteMoves(database, now)

    @classmethod
    async def open(cls, path: Path, *, now: Callable[[], datetime]) -> Self:
        """Open or begin a database.

        `now` tells the time, aware of its zone. Raises `StoreError`.
        """
        return cls(await Database.open(path), now)

    async def current_session(self, chat: str) -> Session:
        """The open session of a chat; begun if there is none."""
        query = "SELECT id, chat, started_at FROM sessions WHERE chat = ? AND ended_at IS NULL"
        rows = await self._database.rows(query, (storable(chat),))  # nearly always there is one
        if not rows:
            async with self._database.writing() as connection:
                rows = list(await connection.execute_fetchall(query, (storable(chat),)))
                if not rows:
                    return await self._insert_session(connection, storable(chat))
        return Session(*rows[0])

    async def begin_session(self, chat: str, reason: str) -> Session:
        """End the open session, for `reason`, and begin another."""
        async with self._database.writing() as connection:
            ended = await connection.execute_fetchall(
                "UPDATE sessions SET ended_at = ?, end_reason = ? "
                "WHERE chat = ? AND ended_at IS NULL RETURNING id",
                (self._timestamp(), storable(reason), storable(chat)),
            )
            parent = next((id_ for (id_,) in ended), None)
            return await self._insert_session(connection, storable(chat), parent)

    async def _insert_session(
        self, connection: aiosqlite.Connection, chat: str, parent: str | None = None
    ) -> Session:
        now = self._now()
        session = Session(new_session_id(now), chat, timestamp(now))
        await connection.execute(
            "INSERT INTO sessions (id, chat, started_at, updated_at, parent) "
            "VALUES (?, ?, ?, ?, ?)",
            (session.id, chat, session.started_at, session.started_at, parent),
        )
        return session

    async def history(self, session_id: str) -> list[Message]:
        """All messages of a session, in order. An unknown session is a `StoreError`."""
        # The left join gives one empty row for a session without messages, none for no session.
        rows = await self._database.rows(
            "SELECT message FROM sessions LEFT JOIN messages ON session_id = sessions.id "
            "AND position IS NOT NULL WHERE sessions.id = ? ORDER BY position",
            (storable(session_id),),
        )
        written = [message for (message,) in rows]
        if not written:
            raise history_sql.no_session(session_id)
        try:
            return [from_row(message) for message in written if message is not None]
        except (ValueError, TypeError) as error:
            raise StoreDamaged(f"A message of session {session_id} is damaged.") from error

    async def append_messages(self, session_id: str, messages: Sequence[Message]) -> None:
        """Add to the end of a history."""
        now = self._timestamp()
        await self._database.run(lambda c: history_sql.append(c, session_id, messages, now))

    async def replace_messages(self, session_id: str, messages: Sequence[Message]) -> None:
        """Put another history in the place of the stored one."""
        now = self._timestamp()
        await self._database.run(lambda c: history_sql.replace(c, session_id, messages, now))

    async def truncate_messages(self, session_id: str, length: int) -> None:
        """Keep the first `length` messages, 0 or more; all, if there are fewer."""
        now = self._timestamp()
        await self._database.run(lambda c: history_sql.truncate(c, session_id, length, now))

    async def memory(self, kind: MemoryKind, owner: str) -> str:
        """A memory text; empty if nothing was ever stored."""
        rows = await self._database.rows(history_sql.MEMORY, (kind, storable(owner)))
        return "".join(text for (text,) in rows)

    async def set_memory(self, kind: MemoryKind, owner: str, text: str) -> None:
        """Store a memory text."""
        now = self._timestamp()
        await self._database.run(lambda c: history_sql.set_memory(c, kind, owner, text, now))

    async def close(self) -> None:
        """Write everything and let go of the file. Closing twice is fine."""
        await self._database.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def _timestamp(self) -> str:
        return timestamp(self._now())
