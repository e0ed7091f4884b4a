"""Places for warm agents: who gets one, who waits, and who is put to sleep for another.

A place is leased to one chat at a time; places that are not leased keep their agents, the longest
unused going first, under a count and a memory budget. All of it happens on the event loop. What
agents are and do, and the threads on which they do it, are `pool`'s business.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Final

import structlog

from gateway.runtime.base import Instance
from gateway.runtime.errors import PoolClosed

_GUESSED_AGENT_BYTES: Final = 1_048_576  # until one was measured

_log = structlog.get_logger(__name__)


@dataclass(slots=True, eq=False)
class Place:
    """A place for a chat's agent, and what `pool` knows of that."""

    chat: str
    bytes: int
    instance: Instance | None = None
    memo: object = None
    job: Future[Any] | None = None  # the last that ran, or runs, for it
    is_broken: bool = False  # it failed, or nobody took what it answered: no more steps
    is_unwanted: bool = False  # to be dropped when the lease ends

    @property
    def is_worth_keeping(self) -> bool:
        """Whether the next lease could go on with the agent."""
        return not (self.is_broken or self.is_unwanted or self.instance is None)


@dataclass(slots=True, eq=False)
class _Waiter:
    chat: str
    granted: asyncio.Future[Place]


class Places:
    """All places. `discard` is told of each whose agent is to be closed."""

    def __init__(
        self, *, max_agents: int, budget_bytes: int, discard: Callable[[Place], None]
    ) -> None:
        self.max_agents = max_agents
        self.budget_bytes = budget_bytes
        self.agent_bytes = _GUESSED_AGENT_BYTES  # what a new agent is taken to need
        self.bytes = 0  # of all warm agents, as last measured
        self.hibernated = 0
        self.is_closed = False
        self.leased: dict[str, Place] = {}
        self.idle: OrderedDict[str, Place] = OrderedDict()  # the longest unused first
        self._waiting: list[_Waiter] = []
        self._discard_agent = discard

    @property
    def warm(self) -> int:
        """How many places there are, leased ones included."""
        return len(self.idle) + len(self.leased)

    @property
    def waiting(self) -> int:
        """How many wait for one."""
        return len(self._waiting)

    def check_open(self) -> None:
        """Raises `PoolClosed`."""
        if self.is_closed:
            raise PoolClosed("the agents are being closed")

    async def take(self, chat: str) -> Place:
        """The chat's place, with its agent if that is warm; waits until it may be had.

        First come, first served; who waits for a busy chat is passed. Raises `PoolClosed`.
        """
        self.check_open()
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
                self.leave(waiter.granted.result())
            raise

    def take_extra(self, name: str) -> Place:
        """A place beyond count and budget, if need be, that nobody waits for. `name` is new."""
        self.check_open()
        if name in self.leased or name in self.idle:
            raise ValueError(f"there is an agent named {name!r}")
        self._make_room()
        place = self.leased[name] = Place(name, 0, is_unwanted=True)
        self.weigh(place, self.agent_bytes)
        return place

    def leave(self, place: Place) -> None:
        """End the lease of a place; its agent stays warm if it is worth keeping."""
        del self.leased[place.chat]
        if place.is_worth_keeping and not self.is_closed:
            self.idle[place.chat] = place
        else:
            self._discard(place)
        self._grant()

    def drop(self, chat: str) -> None:
        """Forget a chat's warm agent: at once, or when its lease ends."""
        if chat in self.leased:
            self.leased[chat].is_unwanted = True
        elif chat in self.idle:
            self._discard(self.idle.pop(chat))
            self._grant()

    def weigh(self, place: Place, size: int) -> None:
        """Note what an agent has for itself, in bytes."""
        self.bytes += size - place.bytes
        place.bytes = size

    def keep_to_budget(self) -> None:
        """Put to sleep whom the budget has no room for, or let in who waits."""
        while self.bytes > self.budget_bytes and self.idle:
            self.hibernate_oldest()
        self._grant()

    def hibernate_oldest(self) -> None:
        """Put the longest unused agent to sleep; there is one."""
        chat, place = self.idle.popitem(last=False)
        _log.debug("hibernated", chat=chat, kib=place.bytes // 1024)
        self.hibernated += 1
        self._discard(place)

    def close(self) -> None:
        """Turn away who waits, and discard all that is idle. Leases end as they do."""
        self.is_closed = True
        for waiter in self._waiting:
            if not waiter.granted.done():
                waiter.granted.set_exception(PoolClosed("the agents are being closed"))
        self._waiting.clear()
        while self.idle:
            self._discard(self.idle.popitem()[1])

    def _grant(self) -> None:
        """Give places to those who wait, in their order."""
        has_room = True
        for waiter in tuple(self._waiting):
            if waiter.granted.done() or waiter.chat in self.leased:
                continue
            place = self.idle.pop(waiter.chat, None)
            if place is None:
                has_room = has_room and self._make_room()
                if not has_room:
                    continue
                place = Place(waiter.chat, 0)
                self.weigh(place, self.agent_bytes)
            self.leased[waiter.chat] = place
            self._waiting.remove(waiter)
            waiter.granted.set_result(place)

    def _make_room(self) -> bool:
        """Whether another agent may start, after putting to sleep whom it takes."""
        while not self._is_room():
            if not self.idle:
                return False
            self.hibernate_oldest()
        return True

    def _is_room(self) -> bool:
        # One agent may always run, or a small budget would mean that nobody is ever answered.
        return self.warm == 0 or (
            self.warm < self.max_agents and self.bytes + self.agent_bytes <= self.budget_bytes
        )

    def _discard(self, place: Place) -> None:
        self.weigh(place, 0)
        self._discard_agent(place)
