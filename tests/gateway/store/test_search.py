"""What is found, where, and that no query breaks anything."""

import asyncio
import sqlite3
import tempfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.store.base import Message
from gateway.store.schema import load_migrations
from gateway.store.scopes import scope_of
from gateway.store.search import snippet, terms_of
from gateway.store.sqlite import SqliteStore

CHAT = "telegram:dm:1"
OTHER = "telegram:dm:2"


def says(text: str, role: str = "user") -> Message:
    return {"role": role, "content": text}


async def told(store: SqliteStore, *texts: str, chat: str = CHAT) -> str:
    session = await store.current_session(chat)
    await store.append_messages(session.id, [says(text) for text in texts])
    return session.id


async def find(store: SqliteStore, query: str, *chats: str, limit: int = 10) -> list[str]:
    found = await store.search.find(terms_of(query), chats or (CHAT,), limit)
    return [one.text for one in found]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The café opens at nine", "cafe"),
        ("The café opens at nine", "OPENS café"),
        ("The café opens at nine", '"opens at"'),
        ("Reconfigure the gateway", "figure"),
        ("我们明天去北京看长城", "去北京"),
        ("我们明天去北京看长城", "北京"),
        ("我们明天去北京看长城", "城"),
        ("我们明天去北京看长城", "北京 长城"),
        ("我们明天去北京看长城", "明天去 长"),
        ("猫のルナは元気です", "ルナ"),
        ("고양이 이름은 루나", "루나"),
        ("Go is a language", "go"),
        ("it cost 5% of it", "5%"),
        ("snake_case names", "snake_case"),
        ("what of C++ then", "c++"),
        ("NEAR the AND gate", "near AND"),
        ('she said "hello there" twice', '"hello there'),
        ("ein Straßenname", "straßen"),
    ],
)
async def test_words_pieces_and_characters_are_found(
    store: SqliteStore, text: str, query: str
) -> None:
    await told(store, "something else", text, "and more")
    assert await find(store, query) == [text]


@pytest.mark.parametrize(
    "query", ["absent", "opens closed", '"at opens"', "", '"', "***", "北", "-", "text:opens"]
)
async def test_what_is_not_there_is_not_found(store: SqliteStore, query: str) -> None:
    await told(store, "The café opens at nine")
    assert await find(store, query) == []


async def test_one_chat_s_words_are_never_found_from_another(store: SqliteStore) -> None:
    await told(store, "the code is swordfish", "我的密码是四七一一", chat=OTHER)
    await told(store, "nothing here")
    for query in ("swordfish", "wordfis", "密码是", "密码"):
        assert await find(store, query) == []
        assert len(await find(store, query, CHAT, OTHER)) == 1
    for attempt in ('nothing" OR "code', f"scope:{scope_of(OTHER)} code", 'x") OR text:("code'):
        assert all("code" not in text for text in await find(store, attempt))


async def test_the_latest_come_first_and_the_limit_holds(store: SqliteStore) -> None:
    await told(store, *(f"luna {number}" for number in range(20)))
    assert await find(store, "luna", limit=3) == ["luna 19", "luna 18", "luna 17"]


async def test_what_was_undone_or_summed_up_stays_findable_once(store: SqliteStore) -> None:
    id_ = await told(store, "the first luna", "the second luna", "the third luna")
    await store.truncate_messages(id_, 2)
    await store.append_messages(id_, [says("the third luna")])
    await store.replace_messages(id_, [says("a summary"), says("the third luna")])
    assert await find(store, "luna") == ["the third luna", "the second luna", "the first luna"]
    assert [m["content"] for m in await store.history(id_)] == ["a summary", "the third luna"]


async def test_a_history_that_is_replaced_keeps_the_rows_of_what_stays(
    path: Path, store: SqliteStore
) -> None:
    id_ = await told(store, "a", "b", "same", "same")
    await store.replace_messages(id_, [says("same"), says("new"), says("same"), says("b")])
    assert [m["content"] for m in await store.history(id_)] == ["same", "new", "same", "b"]
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT text, position FROM messages ORDER BY id").fetchall()
    assert rows == [("a", None), ("b", 3), ("same", 0), ("same", 2), ("new", 1)]


async def test_the_indexes_forget_what_is_deleted(path: Path, store: SqliteStore) -> None:
    await told(store, "the code is swordfish")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("DELETE FROM sessions")
    with closing(sqlite3.connect(path)) as connection:
        for index in ("message_words", "message_pieces"):
            hits = connection.execute(
                f"SELECT count(*) FROM {index} WHERE {index} MATCH 'swordfish'"  # noqa: S608 - ours
            )
            assert hits.fetchone() == (0,)


OLD_ROWS = """
INSERT INTO sessions VALUES ('s', 'telegram:dm:1', 't', 't', NULL, NULL);
INSERT INTO messages
VALUES (7, 's', 0, 'user', 'old times', '{"role":"user","content":"old times"}', 't');
PRAGMA user_version = 1;
"""


def make_old(path: Path) -> None:
    """A database as the first version left it."""
    first, *_ = load_migrations()
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        for statement in first.statements:
            connection.execute(statement)
        connection.executescript(OLD_ROWS)


async def test_messages_from_before_there_was_a_search_are_found(path: Path, clock: Any) -> None:
    await asyncio.to_thread(make_old, path)
    async with await SqliteStore.open(path, now=clock) as store:
        assert await find(store, "old") == ["old times"]
        assert await store.history("s") == [says("old times")]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(st.characters(), max_size=30), max_size=5))
def test_no_query_makes_sqlite_fail(queries: list[str]) -> None:
    async def search(folder: str) -> None:
        path = Path(folder) / "hermes.db"
        async with await SqliteStore.open(path, now=lambda: datetime.now(UTC)) as store:
            await told(store, "some text", *queries)
            for query in [*queries, " ".join(queries), *(f'{q}"*^:(){{}}-NEAR' for q in queries)]:
                await find(store, query)

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(search(folder))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_terms_are_plain_and_few(query: str) -> None:
    terms = terms_of(query)
    assert len(terms) <= 12
    assert all('"' not in term and "\0" not in term and term.strip() for term in terms)


def test_a_snippet_shows_the_place() -> None:
    text = "x " * 200 + "the needle\nin it " + "y " * 200
    cut = snippet(text, ["NEEDLE"], 60)
    assert "the needle in it" in cut
    assert cut.startswith("…")
    assert cut.endswith("…")
    assert len(cut) <= 62
    assert snippet("short", ["absent"]) == "short"
