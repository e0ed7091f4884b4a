"""The pool when things go wrong: whoever fails, gives up or is cancelled holds up nobody."""

import asyncio
import threading
from collections.abc import Sequence

import pytest

from gateway.runtime.engine import Engine
from gateway.runtime.errors import AgentFailure, FailureKind, PoolClosed
from gateway.runtime.pool import AgentPool
from gateway.runtime.workers import THREAD_NAME_PREFIX
from tests.gateway.runtime.conftest import MIB, MakePool
from tests.gateway.runtime.leases import Holders, count, until, wake
from tests.gateway.runtime.wat_agents import do


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
