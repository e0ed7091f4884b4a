"""Every turn that a test has had is fed again to another agent, which has to answer the same."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from gateway.replay import replay
from gateway.runtime.native import NativeRuntime
from gateway.store.journal import Life, StoredStep
from gateway.store.sqlite import FILE_NAME, SqliteStore


async def everything_replays(folder: Path) -> None:
    """Feed all that a data folder's journal holds to agents in plain Python, which also compares
    them with those in Wasm if the turns ran there.
    """
    if not await asyncio.to_thread((folder / FILE_NAME).exists):
        return
    async with await SqliteStore.open(folder / FILE_NAME, now=lambda: datetime.now(UTC)) as store:
        async with store._database.reading() as connection:
            rows = await connection.execute_fetchall(
                "SELECT id, chat, session_id, artefact, begun_at FROM lives"
            )
        lives = [Life(*row) for row in rows]
        stored = [(life, await store.journal.steps(life.id)) for life in lives]
    await asyncio.to_thread(_compare, stored)


def _compare(stored: Sequence[tuple[Life, Sequence[StoredStep]]]) -> None:
    runtime = NativeRuntime()
    for life, steps in stored:
        for replayed in replay(runtime, life, steps):
            assert replayed.is_same, f"step {replayed.step.number}: {replayed.step.lines}"
