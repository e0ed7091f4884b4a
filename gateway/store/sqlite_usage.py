"""The ledger of model calls, in SQLite: a `UsageStore` over the database that the stores share."""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime

from gateway.store.connection import Database
from gateway.store.rows import storable
from gateway.store.usage import ModelCall, Owner, Usage

_SUMS = (
    "count(*), coalesce(sum(prompt_tokens), 0), coalesce(sum(cached_tokens), 0), "
    "coalesce(sum(completion_tokens), 0), coalesce(sum(reasoning_tokens), 0), "
    "coalesce(sum(cost), 0.0)"
)
_WHERE: dict[Owner, str] = {
    "chat": "chat = ?",
    "person": "person = ?",
    "all": "? = ''",  # nobody in particular
}


class SqliteUsage:
    """A `UsageStore`."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    async def record(self, call: ModelCall) -> None:
        """Add a row."""
        at = self._now().astimezone(UTC).isoformat(timespec="microseconds")
        row = (
            call.day,
            storable(call.chat),
            storable(call.person),
            call.provider,
            storable(call.model),
            storable(call.purpose),
            call.prompt_tokens,
            call.cached_tokens,
            call.completion_tokens,
            call.reasoning_tokens,
            call.cost,
            call.outcome,
        )

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO model_calls (at, day, chat, person, provider, model, purpose, "
                "prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost, outcome) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (at, *row),
            )

        await self._database.run(work)

    async def usage(self, owner: Owner, key: str, since: str = "", until: str = "9") -> Usage:
        """The sum over an owner's calls of the days `since` to `until`, both included."""
        ((*sums,),) = await self._database.rows(
            f"SELECT {_SUMS} FROM model_calls "  # noqa: S608 - both parts are constants of ours
            f"WHERE {_WHERE[owner]} AND day BETWEEN ? AND ?",
            (storable(key), since, until),
        )
        return Usage(*sums)

    async def usage_by_model(self, chat: str, since: str = "") -> list[tuple[str, Usage]]:
        """A chat's sums for each model since a day, the dearest first."""
        rows = await self._database.rows(
            f"SELECT model, {_SUMS} FROM model_calls "  # noqa: S608 - constants of ours
            "WHERE chat = ? AND day >= ? GROUP BY model "
            "ORDER BY sum(cost) DESC, sum(prompt_tokens + completion_tokens) DESC, model",
            (storable(chat), since),
        )
        return [(model, Usage(*sums)) for model, *sums in rows]

    async def prune(self, before: str) -> int:
        """See `UsageStore`."""

        def work(connection: sqlite3.Connection) -> int:
            return connection.execute("DELETE FROM model_calls WHERE day < ?", (before,)).rowcount

        return await self._database.run(work)
