"""Users of a pool: what a chat asks of it, and tasks that hold leases until they are told."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from gateway.runtime.pool import AgentPool
from tests.gateway.runtime.wat_agents import do


async def wake() -> Sequence[str]:
    """A cold chat's first line: its agent counts to 1."""
    return [do("count")]


async def until(claim: Callable[[], bool]) -> None:
    """Let the others run until something is true; the time limit of the test is the limit."""
    while not claim():  # noqa: ASYNC110 - what is waited for has no event to wait for
        await asyncio.sleep(0)


async def count(pool: AgentPool, chat: str) -> list[str]:
    async with pool.lease(chat, wake) as agent:
        return await agent.step([do("count")])


class Holders:
    """Leases held by tasks until they are told to let go."""

    def __init__(self, pool: AgentPool) -> None:
        self._pool = pool
        self.served: list[str] = []
        self._release: dict[str, asyncio.Event] = {}
        self._holding: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def _hold(self, name: str, chat: str) -> None:
        async with self._pool.lease(chat, wake):
            self.served.append(name)
            self._holding[name].set()
            await self._release[name].wait()

    async def ask(self, name: str, chat: str | None = None) -> None:
        """Begin to wait for a lease; returns once the wait, or the lease, has begun."""
        asked = self._pool.stats().leased + self._pool.stats().waiting
        self._release[name], self._holding[name] = asyncio.Event(), asyncio.Event()
        self._tasks[name] = asyncio.create_task(self._hold(name, chat or name))
        await until(lambda: self._pool.stats().leased + self._pool.stats().waiting != asked)

    async def held(self, name: str) -> None:
        await self._holding[name].wait()

    async def let_go(self, name: str) -> None:
        self._release[name].set()
        await self._tasks[name]

    async def cancel(self, name: str) -> None:
        self._tasks[name].cancel()
        with pytest.raises(asyncio.CancelledError):
            await self._tasks[name]
