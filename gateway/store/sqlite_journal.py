"""`JournalStore` over SQLite. One function per kind of entry; the table is at the end."""

import sqlite3
import zlib
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

import structlog

from gateway.store import history_sql
from gateway.store.connection import Database
from gateway.store.journal import (
    Answered,
    Entry,
    EventSettled,
    Fed,
    HistoryChanged,
    LastTurn,
    Life,
    LifeBegun,
    MemoryChanged,
    OpenTurn,
    PartMoved,
    QuestionAnswered,
    QuestionAsked,
    ReplySaid,
    StoredPart,
    StoredQuestion,
    StoredStep,
    ToolStarted,
    TurnBegun,
    TurnEnded,
    TurnResumed,
)
from gateway.store.notes import merged
from gateway.store.rows import storable
from gateway.store.sqlite_inbound import answer_question, settle
from gateway.store.times import timestamp

COMPRESS_FROM_BYTES = 1_024
_LIFE = "lives.id, lives.chat, lives.session_id, lives.artefact, lives.begun_at"

_log = structlog.get_logger()


class SqliteJournal:
    """Implements `JournalStore`."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    async def write(self, entries: Sequence[Entry]) -> None:
        """See `JournalStore`."""
        now = timestamp(self._now())

        def work(connection: sqlite3.Connection) -> None:
            for entry in entries:
                _WRITERS[type(entry)](connection, entry, now)

        await self._database.run(work)

    async def open_turns(self) -> list[OpenTurn]:
        """See `JournalStore`."""
        rows = await self._rows(
            f"SELECT turns.id, turns.resumed, turns.event, {_LIFE} FROM turns "  # noqa: S608 - ours
            "JOIN lives ON lives.id = turns.life_id "
            "WHERE turns.ended_at IS NULL ORDER BY turns.begun_at"
        )
        return [OpenTurn(id_, Life(*life), resumed, event) for id_, resumed, event, *life in rows]

    async def steps(self, life: str) -> list[StoredStep]:
        """See `JournalStore`."""
        rows = await self._rows(
            "SELECT number, turn_id, lines, is_compressed, answers FROM steps "
            "WHERE life_id = ? ORDER BY number",
            life,
        )
        return [
            StoredStep(number, turn, _unpacked(lines, is_compressed), answers)
            for number, turn, lines, is_compressed, answers in rows
        ]

    async def tools_started(self, turn: str) -> frozenset[str]:
        """See `JournalStore`."""
        rows = await self._rows("SELECT call_id FROM tool_runs WHERE turn_id = ?", turn)
        return frozenset(call_id for (call_id,) in rows)

    async def parts(self, turn: str) -> list[StoredPart]:
        """See `JournalStore`."""
        rows = await self._rows(
            "SELECT reply, position, state, markdown, message_id FROM outbound "
            "LEFT JOIN outbound_messages USING (turn_id, reply, position) "
            "WHERE turn_id = ? ORDER BY reply, position, number",
            turn,
        )
        return [
            StoredPart(reply, position, state, tuple(row[4] for row in those if row[4]), markdown)
            for (reply, position, state, markdown), those in groupby(rows, lambda row: row[:4])
        ]

    async def last_turn(self, chat: str) -> LastTurn | None:
        """See `JournalStore`."""
        rows = await self._rows(
            "SELECT turns.id, event, session_id, turns.begun_at, outcome FROM turns "
            "JOIN lives ON lives.id = life_id WHERE chat = ? ORDER BY turns.begun_at DESC, "
            "(SELECT max(number) FROM steps WHERE turn_id = turns.id) DESC LIMIT 1",
            storable(chat),
        )
        for turn, event, session, begun_at, outcome in rows:
            return LastTurn(turn, event, session, datetime.fromisoformat(begun_at), outcome)
        return None

    async def answer_shown(self, chat: str, message_id: str) -> tuple[str, str] | None:
        """See `JournalStore`."""
        rows = await self._rows(
            "SELECT chat, coalesce(said, '') FROM outbound_messages "
            "JOIN outbound USING (turn_id, reply, position) JOIN turns ON turns.id = turn_id "
            "JOIN lives ON lives.id = life_id "
            "WHERE message_id = ?1 AND (chat = ?2 OR substr(chat, 1, length(?2) + 1) = ?2 || ':') "
            "AND (said IS NOT NULL OR ended_at IS NULL)",
            storable(message_id),
            storable(chat),
        )
        return rows[0] if rows else None

    async def chat_of(self, turn: str) -> str | None:
        """See `JournalStore`."""
        rows = await self._rows(
            "SELECT chat FROM turns JOIN lives ON lives.id = life_id WHERE turns.id = ?",
            storable(turn),
        )
        return rows[0][0] if rows else None

    async def questions(self) -> list[StoredQuestion]:
        """See `JournalStore`."""
        return await self._questions("ended_at IS NULL")

    async def question(self, id_: str) -> StoredQuestion | None:
        """See `JournalStore`."""
        return next(iter(await self._questions("questions.id = ?", storable(id_))), None)

    async def lives(self, session: str) -> list[Life]:
        """See `JournalStore`."""
        rows = await self._rows(
            f"SELECT {_LIFE} FROM lives "  # noqa: S608 - ours
            "WHERE session_id = ? OR substr(session_id, -8) = ? ORDER BY begun_at",
            storable(session),
            storable(session),
        )
        return [Life(*row) for row in rows]

    async def prune(self, keep_days: int) -> int:
        """See `JournalStore`."""
        before = timestamp(self._now() - timedelta(days=keep_days))

        def work(connection: sqlite3.Connection) -> int:
            return connection.execute(
                "DELETE FROM lives WHERE begun_at < ? AND NOT EXISTS "
                "(SELECT 1 FROM turns WHERE life_id = lives.id AND ended_at IS NULL)",
                (before,),
            ).rowcount

        return await self._database.run(work)

    async def _questions(self, which: str, *values: object) -> list[StoredQuestion]:
        rows = await self._rows(
            "SELECT questions.id, turn_id, clarify_id, question, answer, asked_at FROM questions "  # noqa: S608 - ours
            f"JOIN turns ON turns.id = turn_id WHERE {which} ORDER BY asked_at",
            *values,
        )
        return [
            StoredQuestion(id_, turn, clarify_id, question, answer, datetime.fromisoformat(asked))
            for id_, turn, clarify_id, question, answer, asked in rows
        ]

    async def _rows(self, query: str, *values: object) -> list[Any]:
        return await self._database.rows(query, values)


def _packed(lines: Sequence[str]) -> tuple[bytes, bool]:
    written = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    if len(written) < COMPRESS_FROM_BYTES:
        return written, False
    return zlib.compress(written, 1), True


def _unpacked(lines: bytes, is_compressed: int) -> tuple[str, ...]:
    written = zlib.decompress(lines) if is_compressed else lines
    return tuple(written.decode().split("\n")[:-1])


# One function per kind of entry.


def _begin_life(connection: sqlite3.Connection, entry: LifeBegun, now: str) -> None:
    connection.execute(
        "INSERT INTO lives (id, chat, session_id, artefact, begun_at) VALUES (?, ?, ?, ?, ?)",
        (entry.life, storable(entry.chat), entry.session, entry.artefact, now),
    )


def _begin_turn(connection: sqlite3.Connection, entry: TurnBegun, now: str) -> None:
    platform, event_id = storable(entry.platform), storable(entry.event_id)
    connection.execute(
        "INSERT INTO turns (id, life_id, platform, event_id, event, begun_at) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (entry.turn, entry.life, platform, event_id, storable(entry.event), now),
    )
    settle(connection, platform, event_id, "begun", now)


def _feed(connection: sqlite3.Connection, entry: Fed, now: str) -> None:
    lines, is_compressed = _packed(entry.lines)
    connection.execute(
        "INSERT INTO steps (life_id, number, turn_id, lines, is_compressed, fed_at) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (entry.life, entry.number, entry.turn, lines, is_compressed, now),
    )
    connection.execute("UPDATE turns SET resumed = 0 WHERE id = ? AND resumed > 0", (entry.turn,))


def _note_answers(connection: sqlite3.Connection, entry: Answered, _now: str) -> None:
    connection.execute(
        "UPDATE steps SET answers = ? WHERE life_id = ? AND number = ?",
        (entry.sha256, entry.life, entry.number),
    )


def _change_history(connection: sqlite3.Connection, entry: HistoryChanged, now: str) -> None:
    if entry.op == "append":
        history_sql.append(connection, entry.session, entry.messages, now)
    elif entry.op == "replace":
        history_sql.replace(connection, entry.session, entry.messages, now)
    elif entry.op == "truncate":
        history_sql.truncate(connection, entry.session, entry.length, now)
    else:
        _log.warning("unknown history operation", op=entry.op)


def _change_memory(connection: sqlite3.Connection, entry: MemoryChanged, now: str) -> None:
    present = history_sql.memory(connection, entry.kind, entry.owner)
    text = merged(entry.before, entry.text, present)
    history_sql.set_memory(connection, entry.kind, entry.owner, text, now)


def _start_tool(connection: sqlite3.Connection, entry: ToolStarted, now: str) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO tool_runs (turn_id, call_id, name, started_at) VALUES (?, ?, ?, ?)",
        (entry.turn, storable(entry.call_id), storable(entry.name), now),
    )


def _ask_question(connection: sqlite3.Connection, entry: QuestionAsked, now: str) -> None:
    connection.execute(
        "INSERT INTO questions (id, turn_id, clarify_id, question, asked_at) "
        "VALUES (?, ?, ?, ?, ?)",
        (entry.id, entry.turn, storable(entry.clarify_id), storable(entry.question), now),
    )


def _answer_question(connection: sqlite3.Connection, entry: QuestionAnswered, _now: str) -> None:
    answer_question(connection, entry.id, entry.answer)


def _move_part(connection: sqlite3.Connection, entry: PartMoved, now: str) -> None:
    key = (entry.turn, entry.reply, entry.position)
    if entry.state is None:
        connection.execute(
            "DELETE FROM outbound WHERE turn_id = ? AND reply = ? AND position = ?", key
        )
        return
    connection.execute(
        "INSERT INTO outbound (turn_id, reply, position, state, markdown, updated_at) "
        "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state, "
        "markdown = coalesce(excluded.markdown, markdown), updated_at = excluded.updated_at",
        (*key, entry.state, entry.markdown and storable(entry.markdown), now),
    )
    connection.execute(
        "DELETE FROM outbound_messages WHERE turn_id = ? AND reply = ? AND position = ?", key
    )
    connection.executemany(
        "INSERT INTO outbound_messages (turn_id, reply, position, number, message_id) "
        "VALUES (?, ?, ?, ?, ?)",
        [(*key, number, storable(id_)) for number, id_ in enumerate(entry.message_ids)],
    )


def _say_reply(connection: sqlite3.Connection, entry: ReplySaid, _now: str) -> None:
    connection.execute(
        "UPDATE outbound SET said = ? WHERE turn_id = ? AND reply = ?",
        (storable(entry.beginning), entry.turn, entry.reply),
    )


def _settle_event(connection: sqlite3.Connection, entry: EventSettled, now: str) -> None:
    settle(connection, entry.platform, entry.event_id, entry.state, now)


def _resume_turn(connection: sqlite3.Connection, entry: TurnResumed, _now: str) -> None:
    connection.execute("UPDATE turns SET resumed = resumed + 1 WHERE id = ?", (entry.turn,))


def _end_turn(connection: sqlite3.Connection, entry: TurnEnded, now: str) -> None:
    rows = connection.execute(
        "UPDATE turns SET ended_at = ?, outcome = ? WHERE id = ? RETURNING platform, event_id",
        (now, storable(entry.outcome), entry.turn),
    ).fetchall()
    for platform, event_id in rows:
        settle(connection, platform, event_id, "done", now)


_WRITERS: Mapping[type[Any], Callable[[sqlite3.Connection, Any, str], None]] = {
    LifeBegun: _begin_life,
    TurnBegun: _begin_turn,
    Fed: _feed,
    Answered: _note_answers,
    HistoryChanged: _change_history,
    MemoryChanged: _change_memory,
    ToolStarted: _start_tool,
    QuestionAsked: _ask_question,
    QuestionAnswered: _answer_question,
    PartMoved: _move_part,
    ReplySaid: _say_reply,
    EventSettled: _settle_event,
    TurnResumed: _resume_turn,
    TurnEnded: _end_turn,
}
