"""Warm agents, lent out: started, stepped and put to rest on a few threads.

An agent is leased to one user at a time and never touched by the pool while it is. Hibernating is
dropping: what a chat needs to wake again is in the store, and the caller brings it along as `wake`.
How many agents there may be, and whose turn it is to have one, is `places`' business.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import structlog

from gateway.runtime.base import Instance, Runtime
from gateway.runtime.capacity import FIRST_LINES, Capacity, capacity, mappable_agents, measure_agent
from gateway.runtime.errors import AgentFailure, FailureKind, NoRoom
from gateway.runtime.places import Place, Places
from gateway.runtime.workers import Workers

_log = structlog.get_logger(__name__)

_T = TypeVar("_T")

Wake = Callable[[], Awaitable[Sequence[str]]]
"""Gives the lines that a new agent of the chat is told first, `init` before all."""


@dataclass(frozen=True, slots=True)
class PoolStats:
    """What the pool has and has done."""

    warm: int  # leased ones included
    leased: int
    waiting: int
    running: int  # jobs on the threads: steps, starts, closings
    memory_bytes: int  # of all warm agents, as last measured
    started: int
    hibernated: int
    failed: int


class LeasedAgent:
    """One chat's agent, for its holder alone until the lease ends."""

    def __init__(self, pool: "AgentPool", place: Place) -> None:
        self.woken: list[str] = []  # what it answered to the lines of `wake`; empty if it was warm
        self._pool = pool
        self._place: Place | None = place
        self._turn = asyncio.Lock()

    @property
    def memo(self) -> object:
        """What its holders have left with this agent for those who come after; at first None."""
        return self._place and self._place.memo

    @memo.setter
    def memo(self, memo: object) -> None:
        if self._place is not None:
            self._place.memo = memo

    async def step(self, lines: Sequence[str]) -> list[str]:
        """Feed lines and return those answered; several calls at once are served in order.

        Raises `AgentFailure`; from then on, and after a step that was cancelled while it ran, the
        agent takes no more steps and is dropped when the lease ends.
        """
        async with self._turn:
            if self._place is None:
                raise RuntimeError("the lease is over")
            return await self._pool._step(self._place, lines)

    def _end(self) -> None:
        self._place = None


class AgentPool:
    """Leases agents of one runtime. Belongs to one event loop; the runtime stays the caller's."""

    def __init__(
        self, runtime: Runtime, *, max_agents: int, memory_budget_bytes: int, threads: int
    ) -> None:
        self._runtime = runtime
        self._workers = Workers(threads)
        self._places = Places(
            max_agents=max_agents, budget_bytes=memory_budget_bytes, discard=self._close_agent
        )
        self._started = self._failed = 0

    @property
    def artefact(self) -> str:
        """Which agent is run."""
        return self._runtime.artefact

    async def measure(self, lines: Sequence[str] = FIRST_LINES) -> Capacity:
        """Find out, by starting a few agents and a turn of each, how many fit.

        Logs it, and plans with it. `lines` is what an agent is told for that.
        """
        places = self._places
        places.agent_bytes = await self._workers.run(partial(measure_agent, self._runtime, lines))
        mappable = None
        if self._runtime.name == "wasm":
            mappable = await self._workers.run(mappable_agents)
        found = capacity(
            agent_bytes=places.agent_bytes,
            max_agents=places.max_agents,
            memory_budget_bytes=places.budget_bytes,
            mappable_agents=mappable,
        )
        places.max_agents = min(places.max_agents, mappable or places.max_agents)
        _log.info(
            "capacity",
            warm_agents=found.agents,
            bound_by=found.bound_by,
            agent_kib=found.agent_bytes // 1024,
            runtime=self._runtime.name,
        )
        return found

    @asynccontextmanager
    async def lease(self, chat: str, wake: Wake) -> AsyncIterator[LeasedAgent]:
        """Have the chat's agent for oneself; waits, first come first served, until one may be had.

        A cold chat's agent is started and told what `wake` gives. Raises what `wake` raises,
        `AgentFailure`, `NoRoom` and `PoolClosed`. Whoever leases a second agent while holding one
        risks waiting for ever.
        """
        async with self._lent(await self._places.take(chat), wake) as agent:
            yield agent

    @asynccontextmanager
    async def lease_extra(self, name: str, wake: Wake) -> AsyncIterator[LeasedAgent]:
        """Have a new agent beside the one that one holds; it is closed afterwards.

        It never waits, so it may go beyond the count and the budget: use few. `name` has to be new.
        Raises as `lease` does.
        """
        async with self._lent(self._places.take_extra(name), wake) as agent:
            yield agent

    @asynccontextmanager
    async def _lent(self, place: Place, wake: Wake) -> AsyncIterator[LeasedAgent]:
        agent = LeasedAgent(self, place)
        try:
            if place.instance is None:
                agent.woken = await self._wake(place, await wake())
            yield agent
        finally:
            agent._end()
            self._give_back(place)

    def drop(self, chat: str) -> None:
        """Forget a chat's warm agent: at once, or when its lease ends."""
        self._places.drop(chat)

    def drop_all(self) -> None:
        """Forget all warm agents, as `drop` does."""
        for chat in (*self._places.leased, *self._places.idle):
            self.drop(chat)

    async def probe(self) -> None:
        """Start an agent that nobody needs. Raises `RuntimeFailure` if that is not possible."""
        self._places.check_open()
        await self._workers.run(partial(_start_and_close, self._runtime))

    def stats(self) -> PoolStats:
        """A snapshot of the counts."""
        places = self._places
        return PoolStats(
            warm=places.warm,
            leased=len(places.leased),
            waiting=places.waiting,
            running=self._workers.running(),
            memory_bytes=places.bytes,
            started=self._started,
            hibernated=places.hibernated,
            failed=self._failed,
        )

    async def settled(self) -> None:
        """Until all that goes on in the background, measuring and closing, is done."""
        await self._workers.wait_idle()
        await asyncio.sleep(0)  # what was measured has been noted

    async def close(self) -> None:
        """Let running steps end, close all agents and end the threads. Leases find it closed."""
        self._places.close()
        await self._workers.wait_idle()
        for place in self._places.leased.values():
            self._close_agent(place)
        await self._workers.close()

    def _give_back(self, place: Place) -> None:
        job = place.job
        if job is not None and not job.done():
            # A step that was given up still runs: the place stays taken until it ends.
            loop = asyncio.get_running_loop()
            job.add_done_callback(lambda _: loop.call_soon_threadsafe(self._settle, place))
        else:
            self._settle(place)

    def _settle(self, place: Place) -> None:
        if place.is_worth_keeping and not self._places.is_closed:
            self._put_to_rest(place)  # before anybody else can have it
        self._places.leave(place)

    def _put_to_rest(self, place: Place) -> None:
        loop, instance = asyncio.get_running_loop(), place.instance
        if instance is None:
            return

        def hand_over(job: Future[int]) -> None:
            loop.call_soon_threadsafe(self._measured, place, instance, job.result())

        # Closing cancels nothing and waits for this one too, so the loop is there to be told.
        self._workers.submit(instance.rest).add_done_callback(hand_over)

    def _measured(self, place: Place, instance: Instance, size: int) -> None:
        if place.instance is not instance:
            return  # put to sleep in the meantime
        self._places.weigh(place, size)
        self._places.keep_to_budget()

    def _close_agent(self, place: Place) -> None:
        instance, place.instance = place.instance, None
        if instance is not None:
            self._workers.submit(instance.close)

    async def _wake(self, place: Place, lines: Sequence[str]) -> list[str]:
        while True:
            try:
                answered, size = await self._work(
                    place, partial(_start, self._runtime, place, lines)
                )
            except NoRoom:
                if not self._places.idle:
                    raise
                # What the system gives is less than the budget: go on with what there is.
                self._places.hibernate_oldest()
                continue
            self._started += 1
            self._places.weigh(place, size)
            return answered

    async def _step(self, place: Place, lines: Sequence[str]) -> list[str]:
        instance = place.instance
        if place.is_broken or instance is None:
            raise AgentFailure(place.chat, FailureKind.CLOSED, "it can't be stepped any more")
        return await self._work(place, partial(instance.step, lines))

    async def _work(self, place: Place, work: Callable[[], _T]) -> _T:
        self._places.check_open()
        job = self._workers.submit(work)
        place.job = job
        try:
            return await asyncio.wrap_future(job)
        except asyncio.CancelledError:
            # Unless it had not begun, the agent has gone on and what it said is lost.
            place.is_broken = place.is_broken or not job.cancel()
            raise
        except NoRoom:
            raise
        except Exception as error:
            place.is_broken = True
            self._failed += isinstance(error, AgentFailure)
            raise


def _start_and_close(runtime: Runtime) -> None:
    runtime.start("probe").close()


def _start(runtime: Runtime, place: Place, lines: Sequence[str]) -> tuple[list[str], int]:
    """Runs on a thread; the event loop looks at the place's instance only when this is over."""
    place.instance = runtime.start(place.chat)
    return place.instance.step(lines), place.instance.memory_bytes()
