"""Copies of a database that is in use."""

import asyncio
import stat
from pathlib import Path
from typing import Any

import pytest

from gateway.store.backup import back_up
from gateway.store.errors import StoreDamaged, StoreError
from gateway.store.sqlite import SqliteStore


async def test_a_copy_made_while_it_is_written_to_is_whole_and_opens(
    path: Path, store: SqliteStore, clock: Any, tmp_path: Path
) -> None:
    session = await store.current_session("console")
    await store.append_messages(session.id, [{"role": "user", "content": "before"}])

    async def write() -> None:
        for number in range(50):
            message = {"role": "user", "content": f"{number} " * 1000}
            await store.append_messages(session.id, [message])

    writing = asyncio.create_task(write())
    target = tmp_path / "copy.db"
    size = await asyncio.to_thread(back_up, path, target)
    await writing
    assert size > 0
    assert [entry.name for entry in await asyncio.to_thread(lambda: [*tmp_path.glob("copy*")])] == [
        "copy.db"
    ]
    assert stat.S_IMODE((await asyncio.to_thread(target.stat)).st_mode) == 0o600
    async with await SqliteStore.open(target, now=clock) as restored:
        copied = await restored.history(session.id)
    assert copied == (await store.history(session.id))[: len(copied)]
    assert copied[0]["content"] == "before"


def test_nothing_is_written_over(tmp_path: Path) -> None:
    source, target = tmp_path / "hermes.db", tmp_path / "copy.db"
    with pytest.raises(StoreError, match="There is no database"):
        back_up(source, target)
    source.write_bytes(b"")
    target.write_bytes(b"precious")
    with pytest.raises(StoreError, match="never written over"):
        back_up(source, target)
    assert target.read_bytes() == b"precious"


def test_a_damaged_database_leaves_no_backup_that_looks_like_one(tmp_path: Path) -> None:
    source, target = tmp_path / "hermes.db", tmp_path / "copy.db"
    source.write_bytes(b"not a database at all" * 1000)
    with pytest.raises(StoreDamaged):
        back_up(source, target)
    assert [entry.name for entry in tmp_path.iterdir()] == ["hermes.db"]
