"""What the store keeps, across restarts, and what it forgets."""

import asyncio
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from gateway.store.base import Message, Store
from gateway.store.errors import StoreError
from gateway.store.session_ids import new_session_id
from gateway.store.sqlite import SqliteStore


def says(text: str, role: str = "user") -> Message:
    return {"role": role, "content": text}


def mode(path: Path) -> int:
    """Who may do what with a file."""
    return stat.S_IMODE(path.stat().st_mode)


def set_mode(path: Path, bits: int) -> None:
    """Let others in, or keep them out."""
    path.chmod(bits)


def rows(path: Path, query: str) -> list[Any]:
    """What another program reads in the file."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


async def test_it_is_a_store(store: SqliteStore) -> None:
    taken: Store = store
    assert await taken.memory("user", "nobody") == ""


async def test_a_chat_has_one_open_session_until_another_begins(
    path: Path, store: SqliteStore, clock: Any
) -> None:
    first = await store.current_session("telegram:dm:42")
    assert first.chat == "telegram:dm:42"
    assert first.started_at == "2030-01-02T03:04:05.000000+00:00"
    assert await store.current_session("telegram:dm:42") == first
    assert (await store.current_session("telegram:dm:43")).id != first.id
    await store.append_messages(first.id, [says("hello")])
    clock.move(timedelta(hours=1))
    second = await store.begin_session("telegram:dm:42", "new")
    assert second.id > first.id
    assert await store.current_session("telegram:dm:42") == second
    assert await store.history(second.id) == []
    assert await store.history(first.id) == [says("hello")]
    query = f"SELECT end_reason, ended_at FROM sessions WHERE id = '{first.id}'"  # noqa: S608 - an id of ours
    assert rows(path, query) == [("new", "2030-01-02T04:04:05.000000+00:00")]


async def test_many_who_ask_for_a_new_chats_session_get_the_same(store: SqliteStore) -> None:
    sessions = await asyncio.gather(*(store.current_session("console") for _ in range(20)))
    assert len({session.id for session in sessions}) == 1


async def test_a_history_is_appended_to_replaced_and_cut(store: SqliteStore) -> None:
    id_ = (await store.current_session("console")).id
    await store.append_messages(id_, [says("1"), says("2", "assistant")])
    await store.append_messages(id_, [])
    await store.append_messages(id_, [says("3")])
    assert await store.history(id_) == [says("1"), says("2", "assistant"), says("3")]
    await store.truncate_messages(id_, 2)
    await store.append_messages(id_, [says("4")])
    assert [m["content"] for m in await store.history(id_)] == ["1", "2", "4"]
    await store.replace_messages(id_, [says("summary", "system"), says("4")])
    assert await store.history(id_) == [says("summary", "system"), says("4")]
    await store.truncate_messages(id_, 0)
    assert await store.history(id_) == []


async def test_a_message_comes_back_exactly_and_its_text_stands_beside_it(
    path: Path, store: SqliteStore
) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "x", "arguments": "{}"}}
    messages: list[Message] = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": 'a "quote", a \0, a family 👩‍👩‍👧'},
        {
            "role": "user",
            "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {}}],
        },
        says("half a character \ud83d, ünd the rest"),
    ]
    id_ = (await store.current_session("console")).id
    await store.append_messages(id_, messages)
    assert await store.history(id_) == messages
    assert rows(path, "SELECT role, text FROM messages ORDER BY position") == [
        ("assistant", ""),
        ("tool", 'a "quote", a \0, a family 👩‍👩‍👧'),
        ("user", "look"),
        ("user", "half a character ?, ünd the rest"),
    ]


async def test_a_message_that_json_cannot_hold_is_refused_and_nothing_of_it_stays(
    store: SqliteStore,
) -> None:
    id_ = (await store.current_session("console")).id
    with pytest.raises(StoreError, match="JSON"):
        await store.append_messages(id_, [says("fine"), {"role": "user", "n": float("nan")}])
    assert await store.history(id_) == []
    await store.append_messages(id_, [says("on we go")])
    assert await store.history(id_) == [says("on we go")]


async def test_a_session_that_does_not_exist_is_an_error_everywhere(store: SqliteStore) -> None:
    for call in (
        store.history("x"),
        store.append_messages("x", [says("1")]),
        store.replace_messages("x", []),
        store.truncate_messages("x", 0),
    ):
        with pytest.raises(StoreError, match="There is no session x"):
            await call


async def test_a_history_cannot_be_cut_to_less_than_nothing(store: SqliteStore) -> None:
    session = await store.current_session("console")
    with pytest.raises(StoreError, match="-1"):
        await store.truncate_messages(session.id, -1)


async def test_memory_belongs_to_its_kind_and_owner_and_survives_a_restart(
    path: Path, clock: Callable[[], datetime]
) -> None:
    async with await SqliteStore.open(path, now=clock) as store:
        await store.set_memory("memory", "telegram:dm:42", "the cat is Luna")
        await store.set_memory("user", "telegram:42", "likes tea\n§\nhas a cat")
        await store.set_memory("memory", "telegram:dm:42", "the cat was Luna")
    async with await SqliteStore.open(path, now=clock) as store:
        assert await store.memory("memory", "telegram:dm:42") == "the cat was Luna"
        assert await store.memory("user", "telegram:42") == "likes tea\n§\nhas a cat"
        assert await store.memory("user", "telegram:dm:42") == ""


async def test_only_the_owner_may_read_the_files(path: Path, store: SqliteStore) -> None:
    await store.set_memory("user", "a", "b")
    assert mode(path.parent) == 0o700
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == ["hermes.db", "hermes.db-shm", "hermes.db-wal"]
    assert {mode(file) for file in files} == {0o600}


async def test_a_file_that_others_could_read_is_closed_to_them(
    path: Path, clock: Callable[[], datetime]
) -> None:
    async with await SqliteStore.open(path, now=clock):
        pass
    set_mode(path, 0o644)
    async with await SqliteStore.open(path, now=clock) as store:
        await store.set_memory("user", "a", "b")
        assert mode(path) == 0o600


async def test_a_folder_that_was_there_keeps_its_mode(
    tmp_path: Path, clock: Callable[[], datetime]
) -> None:
    set_mode(tmp_path, 0o755)
    async with await SqliteStore.open(tmp_path / "hermes.db", now=clock):
        pass
    assert mode(tmp_path) == 0o755


async def test_a_closed_store_says_so_and_closing_twice_is_fine(store: SqliteStore) -> None:
    await store.close()
    await store.close()
    with pytest.raises(StoreError, match="is closed"):
        await store.set_memory("user", "1", "x")


async def test_closing_waits_for_what_was_asked_before(
    path: Path, clock: Callable[[], datetime]
) -> None:
    store = await SqliteStore.open(path, now=clock)
    writes = [asyncio.create_task(store.set_memory("user", str(n), "x")) for n in range(20)]
    await asyncio.sleep(0)  # they have begun
    await store.close()
    await asyncio.gather(*writes)
    assert rows(path, "SELECT count(*) FROM memories") == [(20,)]


async def test_fifty_chats_interleaved_keep_their_histories_apart(store: SqliteStore) -> None:
    async def talk(number: int) -> list[Message]:
        id_ = (await store.current_session(f"telegram:dm:{number}")).id
        for turn in range(4):
            await store.append_messages(
                id_, [says(f"{number} {turn} q"), says(f"{number} {turn} a")]
            )
            await store.set_memory("memory", str(number), f"{number} {turn}")
        await store.truncate_messages(id_, 6)
        await store.replace_messages(id_, [says(f"{number} sum"), *(await store.history(id_))[2:]])
        return await store.history(id_)

    histories = await asyncio.gather(*(talk(number) for number in range(50)))
    for number, history in enumerate(histories):
        expected = [f"{number} sum"] + [f"{number} {t} {w}" for t in (1, 2) for w in "qa"]
        assert [message["content"] for message in history] == expected
        assert await store.memory("memory", str(number)) == f"{number} 3"


def test_session_ids_are_sorted_by_time_and_differ_within_a_moment() -> None:
    start = datetime(2030, 1, 1, tzinfo=UTC)
    moments = [start + timedelta(microseconds=250 * n) for n in range(200)]
    ids = [new_session_id(moment) for moment in moments]
    assert all(earlier < later for earlier, later in pairwise(ids))
    assert len({new_session_id(start) for _ in range(1000)}) == 1000
    assert all(id_[14] == "7" for id_ in ids)
