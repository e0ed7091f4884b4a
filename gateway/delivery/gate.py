"""The way out to a platform: what is sent or edited passes here, as fast as the platform allows.

Owns the buckets of one platform's chats, and the waiting. The arithmetic is in `rates`; what the
platform allows is said by its adapter (`Adapter.limits`). What a platform refuses all the same is
`persistence`'s; here it keeps the other texts of that chat back, too.
"""

import asyncio
from itertools import islice
from weakref import WeakKeyDictionary

from adapters.base import Adapter, Address, ChatKind, Part, Rate, RateLimits
from gateway.delivery.rates import Bucket, full, is_full, spare_in_s, spend, used

_Key = tuple[str, str]

_TOTAL: _Key = ("total", "")


class Gate:
    """The way out to one platform."""

    def __init__(self, limits: RateLimits) -> None:
        self._limits = limits
        self._buckets: dict[_Key, Bucket] = {}
        self._held_until_s: dict[str, float] = {}  # chats that the platform wants to be left alone

    async def enter(self, address: Address, part: Part) -> None:
        """Wait until a part may go there. Nobody who came later goes first."""
        cost = max(1, len(part.files)) if self._limits.counts_files else 1
        while (wait_s := self._held_for_s(address)) > 0:  # noqa: ASYNC110 - the wait may grow
            await asyncio.sleep(wait_s)
        # One after the other: a chat that waits for itself takes nothing from the others meanwhile.
        for key, rate in self._rates(address):
            now_s = _now_s()
            bucket = self._buckets.get(key) or full(rate, now_s)
            self._buckets[key], wait_s = spend(bucket, rate, now_s, cost)
            if wait_s:
                await asyncio.sleep(wait_s)
        self._use(address, cost)
        self._forget()

    def try_enter(self, address: Address) -> float:
        """Pass if nobody has to wait for it, for what may be left out.

        Returns 0 if it may go, else in how many seconds it is worth to ask again.
        """
        now_s = _now_s()
        rates = self._rates(address)
        found = [self._buckets.get(key) or full(rate, now_s) for key, rate in rates]
        waits = (
            spare_in_s(bucket, rate, now_s) for bucket, (_, rate) in zip(found, rates, strict=True)
        )
        wait_s = max((self._held_for_s(address), *waits))
        if wait_s <= 0:
            for bucket, (key, rate) in zip(found, rates, strict=True):
                self._buckets[key], _ = spend(bucket, rate, now_s)
            self._forget()
        return wait_s

    def _use(self, address: Address, cost: int) -> None:
        """What goes only now, having waited for the last bucket, is missing from now on.

        Of one message a burst makes up for that.
        """
        now_s = _now_s()
        for key, rate in self._rates(address):
            if cost > 1 or rate.burst == 1:
                bucket = self._buckets.get(key) or full(rate, now_s)  # it may be forgotten by now
                self._buckets[key] = used(bucket, rate, now_s, cost)

    def hold(self, address: Address, seconds: float) -> None:
        """The platform has said that it takes nothing for this chat for a while."""
        until_s = _now_s() + seconds
        self._held_until_s[address.chat_id] = max(
            until_s, self._held_until_s.get(address.chat_id, until_s)
        )

    def _held_for_s(self, address: Address) -> float:
        until_s = self._held_until_s.get(address.chat_id)
        if until_s is None:
            return 0.0
        left_s = until_s - _now_s()
        if left_s <= 0:
            del self._held_until_s[address.chat_id]
        return max(0.0, left_s)

    def _rates(self, address: Address) -> list[tuple[_Key, Rate]]:
        limits = self._limits
        is_group = address.kind is ChatKind.GROUP
        stated: list[tuple[_Key, Rate | None]] = [
            (("chat", address.chat_id), limits.chat),
            (("group", address.chat_id), limits.group if is_group else None),
            (_TOTAL, limits.total),
        ]
        return [(key, rate) for key, rate in stated if rate is not None]

    def _forget(self) -> None:
        """Drop the oldest buckets that are full again: more at a time than a message adds."""
        now_s = _now_s()
        rates = {
            "chat": self._limits.chat,
            "group": self._limits.group,
            "total": self._limits.total,
        }
        for key in list(islice(self._buckets, 4)):
            rate, bucket = rates[key[0]], self._buckets.pop(key)
            if rate is not None and not is_full(bucket, rate, now_s):
                self._buckets[key] = bucket  # behind the others, so that these are looked at next


class Gates:
    """The ways out to all platforms; each is made when something first goes there."""

    def __init__(self) -> None:
        self._gates: WeakKeyDictionary[Adapter, Gate] = WeakKeyDictionary()

    def of(self, adapter: Adapter) -> Gate:
        """The one way out to an adapter's platform."""
        gate = self._gates.get(adapter)
        if gate is None:
            gate = self._gates[adapter] = Gate(adapter.limits)
        return gate


def _now_s() -> float:
    return asyncio.get_running_loop().time()
