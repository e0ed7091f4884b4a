"""Old journals are forgotten without anybody asking for it."""

import asyncio
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from config.settings import Settings
from gateway.chats.pruning import pruned_daily
from gateway.parts import prunings
from gateway.store.journal import LifeBegun
from gateway.store.sqlite import SqliteStore
from gateway.store.usage import ModelCall

NOW = datetime(2030, 1, 1, tzinfo=UTC)


async def test_a_start_forgets_what_is_old_enough_and_keeps_the_rest(tmp_path: Path) -> None:
    now = datetime(2030, 1, 1, tzinfo=UTC)
    async with await SqliteStore.open(tmp_path / "hermes.db", now=lambda: now) as store:
        session = (await store.current_session("console")).id
        await store.journal.write([LifeBegun("old", "console", session, "sha")])
        now += timedelta(days=13)
        await store.journal.write([LifeBegun("young", "console", session, "sha")])
        now += timedelta(days=2)
        async with pruned_daily({"journals": partial(store.journal.prune, 14)}):
            while len(kept := await store.journal.lives(session)) > 1:
                continue
    assert [life.id for life in kept] == ["young"]


async def test_the_ledger_of_calls_forgets_days_too(tmp_path: Path) -> None:
    async with await SqliteStore.open(tmp_path / "hermes.db", now=lambda: NOW) as store:
        for day in ("2028-11-01", "2028-12-01", "2030-01-01"):
            await store.usage.record(call_on(day))
        prune = prunings(store, Settings(), lambda: NOW)["model calls"]
        assert await prune() == 1
        assert (await store.usage.usage("all", "")).calls == 2


def call_on(day: str) -> ModelCall:
    return ModelCall(day, "console", "console:local", "demo", "demo", "turn", 1, 0, 1, 0, 0, "ok")


async def test_a_store_that_fails_is_no_reason_to_stop(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "hermes.db", now=lambda: datetime.now(UTC))
    await store.close()
    async with pruned_daily({"journals": partial(store.journal.prune, 14)}):
        for _ in range(20):
            await asyncio.sleep(0)
