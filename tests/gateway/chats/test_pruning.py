"""Old journals are forgotten without anybody asking for it."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gateway.chats.pruning import pruned_daily
from gateway.store.journal import LifeBegun
from gateway.store.sqlite import SqliteStore


async def test_a_start_forgets_what_is_old_enough_and_keeps_the_rest(tmp_path: Path) -> None:
    now = datetime(2030, 1, 1, tzinfo=UTC)
    async with await SqliteStore.open(tmp_path / "hermes.db", now=lambda: now) as store:
        session = (await store.current_session("console")).id
        await store.journal.write([LifeBegun("old", "console", session, "sha")])
        now += timedelta(days=13)
        await store.journal.write([LifeBegun("young", "console", session, "sha")])
        now += timedelta(days=2)
        async with pruned_daily(store.journal, 14):
            while len(kept := await store.journal.lives(session)) > 1:
                continue
    assert [life.id for life in kept] == ["young"]


async def test_a_store_that_fails_is_no_reason_to_stop(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "hermes.db", now=lambda: datetime.now(UTC))
    await store.close()
    async with pruned_daily(store.journal, 14):
        for _ in range(20):
            await asyncio.sleep(0)
