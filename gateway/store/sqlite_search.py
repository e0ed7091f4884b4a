"""`SearchStore` over SQLite's two full-text indexes.

The indexes give the latest matches first, and hold the chat beside the text: a search reads about
as many entries as it returns, however many messages there are.
"""

from collections.abc import Sequence

from gateway.store.connection import Database
from gateway.store.rows import storable
from gateway.store.scopes import scope_of
from gateway.store.search import PIECE_CHARS, Found, like_pattern, needs_scan, quoted

MAX_CHATS = 200
_COLUMNS = "m.id, s.chat, s.id, m.role, m.text, m.created_at"
_PLAIN = f"SELECT {_COLUMNS} FROM messages m JOIN sessions s ON s.id = m.session_id"  # noqa: S608 - ours


class SqliteSearch:
    """Implements `SearchStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, terms: Sequence[str], chats: Sequence[str], limit: int) -> list[Found]:
        """See `SearchStore`."""
        wanted = [storable(term) for term in terms]
        within = [storable(chat) for chat in chats][:MAX_CHATS]
        if not wanted or not within or limit <= 0:
            return []
        found = await self._in_index("message_words", wanted, within, limit)
        pieces = [term for term in wanted if len(term) >= PIECE_CHARS]
        if needs_scan(wanted) and not pieces:
            found += await self._scanned(wanted, within, limit)
        elif pieces:
            rest = [term for term in wanted if len(term) < PIECE_CHARS]
            found += await self._in_index("message_pieces", pieces, within, limit, rest)
        by_id = {one.id: one for one in found}
        latest = [by_id[id_] for id_ in sorted(by_id, reverse=True)]
        # A message that was undone and said again is there twice.
        unlike = {(one.session_id, one.role, one.text): one for one in reversed(latest)}
        return sorted(unlike.values(), key=lambda one: -one.id)[:limit]

    async def around(
        self, message_id: int, chats: Sequence[str], before: int, after: int
    ) -> list[Found]:
        """See `SearchStore`."""
        within = [storable(chat) for chat in chats][:MAX_CHATS]
        same = "m.session_id = (SELECT session_id FROM messages WHERE id = ?)"
        upto = await self._rows(
            f"{_PLAIN} WHERE {same} AND {_among('s.chat', within)} AND m.id <= ? "
            "ORDER BY m.id DESC LIMIT ?",
            (message_id, *within, message_id, before + 1),
        )
        behind = await self._rows(
            f"{_PLAIN} WHERE {same} AND {_among('s.chat', within)} AND m.id > ? "
            "ORDER BY m.id LIMIT ?",
            (message_id, *within, message_id, after),
        )
        return [*reversed(upto), *behind]

    async def first_of(self, session_id: str, chats: Sequence[str], limit: int) -> list[Found]:
        """See `SearchStore`."""
        within = [storable(chat) for chat in chats][:MAX_CHATS]
        return await self._rows(
            f"{_PLAIN} WHERE (s.id = ? OR substr(s.id, -8) = ?) AND {_among('s.chat', within)} "
            "ORDER BY m.id LIMIT ?",
            (storable(session_id), storable(session_id), *within, limit),
        )

    async def _in_index(
        self,
        index: str,
        terms: Sequence[str],
        chats: Sequence[str],
        limit: int,
        rest: Sequence[str] = (),
    ) -> list[Found]:
        """What a full-text index finds; `rest` must occur as well."""
        scopes = " OR ".join(quoted(scope_of(chat)) for chat in chats)
        texts = " AND ".join(map(quoted, terms))
        return await self._rows(
            # Never the other way round: the index decides what is looked at, and in which order.
            f"SELECT {_COLUMNS} FROM {index} CROSS JOIN messages m ON m.id = {index}.rowid "  # noqa: S608 - ours
            f"CROSS JOIN sessions s ON s.id = m.session_id WHERE {index} MATCH ? "
            f"AND {_among('s.chat', chats)}{_have(rest)} ORDER BY {index}.rowid DESC LIMIT ?",
            (f"scope : ({scopes}) AND text : ({texts})", *chats, *map(like_pattern, rest), limit),
        )

    async def _scanned(self, terms: Sequence[str], chats: Sequence[str], limit: int) -> list[Found]:
        """What a look at every message of these chats finds."""
        return await self._rows(
            f"SELECT {_COLUMNS} FROM messages m JOIN sessions s ON s.id = m.session_id "  # noqa: S608 - ours
            f"WHERE {_among('m.scope', chats)} AND {_among('s.chat', chats)}{_have(terms)} "
            "ORDER BY m.id DESC LIMIT ?",
            (*map(scope_of, chats), *chats, *map(like_pattern, terms), limit),
        )

    async def _rows(self, query: str, values: tuple[str | int, ...]) -> list[Found]:
        return [Found(*row) for row in await self._database.rows(query, values)]


def _among(column: str, values: Sequence[str]) -> str:
    return f"{column} IN ({', '.join('?' * len(values))})"


def _have(terms: Sequence[str]) -> str:
    return r" AND m.text LIKE ? ESCAPE '\'" * len(terms)
