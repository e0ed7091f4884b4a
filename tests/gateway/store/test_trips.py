"""What goes to the database's thread together: queries beside units, and whom a failure reaches."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from gateway.store.connection import Database
from gateway.store.errors import StoreError

SIZE = "SELECT count(*) FROM chat_models"


@pytest.fixture
async def database(path: Path) -> AsyncIterator[Database]:
    opened = await Database.open(path)
    yield opened
    await opened.close()


async def put(database: Database, chat: str) -> None:
    """A unit that writes one row."""
    insert = "INSERT INTO chat_models (chat, label) VALUES (?, 'x')"
    await database.run(lambda connection: connection.execute(insert, (chat,)))


async def test_a_query_sees_what_was_asked_to_be_written_before(database: Database) -> None:
    writes = [asyncio.create_task(put(database, str(n))) for n in range(20)]
    await asyncio.sleep(0)  # they have begun
    assert await database.rows(SIZE) == [(20,)]
    await asyncio.gather(*writes)


async def test_a_query_that_fails_in_a_crowd_harms_nobody_else(database: Database) -> None:
    queries = ["SELECT nonsense" if n % 3 == 0 else SIZE for n in range(30)]
    found = await asyncio.gather(
        *map(database.rows, queries), put(database, "1"), return_exceptions=True
    )
    errors = [isinstance(one, StoreError) for one in found]
    assert errors == [n % 3 == 0 for n in range(30)] + [False]
    assert await database.rows(SIZE) == [(1,)]


async def test_a_unit_that_fails_beside_queries_harms_none(database: Database) -> None:
    await put(database, "1")
    twice, found = await asyncio.gather(
        put(database, "1"), database.rows(SIZE), return_exceptions=True
    )
    assert isinstance(twice, StoreError)
    assert found == [(1,)]


async def test_queries_are_answered_while_another_program_writes(
    path: Path, database: Database
) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert await database.rows(SIZE) == [(0,)]
        other.execute("ROLLBACK")


async def test_what_is_asked_of_a_closed_database_is_refused(database: Database) -> None:
    await database.close()
    with pytest.raises(StoreError, match="is closed"):
        await database.rows(SIZE)
    with pytest.raises(StoreError, match="is closed"):
        await put(database, "1")


async def test_a_query_that_nobody_waits_for_any_more_leaves_the_next_alone(
    database: Database,
) -> None:
    asked = [asyncio.create_task(database.rows(SIZE)) for _ in range(10)]
    await asyncio.sleep(0)  # they have begun
    for task in asked[::2]:
        task.cancel()
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert all(isinstance(one, asyncio.CancelledError) for one in found[::2])
    assert found[1::2] == [[(0,)]] * 5
