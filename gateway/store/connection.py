"""The one connection to the SQLite file: opening it, and transactions that are whole or nothing.

aiosqlite runs every statement in a thread of its own, in the order in which they were asked for.
That order is what makes cancellation safe: a roll-back that was asked for runs, awaited or not,
before the next transaction's first statement. What chats do in every turn goes there together, in
trips (`trips.py`): while one is under way, all that is asked for waits and is the next.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

import aiosqlite

from gateway.store.errors import StoreError
from gateway.store.failures import from_sqlite, from_system
from gateway.store.private_files import make_file, make_folder
from gateway.store.schema import Migration, load_migrations, migrate
from gateway.store.scopes import scope_of
from gateway.store.trips import Job, Work, carry_out, settle

OLDEST_SQLITE = (3, 37)  # the first with STRICT tables
BUSY_TIMEOUT_S = 5.0
WAL_LIMIT_BYTES = 16 * 1024 * 1024

# With WAL, `NORMAL` loses nothing when the process dies, however it dies: what was committed is in
# the kernel's hands. Only a power cut can take the last moments, and it leaves a valid database.
# `FULL` would wait for the disk at every commit: 0.02 against 0.2 ms on a fast disk, 5 to 20 ms on
# a slow one, several times in each turn (https://www.sqlite.org/pragma.html#pragma_synchronous).
_PRAGMAS = (
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
    # Triggers keep the full-text indexes, which SQLite lets them do only in a schema that it may
    # trust. Ours is: whoever can write the file needs no trick any more.
    "PRAGMA trusted_schema = ON",
    f"PRAGMA journal_size_limit = {WAL_LIMIT_BYTES}",
)

_T = TypeVar("_T")


class Database:
    """An open file. One call at a time uses the connection; the others wait in line."""

    def __init__(self, connection: aiosqlite.Connection, path: Path) -> None:
        self._connection: aiosqlite.Connection | None = connection
        self._path = path
        self._lock = asyncio.Lock()
        self._jobs: list[Job] = []  # that no trip has taken along yet
        self._trips: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, path: Path) -> Self:
        """Open a file, made with its folder if need be, and bring its schema up to date.

        Raises `StoreError`.
        """
        migrations = await asyncio.to_thread(_prepare, path)
        try:
            # Without an isolation level transactions are begun by nobody but us.
            connection = await aiosqlite.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
        except sqlite3.Error as error:
            raise from_sqlite(error, path) from error
        database = cls(connection, path)
        try:
            await database._set_up(migrations)
        except BaseException:
            await connection.close()
            raise
        return database

    async def _set_up(self, migrations: tuple[Migration, ...]) -> None:
        async with self.reading() as connection:
            ((mode,),) = await connection.execute_fetchall("PRAGMA journal_mode = WAL")
            if mode != "wal":
                raise StoreError(
                    f"{self._path} can't be kept here: the disk lacks shared memory (is it a "
                    "network drive?). Choose a data folder on a local disk."
                )
            for pragma in _PRAGMAS:
                await connection.execute(pragma)
            # A migration computes with it.
            await connection.create_function("scope_of", 1, scope_of, deterministic=True)
        async with self.writing() as connection:
            await migrate(connection, self._path, migrations)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[aiosqlite.Connection]:
        """The connection, for a single query. Errors of SQLite come out as `StoreError`."""
        async with self._lock:
            connection = self._opened()
            try:
                yield connection
            except sqlite3.Error as error:
                raise from_sqlite(error, self._path) from error

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[aiosqlite.Connection]:
        """The connection inside a transaction, which is committed at the end.

        If anything is raised in it, or the task is cancelled, nothing of it remains; cancelled
        while it commits, all of it does. Either way the connection is ready for the next.
        """
        async with self.reading() as connection:
            try:
                if connection.in_transaction:  # a roll-back failed, on a disk that did
                    await connection.rollback()
                await connection.execute("BEGIN IMMEDIATE")
                yield connection
                await connection.commit()
            except BaseException:
                await connection.rollback()  # does nothing if there is no transaction
                raise

    async def run(self, work: Work[_T]) -> _T:
        """Do a unit of work, all or nothing, and return what it returns.

        Whatever else waits to be done goes into the same transaction: many chats share one commit,
        and one trip to the thread. If another unit fails, this one is run once more without it.
        Raises what `work` raises, SQLite's errors as `StoreError`. If the task is cancelled, the
        work is done whole if it had begun, and not at all otherwise.
        """
        return await self._done(work, is_query=False)

    async def rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """What a single query finds; it shares a trip as units do. Raises `StoreError`."""

        def work(connection: sqlite3.Connection) -> list[Any]:
            return connection.execute(query, tuple(values)).fetchall()

        return await self._done(work, is_query=True)

    async def _done(self, work: Work[_T], *, is_query: bool) -> _T:
        job = Job(work, asyncio.get_running_loop().create_future(), is_query)
        self._jobs.append(job)
        if self._trips is None:
            self._trips = asyncio.create_task(self._make_trips())
        try:
            return await job.done  # type: ignore[no-any-return]  # it is what `work` returns
        except sqlite3.Error as error:
            raise from_sqlite(error, self._path) from error

    async def _make_trips(self) -> None:
        """Runs as a task of its own: whoever is cancelled takes nobody else along."""
        try:
            while self._jobs:
                async with self._lock:
                    jobs, self._jobs = self._jobs, []
                    settle(jobs, await self._trip(jobs))
        finally:
            self._trips = None

    async def _trip(self, jobs: Sequence[Job]) -> Sequence[object]:
        try:
            connection = self._opened()
        except StoreError as error:
            return [error] * len(jobs)
        # No public call of aiosqlite runs several statements in one trip.
        trip = connection._execute(carry_out, connection._conn, jobs)  # type: ignore[no-untyped-call]  # aiosqlite's
        return await trip  # type: ignore[no-any-return]  # what `carry_out` returns

    def _opened(self) -> aiosqlite.Connection:
        if self._connection is None:
            raise StoreError(f"{self._path} is closed.")
        return self._connection

    async def close(self) -> None:
        """Let go of the file once all that was asked for is done. Closing twice is fine."""
        if self._trips is not None:
            await asyncio.wait({self._trips})
        async with self._lock:
            connection, self._connection = self._connection, None
            if connection is None:
                return
            try:
                await connection.close()
            except sqlite3.Error as error:
                raise from_sqlite(error, self._path) from error


def _prepare(path: Path) -> tuple[Migration, ...]:
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        oldest = ".".join(map(str, OLDEST_SQLITE))
        raise StoreError(
            f"This Python has SQLite {sqlite3.sqlite_version}; Hermes needs {oldest} or newer."
        )
    try:
        make_folder(path.parent)
        make_file(path)
    except OSError as error:
        raise from_system(error, path) from error
    return load_migrations()
