"""What comes in is taken once, and kept until something has become of it."""

import asyncio
import sqlite3
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from gateway.store.inbound import Incoming
from gateway.store.sqlite import SqliteStore


def incoming(event_id: str, platform: str = "telegram") -> Incoming:
    return Incoming(platform, event_id, "telegram:dm:1", f'{{"event": "{event_id}"}}')


async def test_an_event_is_taken_once_and_restarts_do_not_change_that(
    path: Path, clock: Callable[[], datetime]
) -> None:
    async with await SqliteStore.open(path, now=clock) as store:
        assert await store.inbound.take(incoming("1"))
        assert not await store.inbound.take(incoming("1"))
        assert await store.inbound.take(incoming("1", "discord"))
    async with await SqliteStore.open(path, now=clock) as store:
        assert not await store.inbound.take(incoming("1"))
        assert await store.inbound.take(incoming("2"))


async def test_of_many_who_take_an_event_at_once_one_gets_it(store: SqliteStore) -> None:
    taken = await asyncio.gather(*(store.inbound.take(incoming("7")) for _ in range(50)))
    assert sum(taken) == 1


async def test_what_nothing_has_become_of_waits_in_its_order(store: SqliteStore) -> None:
    for name in "abcd":
        await store.inbound.take(incoming(name))
    await store.inbound.take(incoming("command"), is_command=True)
    await store.inbound.settle("telegram", "b", "done")
    await store.inbound.settle("telegram", "c", "refused")
    assert await store.inbound.waiting() == ['{"event": "a"}', '{"event": "d"}']
    assert await store.inbound.cut_off() == ['{"event": "command"}']


async def test_events_are_forgotten_after_30_days_unless_they_wait(path: Path, clock: Any) -> None:
    async with await SqliteStore.open(path, now=clock) as store:
        for name in ("old", "waits"):
            await store.inbound.take(incoming(name))
        await store.inbound.settle("telegram", "old", "done")
        clock.move(timedelta(days=29))
        await store.inbound.take(incoming("newer"))
        assert not await store.inbound.take(incoming("old"))
        clock.move(timedelta(days=2))
        assert await store.inbound.take(incoming("much newer"))
        assert await store.inbound.take(incoming("old"))
        assert not await store.inbound.take(incoming("waits"))


async def test_events_that_an_older_version_has_seen_are_still_known(
    path: Path, clock: Callable[[], datetime]
) -> None:
    path.parent.mkdir()
    first = Path(__file__).parents[3] / "gateway/store/migrations/0001_first.sql"
    connection = sqlite3.connect(path)
    connection.executescript(first.read_text())
    connection.execute("INSERT INTO events VALUES ('telegram', '1', '2030-01-01T00:00:00.000000')")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()
    async with await SqliteStore.open(path, now=clock) as store:
        assert not await store.inbound.take(incoming("1"))
        assert await store.inbound.waiting() == []
