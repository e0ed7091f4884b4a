"""`MoveStore` over SQLite: every table that knows a chat stands here."""

import sqlite3
from collections.abc import Callable
from datetime import datetime

from gateway.store.connection import Database
from gateway.store.moves import MovedChats
from gateway.store.rows import storable
from gateway.store.times import timestamp

# The column that holds a session key; with True a chat has one row of a kind there, and that of
# the chat that moves is kept.
_KEYED = (
    ("sessions", "chat", False),
    ("lives", "chat", False),
    ("inbound", "chat", False),
    ("asides", "chat", False),
    ("model_calls", "chat", False),
    ("jobs", "chat", False),
    ("members", "chat", True),
    ("chat_models", "chat", True),
    ("memories", "owner", True),
    ("approvals", "chat", True),
)
_OPEN = "ended_at IS NULL"


class SqliteMoves:
    """Implements `MoveStore`."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    async def move(self, platform: str, chat_id: str, new_chat_id: str) -> MovedChats:
        """See `MoveStore`."""
        now = timestamp(self._now())
        names = storable(platform), storable(chat_id), storable(new_chat_id)
        return await self._database.run(lambda connection: _move(connection, *names, now))


def _move(
    connection: sqlite3.Connection, platform: str, former: str, present: str, now: str
) -> MovedChats:
    old, new = f"{platform}:group:{former}", f"{platform}:group:{present}"
    keys = {key: new + key[len(old) :] for key in _keys_of(connection, old)}
    numbers = [
        number
        for key in keys
        for (number,) in connection.execute(
            "SELECT number FROM inbound WHERE chat = ? AND state = 'accepted'", (key,)
        )
    ]
    turns = {
        turn
        for key in keys
        for (turn,) in connection.execute(
            "SELECT turns.id FROM turns JOIN lives ON lives.id = life_id "
            "WHERE lives.chat = ? AND turns.ended_at IS NULL",
            (key,),
        )
    }
    for key, moved in keys.items():
        _end_session(connection, key, moved, now)
        for table, column, is_unique in _KEYED:
            _rename(connection, table, column, key, moved, is_unique=is_unique)
        connection.execute(
            "UPDATE messages SET scope = scope_of(?1) "
            "WHERE session_id IN (SELECT id FROM sessions WHERE chat = ?1) "
            "AND scope <> scope_of(?1)",
            (moved,),
        )
        _readdress(connection, moved, former, present)
    _move_access(connection, platform, former, present, now)
    waiting = [
        event
        for number in sorted(numbers)
        for (event,) in connection.execute("SELECT event FROM inbound WHERE number = ?", (number,))
    ]
    return MovedChats(keys, frozenset(turns), waiting)


def _keys_of(connection: sqlite3.Connection, old: str) -> list[str]:
    """The chat itself and its topics, wherever one is named."""
    parts = " UNION ".join(
        f"SELECT {column} FROM {table} WHERE {column} = ?1 OR substr({column}, 1, ?2) = ?1 || ':'"  # noqa: S608 - names of ours
        for table, column, _ in _KEYED
    )
    return [key for (key,) in connection.execute(parts, (old, len(old) + 1))]


def _end_session(connection: sqlite3.Connection, key: str, moved: str, now: str) -> None:
    connection.execute(
        f"UPDATE sessions SET ended_at = ?3, end_reason = 'moved' WHERE chat = ?2 AND {_OPEN} "  # noqa: S608 - ours
        f"AND EXISTS (SELECT 1 FROM sessions WHERE chat = ?1 AND {_OPEN})",
        (key, moved, now),
    )


def _rename(
    connection: sqlite3.Connection,
    table: str,
    column: str,
    key: str,
    moved: str,
    *,
    is_unique: bool,
) -> None:
    how = "OR REPLACE " if is_unique else ""
    connection.execute(
        f"UPDATE {how}{table} SET {column} = ? WHERE {column} = ?",  # noqa: S608 - names of ours
        (moved, key),
    )


def _readdress(connection: sqlite3.Connection, moved: str, former: str, present: str) -> None:
    """What is kept as JSON and still has a use: messages that wait, open turns, open questions."""
    connection.execute(
        "UPDATE jobs SET chat_id = ? WHERE chat = ? AND chat_id = ?", (present, moved, former)
    )
    connection.execute(
        "UPDATE inbound SET event = json_set(event, '$.address.chat_id', ?1) "
        "WHERE chat = ?2 AND json_extract(event, '$.address.chat_id') = ?3",
        (present, moved, former),
    )
    open_turns = (
        "SELECT turns.id FROM turns JOIN lives ON lives.id = life_id "
        "WHERE lives.chat = ?2 AND turns.ended_at IS NULL"
    )
    connection.execute(
        "UPDATE turns SET event = json_set(event, '$.address.chat_id', ?1) "  # noqa: S608 - ours
        f"WHERE id IN ({open_turns})",
        (present, moved),
    )
    connection.execute(
        "UPDATE questions SET question = json_set(question, '$.chat', ?1) "  # noqa: S608 - ours
        f"WHERE turn_id IN ({open_turns})",
        (moved, moved),
    )


def _move_access(
    connection: sqlite3.Connection, platform: str, former: str, present: str, now: str
) -> None:
    connection.execute(
        "UPDATE OR IGNORE access_grants SET person_id = 'chat:' || ? "
        "WHERE platform = ? AND person_id = 'chat:' || ?",
        (present, platform, former),
    )
    connection.execute(
        "INSERT OR IGNORE INTO chat_moves (platform, chat_id, former_id, moved_at) "
        "SELECT ?1, ?3, former_id, ?4 FROM chat_moves WHERE platform = ?1 AND chat_id = ?2 "
        "UNION ALL SELECT ?1, ?3, ?2, ?4",
        (platform, former, present, now),
    )
    connection.execute("UPDATE access_revision SET revision = revision + 1")
