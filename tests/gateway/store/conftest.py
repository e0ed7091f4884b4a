"""A real database file, and a clock that tests turn by hand."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gateway.store.sqlite import SqliteStore


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.time = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def move(self, by: timedelta) -> None:
        self.time += by


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "hermes.db"


@pytest.fixture
async def store(path: Path, clock: Clock) -> AsyncIterator[SqliteStore]:
    async with await SqliteStore.open(path, now=clock) as opened:
        yield opened
