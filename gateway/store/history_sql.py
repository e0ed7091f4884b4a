"""The statements that change a history and the memories. Synchronous: run by `Database.run`.

What leaves a history, undone or summed up, loses its position and stays: it can still be found.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Sequence

from gateway.store.base import MemoryKind, Message
from gateway.store.errors import StoreError
from gateway.store.rows import MessageRow, storable, to_row
from gateway.store.scopes import scope_of

MEMORY = "SELECT text FROM memories WHERE kind = ? AND owner = ?"


def append(
    connection: sqlite3.Connection, session: str, messages: Sequence[Message], now: str
) -> None:
    """Add to the end of a history."""
    scope = touch(connection, session, now)
    ((length,),) = connection.execute(
        "SELECT coalesce(max(position) + 1, 0) FROM messages WHERE session_id = ?", (session,)
    )
    rows = list(enumerate(map(to_row, messages), start=length))
    _insert(connection, session, scope, rows, now)


def replace(
    connection: sqlite3.Connection, session: str, messages: Sequence[Message], now: str
) -> None:
    """Put another history in the place of the stored one. Messages of both keep their rows."""
    scope = touch(connection, session, now)
    stored = connection.execute(
        "SELECT id, message FROM messages WHERE session_id = ? AND position IS NOT NULL "
        "ORDER BY position DESC",
        (session,),
    )
    ids: defaultdict[str, list[int]] = defaultdict(list)
    for id_, message in stored:
        ids[message].append(id_)
    kept: list[tuple[int, int]] = []
    added: list[tuple[int, MessageRow]] = []
    for position, row in enumerate(map(to_row, messages)):
        if ids[row.message]:
            kept.append((position, ids[row.message].pop()))
        else:
            added.append((position, row))
    truncate(connection, session, 0, now)
    connection.executemany("UPDATE messages SET position = ? WHERE id = ?", kept)
    _insert(connection, session, scope, added, now)


def truncate(connection: sqlite3.Connection, session: str, length: int, now: str) -> None:
    """Keep the first `length` messages, 0 or more; all, if there are fewer."""
    if length < 0:
        raise StoreError(f"A history can't be cut to {length} messages.")
    touch(connection, session, now)
    connection.execute(
        "UPDATE messages SET position = NULL WHERE session_id = ? AND position >= ?",
        (session, length),
    )


def memory(connection: sqlite3.Connection, kind: MemoryKind, owner: str) -> str:
    """A memory text; empty if nothing was ever stored."""
    rows = connection.execute(MEMORY, (kind, storable(owner)))
    return "".join(text for (text,) in rows)


def set_memory(
    connection: sqlite3.Connection, kind: MemoryKind, owner: str, text: str, now: str
) -> None:
    """Store a memory text."""
    connection.execute(
        "INSERT INTO memories (kind, owner, text, created_at, updated_at) "
        "VALUES (?, ?, ?, ?, ?) ON CONFLICT (kind, owner) DO UPDATE "
        "SET text = excluded.text, updated_at = excluded.updated_at",
        (kind, storable(owner), storable(text), now, now),
    )


def touch(connection: sqlite3.Connection, session: str, now: str) -> str:
    """Note that a session is in use; the scope of its chat.

    Raises `StoreError` if there is none of that id.
    """
    found = connection.execute(
        "UPDATE sessions SET updated_at = ? WHERE id = ? RETURNING chat", (now, storable(session))
    )
    for (chat,) in found.fetchall():
        return scope_of(chat)
    raise no_session(session)


def no_session(session: str) -> StoreError:
    """The error for an id that no session has."""
    return StoreError(f"There is no session {session}.")


def _insert(
    connection: sqlite3.Connection,
    session: str,
    scope: str,
    rows: Sequence[tuple[int, MessageRow]],
    now: str,
) -> None:
    connection.executemany(
        "INSERT INTO messages (session_id, position, role, text, message, created_at, scope) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(session, n, row.role, row.text, row.message, now, scope) for n, row in rows],
    )
