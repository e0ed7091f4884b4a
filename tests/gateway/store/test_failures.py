"""A damaged file, a newer one, another program's, a cancelled task, a lock held elsewhere."""

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Generator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from gateway.store.base import Message
from gateway.store.errors import StoreDamaged, StoreError, StoreNewer
from gateway.store.schema import load_migrations, split_statements
from gateway.store.sqlite import SqliteStore

LETTER = b"This is a letter to my aunt. " * 100
Now = Callable[[], datetime]
OTHERS: list[Message] = [{"role": "assistant", "content": "other"}] * 2
THREE: list[Message] = [{"role": "user", "content": str(n)} for n in range(3)]


async def make(path: Path, now: Now, messages: int = 0) -> str:
    """A database with one session, closed again."""
    async with await SqliteStore.open(path, now=now) as store:
        session = await store.current_session("console")
        text = "x" * 1000
        await store.append_messages(
            session.id, [{"role": "user", "content": f"{n} {text}"} for n in range(messages)]
        )
        return session.id


async def open_and_close(path: Path, now: Now) -> None:
    """What is opened by mistake is closed again, so that a test fails and does not hang."""
    async with await SqliteStore.open(path, now=now):
        pass


def put(path: Path, data: bytes) -> None:
    """A file that was not written by us."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def holds(path: Path, data: bytes) -> bool:
    """Whether a file is what it was."""
    return path.read_bytes() == data


def spoil(path: Path) -> None:
    """Overwrite the beginning of every page in the second half of a database."""
    data = bytearray(path.read_bytes())
    for page in range(len(data) // 4096 // 2, len(data) // 4096):
        data[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    path.write_bytes(data)


def change(path: Path, script: str) -> None:
    """Another program's hand in the file."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


async def test_a_file_that_is_no_database_is_called_damaged_and_left_alone(
    path: Path, clock: Now
) -> None:
    put(path, LETTER)
    with pytest.raises(StoreDamaged, match=r"hermes\.db is damaged, or not a database of Hermes"):
        await open_and_close(path, clock)
    assert holds(path, LETTER)


async def test_another_programs_database_is_not_taken_for_ours(path: Path, clock: Now) -> None:
    path.parent.mkdir()
    change(path, "CREATE TABLE recipes (name TEXT); PRAGMA user_version = 1;")
    with pytest.raises(StoreDamaged, match="not a database of Hermes"):
        await open_and_close(path, clock)


async def test_damage_in_the_middle_is_reported_where_it_is_met(path: Path, clock: Now) -> None:
    session_id = await make(path, clock, messages=500)
    spoil(path)
    async with await SqliteStore.open(path, now=clock) as store:
        with pytest.raises(StoreDamaged):
            await store.history(session_id)
        await store.set_memory("user", "1", "x")  # what is not damaged goes on
        assert await store.memory("user", "1") == "x"


async def test_a_message_that_somebody_edited_into_nonsense_is_called_damaged(
    path: Path, clock: Now
) -> None:
    session_id = await make(path, clock, messages=1)
    change(path, "UPDATE messages SET message = '[1]'")
    async with await SqliteStore.open(path, now=clock) as store:
        with pytest.raises(StoreDamaged, match=session_id):
            await store.history(session_id)


async def test_a_newer_schema_is_refused_and_not_touched(path: Path, clock: Now) -> None:
    await make(path, clock)
    change(path, "PRAGMA user_version = 99;")
    with pytest.raises(StoreNewer, match=r"schema 99, this one knows \d+"):
        await open_and_close(path, clock)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (99,)


async def test_a_folder_in_the_place_of_the_file_is_an_error_in_words(
    path: Path, clock: Now
) -> None:
    put(path / "x", b"")
    with pytest.raises(StoreError, match="can't be opened for writing"):
        await open_and_close(path, clock)


async def test_a_data_folder_that_is_a_file_is_an_error_in_words(
    tmp_path: Path, clock: Now
) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(StoreError, match="can't be opened for writing"):
        await open_and_close(tmp_path / "data" / "hermes.db", clock)


def test_migrations_are_numbered_without_gaps_and_split_into_whole_statements() -> None:
    migrations = load_migrations()
    assert [migration.version for migration in migrations] == list(range(1, len(migrations) + 1))
    script = "CREATE TRIGGER t AFTER INSERT ON a BEGIN\n SELECT 1;\n END;\n-- x;\nSELECT ';';\n"
    assert len(list(split_statements(script))) == 2


async def test_a_migration_that_fails_leaves_nothing_behind(path: Path, clock: Now) -> None:
    path.parent.mkdir()
    # Ours by its mark, but a table is in the way of the last one that the migration makes.
    change(path, "PRAGMA application_id = 1213353299; CREATE TABLE memories (x TEXT); ")
    with pytest.raises(StoreError, match="memories"):
        await open_and_close(path, clock)
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_schema").fetchall()
        assert tables == [("memories",)]
        assert connection.execute("PRAGMA user_version").fetchone() == (0,)


class CancelledAt:
    """Awaits a coroutine, and cancels it at the given ones of the points at which it waits.

    What it was waiting for has been asked for by then, and still happens.
    """

    def __init__(self, coroutine: Coroutine[Any, Any, None], moments: set[int]) -> None:
        self._coroutine = coroutine
        self._moments = moments

    def __await__(self) -> Generator[Any, None, bool]:
        """True if it came to its end before the first of the moments."""
        steps = self._coroutine.__await__()
        moment = 0
        try:
            waiting = steps.send(None)
            while True:
                if moment in self._moments:
                    waiting = steps.throw(asyncio.CancelledError())
                else:
                    yield waiting
                    waiting = steps.send(None)
                moment += 1
        except StopIteration:
            return moment < min(self._moments)
        except asyncio.CancelledError:
            return False


@pytest.mark.parametrize("times", [1, 2], ids=["once", "and again while it rolls back"])
async def test_a_task_cancelled_at_any_moment_leaves_all_or_nothing(
    times: int, store: SqliteStore
) -> None:
    session_id = (await store.current_session("console")).id
    outcomes: list[str] = []
    is_through = False
    while not is_through:
        await store.replace_messages(session_id, THREE)
        moment = len(outcomes)
        is_through = await CancelledAt(
            store.replace_messages(session_id, OTHERS), set(range(moment, moment + times))
        )
        history = await store.history(session_id)
        assert history in (THREE, OTHERS)
        outcomes.append("nothing" if history == THREE else "all")
    assert outcomes[-1] == "all"
    assert len(outcomes) > 1  # it was cut while it waited


async def test_tasks_cancelled_in_a_crowd_harm_nobody_else(store: SqliteStore) -> None:
    ids = [(await store.current_session(str(n))).id for n in range(20)]
    tasks = [asyncio.create_task(store.append_messages(id_, THREE)) for id_ in ids]
    done = asyncio.Event()
    tasks[6].add_done_callback(lambda _: done.set())
    await done.wait()
    for task in tasks[1::2]:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    for id_, result in zip(ids, results, strict=True):
        history = await store.history(id_)
        assert history in (THREE, []) if result is not None else history == THREE
    assert all(result is None for result in results[0::2])


async def test_a_task_cancelled_while_another_program_holds_the_file_writes_nothing(
    path: Path, store: SqliteStore
) -> None:
    session_id = (await store.current_session("console")).id
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        task = asyncio.create_task(store.append_messages(session_id, THREE))
        for _ in range(5):  # as far as it comes: it waits for the file
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):  # what has begun by then would be done whole
            await task
        other.execute("COMMIT")
    assert await store.history(session_id) == []
    await store.append_messages(session_id, THREE)
    assert await store.history(session_id) == THREE


async def test_an_error_in_one_call_does_not_spoil_the_next(store: SqliteStore) -> None:
    session_id = (await store.current_session("console")).id
    for _ in range(3):
        with pytest.raises(StoreError):
            await store.append_messages(session_id, [*THREE, {"role": "user", "x": object()}])
        await store.append_messages(session_id, THREE)
    assert await store.history(session_id) == THREE * 3
