"""Warm agents, few enough to fit: who gets one, who waits, and who is put to sleep.

An agent is leased to one user at a time and never touched by the pool while it is. Idle ones are
kept, the longest unused going first, under a count and a memory budget. Hibernating is dropping:
what a chat needs to wake again is in the store, and the caller brings it along as `wake`. All
bookkeeping happens on the event loop; whatever blocks runs on a few threads.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

import structlog

from gateway.runtime.base import Instance, Runtime
from gateway.runtime.capacity import FIRST_LINES, Capacity, capacity, mappable_agents, measure_agent
from gateway.runtime.errors import AgentFailure, FailureKind, NoRoom, PoolClosed
from gateway.runtime.workers import Workers

_GUESSED_AGENT_BYTES: Final = 1_048_576  # until one was measured

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


@dataclass(slots=True, eq=False)
class _Slot:
    """A place for a chat's agent."""

    chat: str
    bytes: int
    instance: Instance | None = None
    memo: object = None
    job: Future[Any] | None = None  # the last that ran, or runs, for it
    is_broken: bool = False  # it failed, or nobody took what it answered: no more steps
    is_unwanted: bool = False  # to be dropped when the lease ends


@dataclass(slots=True, eq=False)
class _Waiter:
    chat: str
    granted: asyncio.Future[_Slot]


class LeasedAgent:
    """One chat's agent, for its holder alone until the lease ends."""

    def __init__(self, pool: "AgentPool", slot: _Slot) -> None:
        self.woken: list[str] = []  # what it answered to the lines of `wake`; empty if it was warm
        self._pool = pool
        self._slot: _Slot | None = slot
        self._turn = asyncio.Lock()

    @property
    def memo(self) -> object:
        """What its holders have left with this agent for those who come after; at first None."""
        return self._slot and self._slot.memo

    @memo.setter
    def memo(self, memo: object) -> None:
        if self._slot is not None:
            self._slot.memo = memo

    async def step(self, lines: Sequence[str]) -> list[str]:
        """Feed lines and return those answered; several calls at once are served in order.

        Raises `AgentFailure`; from then on, and after a step that was cancelled while it ran, the
        agent takes no more steps and is dropped when the lease ends.
        """
        async with self._turn:
            if self._slot is None:
                raise RuntimeError("the lease is over")
            return await self._pool._step(self._slot, lines)

    def _end(self) -> None:
        self._slot = None


class AgentPool:
    """Leases agents of one runtime. Belongs to one event loop; the runtime stays the caller's."""

    def __init__(
        self, runtime: Runtime, *, max_agents: int, memory_budget_bytes: int, threads: int
    ) -> None:
        self._runtime = runtime
        self._max_agents = max_agents
        self._budget_bytes = memory_budget_bytes
        self._workers = Workers(threads)
        self._idle: OrderedDict[str, _Slot] = OrderedDict()  # the longest unused first
        self._leased: dict[str, _Slot] = {}
        self._waiting: list[_Waiter] = []
        self._bytes = 0
        self._agent_bytes = _GUESSED_AGENT_BYTES
        self._started = self._hibernated = self._failed = 0
        self._is_closed = False

    @property
    def artefact(self) -> str:
        """Which agent is run."""
        return self._runtime.artefact

    async def measure(self, lines: Sequence[str] = FIRST_LINES) -> Capacity:
        """Find out, by starting a few agents and a turn of each, how many fit.

        Logs it, and plans with it. `lines` is what an agent is told for that.
        """
        self._agent_bytes = await self._workers.run(partial(measure_agent, self._runtime, lines))
        mappable = None
        if self._runtime.name == "wasm":
            mappable = await self._workers.run(mappable_agents)
        found = capacity(
            agent_bytes=self._agent_bytes,
            max_agents=self._max_agents,
            memory_budget_bytes=self._budget_bytes,
            mappable_agents=mappable,
        )
        self._max_agents = min(self._max_agents, mappable or self._max_agents)
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
        slot = await self._take(chat)
        async with self._lent(slot, wake) as agent:
            yield agent

    @asynccontextmanager
    async def lease_extra(self, name: str, wake: Wake) -> AsyncIterator[LeasedAgent]:
        """Have a new agent beside the one that one holds; it is closed afterwards.

        It never waits, so it may go beyond the count and the budget: use few. `name` has to be new.
        Raises as `lease` does.
        """
        if self._is_closed:
            raise PoolClosed("the agents are being closed")
        if name in self._leased or name in self._idle:
            raise ValueError(f"there is an agent named {name!r}")
        self._make_room()
        slot = self._leased[name] = _Slot(name, 0, is_unwanted=True)
        self._weigh(slot, self._agent_bytes)
        async with self._lent(slot, wake) as agent:
            yield agent

    @asynccontextmanager
    async def _lent(self, slot: _Slot, wake: Wake) -> AsyncIterator[LeasedAgent]:
        agent = LeasedAgent(self, slot)
        try:
            if slot.instance is None:
                agent.woken = await self._wake(slot, await wake())
            yield agent
        finally:
            agent._end()
            self._give_back(slot)

    def drop(self, chat: str) -> None:
        """Forget a chat's warm agent: at once, or when its lease ends."""
        if chat in self._leased:
            self._leased[chat].is_unwanted = True
        elif chat in self._idle:
            self._discard(self._idle.pop(chat))
            self._grant()

    def drop_all(self) -> None:
        """Forget all warm agents, as `drop` does."""
        for chat in (*self._leased, *self._idle):
            self.drop(chat)

    async def probe(self) -> None:
        """Start an agent that nobody needs. Raises `RuntimeFailure` if that is not possible."""
        if self._is_closed:
            raise PoolClosed("the agents are being closed")
        await self._workers.run(partial(_start_and_close, self._runtime))

    def stats(self) -> PoolStats:
        """A snapshot of the counts."""
        return PoolStats(
            warm=len(self._idle) + len(self._leased),
            leased=len(self._leased),
            waiting=len(self._waiting),
            running=self._workers.running(),
            memory_bytes=self._bytes,
            started=self._started,
            hibernated=self._hibernated,
            failed=self._failed,
        )

    async def settled(self) -> None:
        """Until all that goes on in the background, measuring and closing, is done."""
        await self._workers.wait_idle()
        await asyncio.sleep(0)  # what was measured has been noted

    async def close(self) -> None:
        """Let running steps end, close all agents and end the threads. Leases find it closed."""
        self._is_closed = True
        for waiter in self._waiting:
            if not waiter.granted.done():
                waiter.granted.set_exception(PoolClosed("the agents are being closed"))
        self._waiting.clear()
        while self._idle:
            self._discard(self._idle.popitem()[1])
        await self._workers.wait_idle()
        for slot in self._leased.values():
            self._close_instance(slot)
        await self._workers.close()

    # Places

    async def _take(self, chat: str) -> _Slot:
        if self._is_closed:
            raise PoolClosed("the agents are being closed")
        waiter = _Waiter(chat, asyncio.get_running_loop().create_future())
        self._waiting.append(waiter)
        self._grant()
        try:
            return await waiter.granted
        except asyncio.CancelledError:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
                self._grant()
            elif not waiter.granted.cancelled() and waiter.granted.exception() is None:
                self._give_back(waiter.granted.result())
            raise

    def _grant(self) -> None:
        """Give places to those who wait, in their order; who waits for a busy chat is passed."""
        has_room = True
        for waiter in tuple(self._waiting):
            if waiter.granted.done() or waiter.chat in self._leased:
                continue
            slot = self._idle.pop(waiter.chat, None)
            if slot is None:
                has_room = has_room and self._make_room()
                if not has_room:
                    continue
                slot = _Slot(waiter.chat, 0)
                self._weigh(slot, self._agent_bytes)
            self._leased[waiter.chat] = slot
            self._waiting.remove(waiter)
            waiter.granted.set_result(slot)

    def _make_room(self) -> bool:
        """Whether another agent may start, after putting to sleep whom it takes."""
        while not self._is_room():
            if not self._idle:
                return False
            self._hibernate_oldest()
        return True

    def _is_room(self) -> bool:
        warm = len(self._idle) + len(self._leased)
        # One agent may always run, or a small budget would mean that nobody is ever answered.
        return warm == 0 or (
            warm < self._max_agents and self._bytes + self._agent_bytes <= self._budget_bytes
        )

    def _give_back(self, slot: _Slot) -> None:
        job = slot.job
        if job is not None and not job.done():
            # A step that was given up still runs: the place stays taken until it ends.
            loop = asyncio.get_running_loop()
            job.add_done_callback(lambda _: loop.call_soon_threadsafe(self._settle, slot))
        else:
            self._settle(slot)

    def _settle(self, slot: _Slot) -> None:
        del self._leased[slot.chat]
        is_lost = slot.is_broken or slot.is_unwanted or slot.instance is None
        if is_lost or self._is_closed:
            self._discard(slot)
        else:
            self._idle[slot.chat] = slot
            self._put_to_rest(slot)
        self._grant()

    def _put_to_rest(self, slot: _Slot) -> None:
        loop, instance = asyncio.get_running_loop(), slot.instance
        if instance is None:
            return

        def hand_over(job: Future[int]) -> None:
            loop.call_soon_threadsafe(self._measured, slot, instance, job.result())

        # Closing cancels nothing and waits for this one too, so the loop is there to be told.
        self._workers.submit(instance.rest).add_done_callback(hand_over)

    def _measured(self, slot: _Slot, instance: Instance, size: int) -> None:
        if slot.instance is not instance:
            return  # put to sleep in the meantime
        self._weigh(slot, size)
        while self._bytes > self._budget_bytes and self._idle:
            self._hibernate_oldest()
        self._grant()

    def _hibernate_oldest(self) -> None:
        chat, slot = self._idle.popitem(last=False)
        _log.debug("hibernated", chat=chat, kib=slot.bytes // 1024)
        self._hibernated += 1
        self._discard(slot)

    def _discard(self, slot: _Slot) -> None:
        self._weigh(slot, 0)
        self._close_instance(slot)

    def _weigh(self, slot: _Slot, size: int) -> None:
        self._bytes += size - slot.bytes
        slot.bytes = size

    def _close_instance(self, slot: _Slot) -> None:
        instance, slot.instance = slot.instance, None
        if instance is not None:
            self._workers.submit(instance.close)

    # Work

    async def _wake(self, slot: _Slot, lines: Sequence[str]) -> list[str]:
        while True:
            try:
                answered, size = await self._work(slot, partial(_start, self._runtime, slot, lines))
            except NoRoom:
                if not self._idle:
                    raise
                # What the system gives is less than the budget: go on with what there is.
                self._hibernate_oldest()
                continue
            self._started += 1
            self._weigh(slot, size)
            return answered

    async def _step(self, slot: _Slot, lines: Sequence[str]) -> list[str]:
        instance = slot.instance
        if slot.is_broken or instance is None:
            raise AgentFailure(slot.chat, FailureKind.CLOSED, "it can't be stepped any more")
        return await self._work(slot, partial(instance.step, lines))

    async def _work(self, slot: _Slot, work: Callable[[], _T]) -> _T:
        if self._is_closed:
            raise PoolClosed("the agents are being closed")
        job = self._workers.submit(work)
        slot.job = job
        try:
            return await asyncio.wrap_future(job)
        except asyncio.CancelledError:
            # Unless it had not begun, the agent has gone on and what it said is lost.
            slot.is_broken = slot.is_broken or not job.cancel()
            raise
        except NoRoom:
            raise
        except Exception as error:
            slot.is_broken = True
            self._failed += isinstance(error, AgentFailure)
            raise


def _start_and_close(runtime: Runtime) -> None:
    runtime.start("probe").close()


def _start(runtime: Runtime, slot: _Slot, lines: Sequence[str]) -> tuple[list[str], int]:
    """Runs on a thread; the event loop looks at the slot's instance only when this is over."""
    slot.instance = runtime.start(slot.chat)
    return slot.instance.step(lines), slot.instance.memory_bytes()
