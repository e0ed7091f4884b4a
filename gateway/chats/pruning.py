"""Forgets journals that are old enough, at the start and once a day."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import structlog

from gateway.store.errors import StoreError
from gateway.store.journal import JournalStore

EVERY_S = 86_400

_log = structlog.get_logger()


@asynccontextmanager
async def pruned_daily(journal: JournalStore, keep_days: int) -> AsyncIterator[None]:
    """As long as the context lasts."""
    task = asyncio.create_task(_prune_daily(journal, keep_days))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _prune_daily(journal: JournalStore, keep_days: int) -> None:
    while True:
        try:
            forgotten = await journal.prune(keep_days)
        except StoreError as error:
            _log.warning("old journals were not forgotten", error=str(error))
        else:
            if forgotten:
                _log.info("old journals forgotten", lives=forgotten)
        await asyncio.sleep(EVERY_S)
