"""`InboundStore` over SQLite."""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from gateway.store import asides_sql
from gateway.store.connection import Database
from gateway.store.inbound import Aside, Incoming
from gateway.store.journal import EventState
from gateway.store.rows import storable
from gateway.store.times import timestamp

# No platform delivers an event again after days: Telegram forgets updates after 24 hours (Bot API,
# getUpdates). Anything kept longer only fills the disk.
KEEP_EVENTS = timedelta(days=30)
PRUNE_EVERY = timedelta(days=1)
_UNDECIDED = frozenset({"accepted", "steering"})


class SqliteInbound:
    """Implements `InboundStore`."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now
        self._pruned_at = datetime.min.replace(tzinfo=UTC)

    async def take(self, incoming: Incoming, *, is_command: bool = False) -> bool:
        """See `InboundStore`."""
        state = "command" if is_command else "accepted"
        number = await self._database.run(lambda c: self._insert(c, incoming, state))
        return number is not None

    async def take_telling(
        self, incoming: Incoming, add: Callable[[str, Sequence[Aside]], str]
    ) -> str | None:
        """See `InboundStore`."""

        def work(connection: sqlite3.Connection) -> str | None:
            asides = asides_sql.untold(connection, incoming.chat)
            kept = add(incoming.event, list(asides.values())) if asides else incoming.event
            number = self._insert(connection, replace(incoming, event=kept), "accepted")
            if number is None:
                return None
            asides_sql.tell(connection, list(asides), number)
            return kept

        return await self._database.run(work)

    async def take_aside(self, incoming: Incoming, aside: Aside, limit: int) -> bool:
        """See `InboundStore`."""

        def work(connection: sqlite3.Connection) -> bool:
            is_new = self._insert_seen(connection, incoming)
            if is_new:
                asides_sql.add(connection, aside, limit, timestamp(self._now()))
            return is_new

        return await self._database.run(work)

    async def take_answer(self, incoming: Incoming, question: str, answer: str) -> bool:
        """See `InboundStore`."""

        def work(connection: sqlite3.Connection) -> bool:
            is_new = self._insert(connection, incoming, "answer") is not None
            if is_new:
                answer_question(connection, question, answer)
            return is_new

        return await self._database.run(work)

    async def take_note(self, incoming: Incoming) -> bool:
        """See `InboundStore`."""
        return await self._database.run(lambda c: self._insert_seen(c, incoming))

    async def change(self, incoming: Incoming) -> None:
        """See `InboundStore`."""
        await self._database.run(
            lambda connection: connection.execute(
                "UPDATE inbound SET event = ? "
                "WHERE platform = ? AND event_id = ? AND state = 'accepted'",
                (
                    storable(incoming.event),
                    storable(incoming.platform),
                    storable(incoming.event_id),
                ),
            )
        )

    async def settle(self, platform: str, event_id: str, state: EventState) -> None:
        """See `InboundStore`."""
        now = timestamp(self._now())
        await self._database.run(lambda c: settle(c, platform, event_id, state, now))

    async def waiting(self) -> list[str]:
        """See `InboundStore`."""
        return await self._in_state("accepted")

    async def steering(self, chat: str) -> list[str]:
        """See `InboundStore`."""
        rows = await self._database.rows(
            "SELECT event FROM inbound WHERE state = 'steering' AND chat = ? ORDER BY number",
            (storable(chat),),
        )
        return [event for (event,) in rows]

    async def cut_off(self) -> list[str]:
        """See `InboundStore`."""
        return await self._in_state("command")

    async def _in_state(self, state: str) -> list[str]:
        rows = await self._database.rows(
            "SELECT event FROM inbound WHERE state = ? ORDER BY number", (state,)
        )
        return [event for (event,) in rows]

    def _insert_seen(self, connection: sqlite3.Connection, incoming: Incoming) -> bool:
        is_new = self._insert(connection, incoming, "accepted") is not None
        if is_new:
            now = timestamp(self._now())
            settle(connection, incoming.platform, incoming.event_id, "done", now)
        return is_new

    def _insert(self, connection: sqlite3.Connection, incoming: Incoming, state: str) -> int | None:
        """The number of the event's row; None if there is one already."""
        now = self._now()
        if now - self._pruned_at >= PRUNE_EVERY:
            connection.execute(
                "DELETE FROM inbound WHERE taken_at < ? "
                "AND state NOT IN ('accepted', 'begun', 'steering')",
                (timestamp(now - KEEP_EVENTS),),
            )
            asides_sql.forget_before(connection, timestamp(now - KEEP_EVENTS))
            self._pruned_at = now
        texts = (incoming.platform, incoming.event_id, incoming.chat, incoming.event)
        cursor = connection.execute(
            "INSERT INTO inbound (platform, event_id, chat, event, state, taken_at, updated_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (*map(storable, texts), state, timestamp(now), timestamp(now)),
        )
        return cursor.lastrowid if cursor.rowcount == 1 else None


def settle(
    connection: sqlite3.Connection, platform: str, event_id: str, state: EventState, now: str
) -> None:
    """Note what became of an event. What was said in it is kept by whatever it led to.

    A `steering` one may have to be answered by itself yet: until then it is kept here.
    """
    connection.execute(
        "UPDATE inbound SET state = ?, updated_at = ?, event = iif(?, event, NULL) "
        "WHERE platform = ? AND event_id = ?",
        (state, now, state in _UNDECIDED, storable(platform), storable(event_id)),
    )


def answer_question(connection: sqlite3.Connection, question: str, answer: str) -> None:
    """Keep an answer; the first one counts."""
    connection.execute(
        "UPDATE questions SET answer = ? WHERE id = ? AND answer IS NULL",
        (storable(answer), question),
    )
