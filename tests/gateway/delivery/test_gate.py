"""What goes out keeps to the platform's rates: a hundred busy chats, in virtual time."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable

import pytest

from adapters.base import Address, ChatKind, Part, Rate, RateLimited, RateLimits
from gateway.delivery.gate import Gate
from gateway.delivery.persistence import Outcome
from gateway.delivery.reply import DeliverySettings, Reply, say
from tests.fakes import virtual_time
from tests.fakes.platform import FakePlatform

LIMITS = RateLimits(
    chat=Rate(per_s=1, burst=3), group=Rate(per_s=15 / 60, burst=5), total=Rate(per_s=25, burst=5)
)
CHAT = Address("telegram", "1", ChatKind.DIRECT)
GROUP = Address("telegram", "-1", ChatKind.GROUP)


class LimitedPlatform(FakePlatform):
    """Notes when what was asked of it, and takes a while for it as a network does."""

    limits = LIMITS
    edit_interval_s = 0.8

    def __init__(self) -> None:
        super().__init__()
        self.requests: defaultdict[str, list[float]] = defaultdict(list)

    async def _serve(
        self, method: str, address: Address, part: Part | None, act: Callable[[], object]
    ) -> None:
        if method in {"send", "edit"}:
            self.requests[address.chat_id].append(asyncio.get_running_loop().time())
        await asyncio.sleep(0.05)
        await super()._serve(method, address, part, act)


def most_within(times: list[float], seconds: float) -> int:
    """The most requests that fell into any stretch of that length."""
    times = sorted(times)
    return max(sum(start <= at < start + seconds for at in times) for start in times)


async def converse(platform: LimitedPlatform, settings: DeliverySettings, address: Address) -> None:
    """Three answers in a row, each of which grows for ten seconds."""
    for number in range(3):
        reply = Reply(platform, address, settings)
        async with asyncio.TaskGroup() as group:
            group.create_task(reply.stream())
            for _ in range(100):
                reply.grow("some more words ")
                await asyncio.sleep(0.1)
            outcome = await reply.finish(f"answer {number} in {address.chat_id}")
        assert outcome is Outcome.SHOWN


def test_a_hundred_busy_chats_stay_within_all_rates_and_lose_no_final_text() -> None:
    platform = LimitedPlatform()
    settings = DeliverySettings()
    addresses = [Address("telegram", str(n), ChatKind.DIRECT) for n in range(1, 81)]
    addresses += [Address("telegram", str(-n), ChatKind.GROUP) for n in range(1, 21)]

    async def all_at_once() -> float:
        async with asyncio.TaskGroup() as group:
            for address in addresses:
                group.create_task(converse(platform, settings, address))
        return asyncio.get_running_loop().time()

    took_s = virtual_time.run(all_at_once())
    for address in addresses:
        texts = platform.screens[address.chat_id].texts
        assert texts == [f"answer {n} in {address.chat_id}" for n in range(3)]
        times = platform.requests[address.chat_id]
        assert most_within(times, 1) <= 4
        assert most_within(times, 10) <= 13
        if address.kind is ChatKind.GROUP:
            assert most_within(times, 60) <= 20
    everything = [at for times in platform.requests.values() for at in times]
    assert most_within(everything, 1) <= 30
    # 300 finals are 12 s of the whole rate; previews have not kept them waiting for long.
    assert took_s < 30 + 15
    # What was left of the rates was used for previews, and nobody got all of it.
    previews = Counter({chat: len(times) - 3 for chat, times in platform.requests.items()})
    assert sum(previews.values()) > 300
    assert min(previews.values()) >= 1


def test_finals_of_one_chat_go_in_their_order_and_keep_no_other_chat_waiting() -> None:
    platform = LimitedPlatform()
    settings = DeliverySettings()

    async def flood() -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(30):
                group.create_task(say(platform, CHAT, settings, f"notice {number}"))
            group.create_task(
                say(platform, Address("telegram", "2", ChatKind.DIRECT), settings, "hello")
            )

    virtual_time.run(flood())
    shown = platform.screens["1"].texts
    at_once, in_turn = shown[:3], shown[3:]  # a burst is on its way at the same time
    assert sorted(at_once) == [f"notice {number}" for number in range(3)]
    assert in_turn == [f"notice {number}" for number in range(3, 30)]
    assert platform.requests["2"] == [0.0]
    assert platform.requests["1"][-1] >= 27


def test_a_wait_stated_to_one_text_keeps_the_others_of_its_chat_back() -> None:
    """Case 23: a wait of hours is kept by this chat alone."""
    platform = LimitedPlatform()
    platform.fail("send", RateLimited(13_938))
    settings = DeliverySettings()

    async def flood() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(say(platform, CHAT, settings, "the answer"))
            await asyncio.sleep(1)
            group.create_task(say(platform, CHAT, settings, "a notice"))
            group.create_task(say(platform, GROUP, settings, "elsewhere"))

    virtual_time.run(flood())
    assert sorted(platform.screens["1"].texts) == ["a notice", "the answer"]
    first, *others = platform.requests["1"]
    assert first == 0.0
    assert min(others) >= 13_938
    assert platform.requests["-1"] == [1.0]


def test_two_messages_of_a_chat_are_apart_though_the_first_had_to_wait_for_others() -> None:
    limits = RateLimits(chat=Rate(per_s=1), total=Rate(per_s=10))

    async def crowd() -> list[float]:
        gate, times = Gate(limits), []
        others = [Address("telegram", str(n), ChatKind.DIRECT) for n in range(100, 130)]
        async with asyncio.TaskGroup() as group:
            for other in others:
                group.create_task(gate.enter(other, Part("x")))
            await asyncio.sleep(0)  # they are before us
            for _ in range(3):
                await gate.enter(CHAT, Part("x"))
                times.append(asyncio.get_running_loop().time())
        return times

    first, second, third = virtual_time.run(crowd())
    assert first == pytest.approx(3)
    assert second - first >= 1 - 1e-9
    assert third - second >= 1 - 1e-9


def test_where_no_limits_are_stated_nothing_waits() -> None:
    async def many() -> float:
        gate = Gate(RateLimits())
        for _ in range(1_000):
            await gate.enter(CHAT, Part("x"))
            assert gate.try_enter(GROUP) == 0
        return asyncio.get_running_loop().time()

    assert virtual_time.run(many()) == 0


def test_chats_that_have_been_quiet_are_forgotten() -> None:
    async def visit() -> int:
        gate = Gate(LIMITS)
        for number in range(1_000):
            await gate.enter(Address("telegram", str(number), ChatKind.DIRECT), Part("x"))
            await asyncio.sleep(1)
        return len(gate._buckets)

    assert virtual_time.run(visit()) <= 4
