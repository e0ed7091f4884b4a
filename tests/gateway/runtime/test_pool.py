"""The pool: one holder at a time, the longest unused sleeps first, first come is first served."""

import asyncio
import threading
from collections.abc import Callable, Sequence

import pytest

from gateway.runtime.engine import Engine
from gateway.runtime.errors import AgentFailure, FailureKind, PoolClosed
from gateway.runtime.pool import AgentPool
from gateway.runtime.workers import THREAD_NAME_PREFIX
from tests.gateway.runtime.conftest import MIB, MakePool
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


async def test_a_cold_agent_is_told_what_wake_gives_and_a_warm_one_is_not(
    make_pool: MakePool,
) -> None:
    pool = make_pool()
    async with pool.lease("a", wake) as agent:
        assert agent.woken == ['{"n":1}']
        assert await agent.step([do("count")]) == ['{"n":2}']
    async with pool.lease("a", wake) as agent:
        assert agent.woken == []
        assert await agent.step([do("count")]) == ['{"n":3}']
    assert pool.stats().started == 1


async def test_each_chat_has_an_agent_of_its_own(make_pool: MakePool) -> None:
    pool = make_pool()
    assert await count(pool, "a") == ['{"n":2}']
    assert await count(pool, "b") == ['{"n":2}']
    assert await count(pool, "a") == ['{"n":3}']


async def test_the_longest_unused_agent_is_put_to_sleep_first(make_pool: MakePool) -> None:
    pool = make_pool(max_agents=2)
    await count(pool, "a")
    await count(pool, "b")
    await count(pool, "a")
    await count(pool, "c")  # b sleeps
    assert await count(pool, "a") == ['{"n":4}']
    assert await count(pool, "b") == ['{"n":2}']
    assert pool.stats().hibernated == 2
    assert pool.stats().warm == 2


async def test_a_leased_agent_is_never_put_to_sleep(make_pool: MakePool) -> None:
    pool = make_pool(max_agents=2)
    async with pool.lease("a", wake) as agent:
        for other in "bcdef":
            await count(pool, other)
        assert await agent.step([do("count")]) == ['{"n":2}']


async def test_idle_agents_over_the_memory_budget_are_put_to_sleep(make_pool: MakePool) -> None:
    pool = make_pool(memory_budget_bytes=4 * MIB)
    for chat in "abcdef":
        async with pool.lease(chat, wake) as agent:
            await agent.step([do("write")])  # a MiB each
    async with pool.lease("f", wake) as agent:
        assert agent.woken == []
    stats = pool.stats()
    assert stats.memory_bytes <= 4 * MIB
    assert stats.hibernated + stats.warm == 6


async def test_an_agent_that_grew_while_it_was_leased_counts_as_what_it_is(
    make_pool: MakePool,
) -> None:
    pool = make_pool()
    await count(pool, "a")
    await pool.settled()
    small = pool.stats().memory_bytes
    async with pool.lease("a", wake) as agent:
        await agent.step([do("write")])
    await pool.settled()
    assert pool.stats().memory_bytes == small + MIB


async def test_one_agent_runs_even_over_the_budget(make_pool: MakePool) -> None:
    pool = make_pool(memory_budget_bytes=1)
    assert await count(pool, "a") == ['{"n":2}']
    assert await count(pool, "b") == ['{"n":2}']


async def test_a_measured_pool_tells_how_many_fit_and_plans_with_it(make_pool: MakePool) -> None:
    pool = make_pool(max_agents=1_000, memory_budget_bytes=4 * MIB)
    found = await pool.measure(lines=[do("write")])
    assert found.bound_by == "memory budget"
    assert found.agent_bytes > MIB
    assert found.agents == 4 * MIB // found.agent_bytes == 3
    assert pool.stats().warm == 0


async def test_leases_of_one_chat_follow_each_other(make_pool: MakePool) -> None:
    pool = make_pool()
    holders = Holders(pool)
    await holders.ask("first", "a")
    await holders.held("first")
    await holders.ask("second", "a")
    await holders.ask("other", "b")
    await holders.held("other")
    assert holders.served == ["first", "other"]
    await holders.let_go("first")
    await holders.held("second")
    await holders.let_go("second")
    await holders.let_go("other")
    assert pool.stats().started == 2


async def test_who_comes_first_is_served_first(make_pool: MakePool) -> None:
    pool = make_pool(max_agents=1)
    holders = Holders(pool)
    names = ["a", "b", "c", "d", "e"]
    for name in names:
        await holders.ask(name)
    await holders.held("a")
    assert pool.stats().waiting == 4
    for name in names:
        await holders.held(name)
        await holders.let_go(name)
    assert holders.served == names
    assert pool.stats().waiting == 0


async def test_a_warm_chat_does_not_overtake_one_that_waits_longer(make_pool: MakePool) -> None:
    pool = make_pool(max_agents=1)
    holders = Holders(pool)
    await holders.ask("a1", "a")
    await holders.held("a1")
    await holders.ask("b")
    await holders.ask("a2", "a")
    await holders.let_go("a1")
    await holders.held("b")
    await holders.let_go("b")
    await holders.held("a2")
    await holders.let_go("a2")
    assert holders.served == ["a1", "b", "a2"]


async def test_who_gives_up_waiting_holds_up_nobody(make_pool: MakePool) -> None:
    pool = make_pool(max_agents=1)
    holders = Holders(pool)
    for name in ("a", "b", "c"):
        await holders.ask(name)
    await holders.held("a")
    await holders.cancel("b")
    await holders.let_go("a")
    await holders.held("c")
    await holders.let_go("c")
    assert holders.served == ["a", "c"]
    assert pool.stats().leased == 0


async def test_a_place_granted_to_someone_who_just_gave_up_is_given_to_the_next(
    make_pool: MakePool,
) -> None:
    pool = make_pool(max_agents=1)
    holders = Holders(pool)
    for name in ("a", "b", "c"):
        await holders.ask(name)
    await holders.held("a")
    a_ends = asyncio.create_task(holders.let_go("a"))
    await until(lambda: pool.stats().waiting != 2)
    await holders.cancel("b")  # has its place, but hasn't run since
    await a_ends
    await holders.held("c")
    await holders.let_go("c")
    assert pool.stats().leased == 0


async def test_a_wake_that_fails_gives_the_place_back(make_pool: MakePool) -> None:
    async def fail() -> Sequence[str]:
        raise LookupError("the store is gone")

    pool = make_pool(max_agents=1)
    with pytest.raises(LookupError, match="the store is gone"):
        async with pool.lease("a", fail):
            pytest.fail("there is no agent to lease")
    assert await count(pool, "a") == ['{"n":2}']


async def test_an_agent_that_fails_while_waking_gives_the_place_back(make_pool: MakePool) -> None:
    async def trap() -> Sequence[str]:
        return [do("trap")]

    pool = make_pool(max_agents=1)
    with pytest.raises(AgentFailure) as caught:
        async with pool.lease("a", trap):
            pytest.fail("there is no agent to lease")
    assert caught.value.kind is FailureKind.TRAPPED
    assert await count(pool, "a") == ['{"n":2}']
    assert pool.stats().failed == 1


async def test_cancelling_while_the_store_is_read_gives_the_place_back(make_pool: MakePool) -> None:
    reading = asyncio.Event()

    async def read_for_ever() -> Sequence[str]:
        reading.set()
        await asyncio.Event().wait()
        return []

    async def lease() -> None:
        async with pool.lease("a", read_for_ever):
            pytest.fail("there is no agent to lease")

    pool = make_pool(max_agents=1)
    task = asyncio.create_task(lease())
    await reading.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await count(pool, "b") == ['{"n":2}']


@pytest.mark.parametrize("action", ["loop", "count"])
async def test_cancelling_while_an_agent_wakes_gives_the_place_back_in_the_end(
    make_pool: MakePool, action: str
) -> None:
    async def lines() -> Sequence[str]:
        asyncio.get_running_loop().call_soon(task.cancel)
        return [do(action)]

    async def lease() -> None:
        async with pool.lease("a", lines):
            pytest.fail("there is no agent to lease")

    pool = make_pool(max_agents=1)
    task = asyncio.create_task(lease())
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await count(pool, "a") == ['{"n":2}']
    assert pool.stats().warm == 1


async def test_a_failed_agent_is_dropped_and_the_next_lease_starts_anew(
    make_pool: MakePool,
) -> None:
    pool = make_pool()
    async with pool.lease("a", wake) as agent:
        with pytest.raises(AgentFailure, match="of a is"):
            await agent.step([do("trap")])
        with pytest.raises(AgentFailure) as again:
            await agent.step([do("count")])
        assert again.value.kind is FailureKind.CLOSED
    assert pool.stats().warm == 0
    assert await count(pool, "a") == ['{"n":2}']


async def test_an_agent_whose_step_was_cancelled_is_dropped(make_pool: MakePool) -> None:
    pool = make_pool()
    woken = asyncio.Event()

    async def loop_for_ever() -> None:
        async with pool.lease("a", wake) as agent:
            woken.set()
            await agent.step([do("loop")])

    task = asyncio.create_task(loop_for_ever())
    await woken.wait()
    await until(lambda: pool.stats().running != 0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with pool.lease("a", wake) as agent:
        assert agent.woken == ['{"n":1}']


async def test_a_dropped_chat_starts_anew(make_pool: MakePool) -> None:
    pool = make_pool()
    await count(pool, "a")
    pool.drop("a")
    assert pool.stats().warm == 0
    assert await count(pool, "a") == ['{"n":2}']
    async with pool.lease("a", wake) as agent:
        pool.drop("a")
        assert await agent.step([do("count")]) == ['{"n":3}']  # until the lease ends
    assert await count(pool, "a") == ['{"n":2}']
    pool.drop("nobody")


async def test_while_one_agent_loops_the_others_and_the_event_loop_go_on(
    make_pool: MakePool,
) -> None:
    pool = make_pool()
    beats = 0

    async def loop_for_ever() -> None:
        async with pool.lease("loops", wake) as agent:
            await agent.step([do("loop")])

    task = asyncio.create_task(loop_for_ever())
    while not task.done():
        async with pool.lease(f"other {beats % 5}", wake) as agent:
            assert await agent.step([do("hush")]) == []
        beats += 1
    with pytest.raises(AgentFailure, match="of loops is out of time"):
        await task
    assert beats > 5


async def test_steps_of_one_lease_follow_each_other(make_pool: MakePool) -> None:
    pool = make_pool()
    async with pool.lease("a", wake) as agent:
        answers = await asyncio.gather(*(agent.step([do("count")]) for _ in range(5)))
    assert answers == [[f'{{"n":{number}}}'] for number in range(2, 7)]


async def test_a_lease_that_is_over_steps_no_more(make_pool: MakePool) -> None:
    pool = make_pool()
    async with pool.lease("a", wake) as agent:
        pass
    with pytest.raises(RuntimeError, match="the lease is over"):
        await agent.step([do("count")])


async def test_a_closed_pool_refuses_and_leaves_no_thread_and_no_agent(engine: Engine) -> None:
    before = set(threading.enumerate())
    pool = AgentPool(engine, max_agents=1, memory_budget_bytes=MIB, threads=2)
    holders = Holders(pool)
    await holders.ask("a")
    await holders.held("a")
    waits = asyncio.create_task(count(pool, "b"))
    await until(lambda: pool.stats().waiting != 0)
    await pool.close()
    with pytest.raises(PoolClosed):
        await waits
    with pytest.raises(PoolClosed):
        await count(pool, "c")
    await holders.let_go("a")
    stats = pool.stats()
    assert (stats.warm, stats.leased, stats.waiting, stats.memory_bytes) == (0, 0, 0, 0)
    left = set(threading.enumerate()) - before
    assert not [thread for thread in left if thread.name.startswith(THREAD_NAME_PREFIX)]


async def test_closing_waits_for_a_step_that_runs(engine: Engine) -> None:
    pool = AgentPool(engine, max_agents=1, memory_budget_bytes=MIB, threads=1)

    async def loop_for_ever() -> None:
        async with pool.lease("a", wake) as agent:
            await agent.step([do("loop")])

    task = asyncio.create_task(loop_for_ever())
    await until(lambda: pool.stats().started != 0)
    await pool.close()
    with pytest.raises(AgentFailure) as caught:
        await task
    assert caught.value.kind is FailureKind.OUT_OF_TIME
    assert pool.stats().warm == 0
