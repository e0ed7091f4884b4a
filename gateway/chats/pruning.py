"""Forgets what is old enough to be forgotten, at the start and once a day."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress

import structlog

from gateway.store.errors import StoreError

EVERY_S = 86_400

Prune = Callable[[], Awaitable[int]]
"""Forgets what is old, and says how much that was."""

_log = structlog.get_logger()


@asynccontextmanager
async def pruned_daily(prunings: Mapping[str, Prune]) -> AsyncIterator[None]:
    """As long as the context lasts. The keys say in the log what is forgotten."""
    task = asyncio.create_task(_prune_daily(prunings))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _prune_daily(prunings: Mapping[str, Prune]) -> None:
    while True:
        for what, prune in prunings.items():
            try:
                forgotten = await prune()
            except StoreError as error:
                _log.warning("what is old was not forgotten", what=what, error=str(error))
            else:
                if forgotten:
                    _log.info("old entries forgotten", what=what, number=forgotten)
        await asyncio.sleep(EVERY_S)
