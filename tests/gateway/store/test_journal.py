"""The journal's tables: all of a write or none of it, and what is read back at a start."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from gateway.store.errors import StoreError
from gateway.store.inbound import Incoming
from gateway.store.journal import (
    Answered,
    Fed,
    HistoryChanged,
    LifeBegun,
    MemoryChanged,
    PartMoved,
    QuestionAnswered,
    QuestionAsked,
    ReplySaid,
    ToolStarted,
    TurnBegun,
    TurnEnded,
    TurnResumed,
)
from gateway.store.schema import load_migrations
from gateway.store.scopes import scope_of
from gateway.store.sqlite import SqliteStore

CHAT = "telegram:dm:1"


async def begin(store: SqliteStore, turn: str = "t1", life: str = "l1") -> str:
    """A life with one turn that has been fed one line; returns the session's id."""
    session = (await store.current_session(CHAT)).id
    await store.inbound.take(Incoming("telegram", turn, CHAT, "{}"))
    await store.journal.write(
        [
            LifeBegun(life, CHAT, session, "sha"),
            Fed(life, 0, None, ('{"type":"init"}',)),
            TurnBegun(turn, life, "telegram", turn, '{"text": "hello"}'),
            Fed(life, 1, turn, ('{"type":"user_message"}', '{"text":"é"}')),
        ]
    )
    return session


async def test_a_turn_is_open_until_it_has_ended(store: SqliteStore) -> None:
    await begin(store)
    (turn,) = await store.journal.open_turns()
    assert (turn.id, turn.life.chat, turn.event) == ("t1", CHAT, '{"text": "hello"}')
    assert await store.inbound.waiting() == []
    await store.journal.write([TurnEnded("t1", "answered")])
    assert await store.journal.open_turns() == []


@pytest.mark.parametrize("size", [10, 100_000])
async def test_lines_come_back_as_they_were(store: SqliteStore, size: int) -> None:
    await begin(store)
    lines = ('{"a":"' + "ü\\n " * size + '"}', "{}")
    await store.journal.write([Fed("l1", 2, "t1", lines)])
    steps = await store.journal.steps("l1")
    assert [step.turn for step in steps] == [None, "t1", "t1"]
    assert steps[2].lines == lines
    assert steps[1].lines == ('{"type":"user_message"}', '{"text":"é"}')


async def test_a_write_is_whole_or_not_there(store: SqliteStore) -> None:
    session = await begin(store)
    kept = HistoryChanged(session, "append", ({"role": "user", "content": "hello"},))
    with pytest.raises(StoreError):
        await store.journal.write(
            [kept, MemoryChanged("user", "1", "x", ""), HistoryChanged("none", "append", ())]
        )
    assert await store.history(session) == []
    assert await store.memory("user", "1") == ""
    await store.journal.write([kept, Answered("l1", 1, "hash")])
    assert len(await store.history(session)) == 1
    assert [step.answers for step in await store.journal.steps("l1")] == [None, "hash"]


async def test_one_that_fails_in_a_crowd_harms_nobody_else(store: SqliteStore) -> None:
    session = await begin(store)
    good = HistoryChanged(session, "append", ({"role": "user", "content": "x"},))
    bad = HistoryChanged("none", "append", ())
    writes = [store.journal.write([bad if n % 3 == 0 else good]) for n in range(30)]
    results = await asyncio.gather(*writes, return_exceptions=True)
    assert [isinstance(result, StoreError) for result in results] == [n % 3 == 0 for n in range(30)]
    assert len(await store.history(session)) == 20


async def test_a_crowd_shares_commits(store: SqliteStore) -> None:
    await begin(store)
    statements: list[str] = []
    async with store._database.reading() as connection:
        await connection.set_trace_callback(statements.append)
    await asyncio.gather(
        *(store.journal.write([ToolStarted("t1", str(n), "count")]) for n in range(50))
    )
    assert len(await store.journal.tools_started("t1")) == 50
    assert sum(statement == "COMMIT" for statement in statements) <= 2


async def test_parts_are_what_was_last_said_of_them(store: SqliteStore) -> None:
    await begin(store)
    await store.journal.write([PartMoved("t1", "1", 0, "sending")])
    await store.journal.write([PartMoved("t1", "1", 0, "sent", ("m1",))])
    await store.journal.write([PartMoved("t1", "1", 1, "sending", (), "# all")])
    await store.journal.write([PartMoved("t1", "2", 0, "sending")])
    await store.journal.write([PartMoved("t1", "2", 0, None)])
    first, second = await store.journal.parts("t1")
    assert (first.state, first.message_ids, first.markdown) == ("sent", ("m1",), None)
    assert (second.state, second.markdown) == ("sending", "# all")
    assert await store.journal.chat_of("t1") == CHAT
    assert await store.journal.chat_of("t2") is None


async def test_a_part_has_all_its_messages_and_each_leads_to_its_answer(
    store: SqliteStore,
) -> None:
    await begin(store)
    ids = tuple(f"m{number}" for number in range(12, 1, -1))
    await store.journal.write([PartMoved("t1", "1", 0, "sent", ("m1",))])
    await store.journal.write([PartMoved("t1", "1", 1, "sending", (), "cats")])
    await store.journal.write([PartMoved("t1", "1", 1, "sent", ids, "cats")])
    await store.journal.write([ReplySaid("t1", "1", "cats")])
    assert [part.message_ids for part in await store.journal.parts("t1")] == [("m1",), ids]
    for id_ in ("m1", *ids):
        assert await store.journal.answer_shown(CHAT, id_) == (CHAT, "cats")
    await store.journal.write([PartMoved("t1", "1", 1, "sent", ids[:2])])
    assert [part.message_ids for part in await store.journal.parts("t1")] == [("m1",), ids[:2]]
    await store.journal.write([PartMoved("t1", "1", 1, None)])
    assert await store.journal.answer_shown(CHAT, ids[0]) is None


OLD_ROWS = """
INSERT INTO sessions (id, chat, started_at, updated_at)
VALUES ('s', 'telegram:dm:1', '2030', '2030');
INSERT INTO lives VALUES ('l', 'telegram:dm:1', 's', 'a', '2030');
INSERT INTO turns (id, life_id, platform, event_id, event, begun_at)
VALUES ('t', 'l', 'telegram', '1', '{}', '2030');
INSERT INTO outbound (turn_id, reply, position, state, message_id, updated_at, said)
VALUES ('t', '1', 0, 'sent', 'm1', '2030', 'hello'), ('t', '1', 1, 'sending', NULL, '2030', NULL);
PRAGMA user_version = 9;
"""


def make_old(path: Path) -> None:
    """A database as the ninth version left it."""
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.create_function("scope_of", 1, scope_of)
        for migration in load_migrations()[:9]:
            for statement in migration.statements:
                connection.execute(statement)
        connection.executescript(OLD_ROWS)


async def test_messages_from_before_there_were_albums_are_still_known(
    path: Path, clock: Callable[[], datetime]
) -> None:
    await asyncio.to_thread(make_old, path)
    async with await SqliteStore.open(path, now=clock) as store:
        found = [(part.state, part.message_ids) for part in await store.journal.parts("t")]
        assert found == [("sent", ("m1",)), ("sending", ())]
        assert await store.journal.answer_shown(CHAT, "m1") == (CHAT, "hello")


async def test_the_first_answer_to_a_question_counts(store: SqliteStore) -> None:
    await begin(store)
    await store.journal.write([QuestionAsked("t1", "q", "q1", "{}")])
    await store.inbound.take_answer(Incoming("telegram", "2", CHAT, "{}"), "q", '"first"')
    await store.journal.write([QuestionAnswered("q", '"second"')])
    (question,) = await store.journal.questions()
    assert (question.clarify_id, question.answer) == ("q1", '"first"')
    await store.journal.write([TurnEnded("t1", "answered")])
    assert await store.journal.questions() == []


async def test_a_step_further_forgets_how_often_a_turn_was_taken_up(store: SqliteStore) -> None:
    await begin(store)
    for _ in range(3):
        await store.journal.write([TurnResumed("t1")])
    assert [turn.resumed for turn in await store.journal.open_turns()] == [3]
    await store.journal.write([Fed("l1", 2, "t1", ("{}",))])
    assert [turn.resumed for turn in await store.journal.open_turns()] == [0]


async def test_old_lives_are_forgotten_with_all_that_hangs_on_them(
    store: SqliteStore, clock: Any
) -> None:
    session = await begin(store)
    await store.journal.write([ToolStarted("t1", "c", "count"), TurnEnded("t1", "answered")])
    await begin(store, turn="t2", life="open")
    clock.move(timedelta(days=15))
    await begin(store, turn="t3", life="young")
    assert await store.journal.prune(14) == 1
    assert [life.id for life in await store.journal.lives(session)] == ["open", "young"]
    assert await store.journal.steps("l1") == []
    assert await store.journal.tools_started("t1") == frozenset()
