"""The pool: one holder at a time, the longest unused sleeps first, first come is first served."""

import asyncio

import pytest

from tests.gateway.runtime.conftest import MIB, MakePool
from tests.gateway.runtime.leases import Holders, count, wake
from tests.gateway.runtime.wat_agents import do


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
