"""`ApprovalStore` over SQLite."""

from collections.abc import Callable, Sequence
from datetime import datetime

from gateway.store.approvals import Remembered
from gateway.store.connection import Database
from gateway.store.rows import storable
from gateway.store.times import timestamp

_COLUMNS = "chat, person, kind, pattern, session_id, given_by, given_at, id"


class SqliteApprovals:
    """Implements `ApprovalStore`."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    async def remember(self, approval: Remembered) -> None:
        """See `ApprovalStore`."""
        async with self._database.writing() as connection:
            await connection.execute(
                "INSERT OR IGNORE INTO approvals "
                "(chat, person, kind, pattern, session_id, given_by, given_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*_key(approval), approval.session or "", approval.given_by, self._stamp()),
            )

    async def holds(self, wanted: Remembered) -> bool:
        """See `ApprovalStore`."""
        rows = await self._database.rows(
            "SELECT 1 FROM approvals WHERE chat = ? AND person = ? AND kind = ? "
            "AND pattern = ? AND session_id IN ('', ?) LIMIT 1",
            (*_key(wanted), wanted.session or ""),
        )
        return bool(rows)

    async def in_chat(self, chat: str, session: str) -> Sequence[Remembered]:
        """See `ApprovalStore`."""
        return await self._found(
            "WHERE chat = ? AND session_id IN ('', ?)", storable(chat), session
        )

    async def everywhere(self, platform: str) -> Sequence[Remembered]:
        """See `ApprovalStore`."""
        return await self._found("WHERE session_id = '' AND substr(person, 1, ?) = ?",
                                 len(platform) + 1, f"{platform}:")  # fmt: skip

    async def revoke(self, approval_id: int, *, platform: str, chat: str | None) -> bool:
        """See `ApprovalStore`."""
        async with self._database.writing() as connection:
            cursor = await connection.execute(
                "DELETE FROM approvals WHERE id = ? AND substr(person, 1, ?) = ? "
                "AND (? IS NULL OR chat = ?)",
                (approval_id, len(platform) + 1, f"{platform}:", chat, chat),
            )
            return cursor.rowcount > 0

    async def _found(self, where: str, *values: object) -> list[Remembered]:
        rows = await self._database.rows(
            f"SELECT {_COLUMNS} FROM approvals {where} ORDER BY id",  # noqa: S608 - ours
            values,
        )
        return [
            Remembered(chat, person, kind, pattern, session or None, by, at, id_)
            for chat, person, kind, pattern, session, by, at, id_ in rows
        ]

    def _stamp(self) -> str:
        return timestamp(self._now())


def _key(approval: Remembered) -> tuple[str, ...]:
    return tuple(
        storable(part) for part in (approval.chat, approval.person, approval.kind, approval.pattern)
    )
