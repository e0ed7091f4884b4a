"""The one connection to the SQLite file: opening it, and transactions that are whole or nothing.

aiosqlite runs every statement in a thread of its own, in the order in which they were asked for.
That order is what makes cancellation safe: a roll-back that was asked for runs, awaited or not,
before the next transaction's first statement.
"""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

import aiosqlite

from gateway.store.errors import StoreError
from gateway.store.failures import from_sqlite, from_system
from gateway.store.private_files import make_file, make_folder
from gateway.store.schema import Migration, load_migrations, migrate
from gateway.store.scopes import scope_of

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

Work = Callable[[sqlite3.Connection], _T]
"""Statements of one unit, run in the database's thread: all of them count or none."""


@dataclass(slots=True, eq=False)
class _Job:
    work: Work[Any]
    done: asyncio.Future[Any]


class Database:
    """An open file. One call at a time uses the connection; the others wait in line."""

    def __init__(self, connection: aiosqlite.Connection, path: Path) -> None:
        self._connection: aiosqlite.Connection | None = connection
        self._path = path
        self._lock = asyncio.Lock()
        self._jobs: list[_Job] = []

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
            if self._connection is None:
                raise StoreError(f"{self._path} is closed.")
            try:
                yield self._connection
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

        Whatever else waits to be done goes into the same transaction, each unit for itself behind
        a savepoint: many chats share one commit, and one trip to the thread. Raises what `work`
        raises, SQLite's errors as `StoreError`. If the task is cancelled, the work is done whole if
        it had begun, and not at all otherwise.
        """
        loop = asyncio.get_running_loop()
        job = _Job(work, loop.create_future())
        self._jobs.append(job)
        try:
            async with self.reading() as connection:
                if job in self._jobs:
                    jobs, self._jobs = self._jobs, []
                    # No public call of aiosqlite runs several statements in one trip.
                    trip = connection._execute(_run_all, connection._conn, jobs, loop)  # type: ignore[no-untyped-call]  # aiosqlite's
                    await trip
            return await job.done  # type: ignore[no-any-return]  # it is what `work` returns
        except BaseException as error:
            job.done.cancel()  # nobody looks at it any more
            if isinstance(error, sqlite3.Error):
                raise from_sqlite(error, self._path) from error
            raise
        finally:
            if job in self._jobs:
                self._jobs.remove(job)

    async def close(self) -> None:
        """Let go of the file once the call in progress is through. Closing twice is fine."""
        async with self._lock:
            connection, self._connection = self._connection, None
            if connection is None:
                return
            try:
                await connection.close()
            except sqlite3.Error as error:
                raise from_sqlite(error, self._path) from error


def _run_all(
    connection: sqlite3.Connection, jobs: Sequence[_Job], loop: asyncio.AbstractEventLoop
) -> None:
    """Runs in the database's thread; tells the loop itself, whether its caller waits or not."""
    try:
        if connection.in_transaction:  # a roll-back failed, on a disk that did
            connection.rollback()
        connection.execute("BEGIN IMMEDIATE")
        outcomes = [_run_one(connection, job) for job in jobs]
        connection.commit()
    except Exception as error:  # noqa: BLE001 - goes to all who wait
        with contextlib.suppress(sqlite3.Error):
            connection.rollback()
        outcomes = [error] * len(jobs)
    loop.call_soon_threadsafe(_settle, jobs, outcomes)


def _run_one(connection: sqlite3.Connection, job: _Job) -> object:
    """What the unit returns, or the exception that undid it alone."""
    if job.done.cancelled():
        return None
    connection.execute("SAVEPOINT unit")
    try:
        result = job.work(connection)
    except Exception as error:
        if not connection.in_transaction:  # SQLite undid everything, as on a full disk
            raise
        connection.execute("ROLLBACK TO unit")
        result = error
    connection.execute("RELEASE unit")
    return result


def _settle(jobs: Sequence[_Job], outcomes: Sequence[object]) -> None:
    for job, outcome in zip(jobs, outcomes, strict=True):
        if job.done.done():
            continue
        if isinstance(outcome, Exception):
            job.done.set_exception(outcome)
        else:
            job.done.set_result(outcome)


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
