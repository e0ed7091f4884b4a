"""The store over SQLite. All SQL of the gateway stands here and in `migrations/`.

Each call is one transaction. The clock is given from outside. Transactions and errors are
`connection`'s business, the form of messages that of `rows`.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

import aiosqlite

from gateway.store.base import MemoryKind, Message, Session
from gateway.store.connection import Database
from gateway.store.errors import StoreDamaged, StoreError
from gateway.store.rows import from_row, storable, to_row
from gateway.store.session_ids import new_session_id
from gateway.store.sqlite_model_choices import SqliteModelChoices
from gateway.store.sqlite_usage import SqliteUsage

FILE_NAME = "hermes.db"

# No platform delivers an event again after days: Telegram forgets updates after 24 hours (Bot API,
# getUpdates). Anything kept longer only fills the disk.
KEEP_EVENTS = timedelta(days=30)
PRUNE_EVERY = timedelta(days=1)


class SqliteStore:
    """A `Store` in one file. Open it with `SqliteStore.open`."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now
        self.usage = SqliteUsage(database, now)
        self.model_choices = SqliteModelChoices(database)
        self._pruned_at = datetime.min.replace(tzinfo=UTC)

    @classmethod
    async def open(cls, path: Path, *, now: Callable[[], datetime]) -> Self:
        """Open or begin a database, and forget events of more than 30 days ago.

        `now` tells the time, aware of its zone. Raises `StoreError`.
        """
        database = await Database.open(path)
        try:
            store = cls(database, now)
            async with database.writing() as connection:
                await store._prune(connection)
        except BaseException:
            await database.close()
            raise
        return store

    async def claim_event(self, platform: str, event_id: str) -> bool:
        """True the first time this event is seen, False ever after, restarts included."""
        async with self._database.writing() as connection:
            if self._now() - self._pruned_at >= PRUNE_EVERY:
                await self._prune(connection)
            cursor = await connection.execute(
                "INSERT INTO events (platform, event_id, seen_at) VALUES (?, ?, ?) "
                "ON CONFLICT DO NOTHING",
                (storable(platform), storable(event_id), self._timestamp()),
            )
            return cursor.rowcount == 1

    async def _prune(self, connection: aiosqlite.Connection) -> None:
        now = self._now()
        await connection.execute(
            "DELETE FROM events WHERE seen_at < ?", (_timestamp(now - KEEP_EVENTS),)
        )
        self._pruned_at = now

    async def current_session(self, chat: str) -> Session:
        """The open session of a chat; begun if there is none."""
        async with self._database.writing() as connection:
            rows = await connection.execute_fetchall(
                "SELECT id, chat, started_at FROM sessions WHERE chat = ? AND ended_at IS NULL",
                (storable(chat),),
            )
            for id_, chat_, started_at in rows:
                return Session(id_, chat_, started_at)
            return await self._insert_session(connection, storable(chat))

    async def begin_session(self, chat: str, reason: str) -> Session:
        """End the open session, for `reason`, and begin another."""
        async with self._database.writing() as connection:
            now = self._timestamp()
            await connection.execute(
                "UPDATE sessions SET ended_at = ?, end_reason = ?, updated_at = ? "
                "WHERE chat = ? AND ended_at IS NULL",
                (now, storable(reason), now, storable(chat)),
            )
            return await self._insert_session(connection, storable(chat))

    async def _insert_session(self, connection: aiosqlite.Connection, chat: str) -> Session:
        now = self._now()
        session = Session(new_session_id(now), chat, _timestamp(now))
        await connection.execute(
            "INSERT INTO sessions (id, chat, started_at, updated_at) VALUES (?, ?, ?, ?)",
            (session.id, chat, session.started_at, session.started_at),
        )
        return session

    async def history(self, session_id: str) -> list[Message]:
        """All messages of a session, in order. An unknown session is a `StoreError`."""
        async with self._database.reading() as connection:
            # The left join gives one empty row for a session without messages, none for no session.
            rows = await connection.execute_fetchall(
                "SELECT message FROM sessions LEFT JOIN messages ON session_id = sessions.id "
                "WHERE sessions.id = ? ORDER BY position",
                (storable(session_id),),
            )
        written = [message for (message,) in rows]
        if not written:
            raise _no_session(session_id)
        try:
            return [from_row(message) for message in written if message is not None]
        except (ValueError, TypeError) as error:
            raise StoreDamaged(f"A message of session {session_id} is damaged.") from error

    async def append_messages(self, session_id: str, messages: Sequence[Message]) -> None:
        """Add to the end of a history."""
        async with self._database.writing() as connection:
            await self._touch(connection, session_id)
            ((length,),) = await connection.execute_fetchall(
                "SELECT coalesce(max(position) + 1, 0) FROM messages WHERE session_id = ?",
                (session_id,),
            )
            await self._insert_messages(connection, session_id, length, messages)

    async def replace_messages(self, session_id: str, messages: Sequence[Message]) -> None:
        """Put another history in the place of the stored one."""
        async with self._database.writing() as connection:
            await self._touch(connection, session_id)
            await connection.execute("DELETE FROM messages WHERE session_id = ?", (session_id,))
            await self._insert_messages(connection, session_id, 0, messages)

    async def truncate_messages(self, session_id: str, length: int) -> None:
        """Keep the first `length` messages, 0 or more; all, if there are fewer."""
        if length < 0:
            raise StoreError(f"A history can't be cut to {length} messages.")
        async with self._database.writing() as connection:
            await self._touch(connection, session_id)
            await connection.execute(
                "DELETE FROM messages WHERE session_id = ? AND position >= ?", (session_id, length)
            )

    async def _insert_messages(
        self,
        connection: aiosqlite.Connection,
        session_id: str,
        position: int,
        messages: Sequence[Message],
    ) -> None:
        now = self._timestamp()
        rows = [to_row(message) for message in messages]
        await connection.executemany(
            "INSERT INTO messages (session_id, position, role, text, message, created_at) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [
                (session_id, position + index, row.role, row.text, row.message, now)
                for index, row in enumerate(rows)
            ],
        )

    async def _touch(self, connection: aiosqlite.Connection, session_id: str) -> None:
        cursor = await connection.execute(
            "UPDATE sessions SET updated_at = ? WHERE id = ?",
            (self._timestamp(), storable(session_id)),
        )
        if cursor.rowcount == 0:
            raise _no_session(session_id)

    async def memory(self, kind: MemoryKind, owner: str) -> str:
        """A memory text; empty if nothing was ever stored."""
        async with self._database.reading() as connection:
            rows = await connection.execute_fetchall(
                "SELECT text FROM memories WHERE kind = ? AND owner = ?", (kind, storable(owner))
            )
        return "".join(text for (text,) in rows)

    async def set_memory(self, kind: MemoryKind, owner: str, text: str) -> None:
        """Store a memory text."""
        async with self._database.writing() as connection:
            now = self._timestamp()
            await connection.execute(
                "INSERT INTO memories (kind, owner, text, created_at, updated_at) "
                "VALUES (?, ?, ?, ?, ?) ON CONFLICT (kind, owner) DO UPDATE "
                "SET text = excluded.text, updated_at = excluded.updated_at",
                (kind, storable(owner), storable(text), now, now),
            )

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
        return _timestamp(self._now())


def _timestamp(moment: datetime) -> str:
    """ISO 8601, UTC, always of the same width."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _no_session(session_id: str) -> StoreError:
    return StoreError(f"There is no session {session_id}.")
