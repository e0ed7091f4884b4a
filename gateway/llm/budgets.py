"""Daily budgets: may this call be made, given what was used today and what is under way?

A call's expected use is reserved before it is made and settled by what it really used. The day's
sums are read from the ledger once and kept here: one process serves a data folder.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from config.models import BudgetSettings
from gateway.llm.errors import ModelError
from gateway.store.usage import Owner, UsageStore


@dataclass(frozen=True, slots=True)
class Caller:
    """For whom a call is made."""

    chat: str  # the session key
    person: str  # platform:id
    purpose: str = "turn"


@dataclass(frozen=True, slots=True)
class Spent:
    """An amount, of a budget or against one."""

    tokens: float = 0
    cost: float = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(self.tokens + other.tokens, self.cost + other.cost)

    def __sub__(self, other: "Spent") -> "Spent":
        return Spent(self.tokens - other.tokens, self.cost - other.cost)

    def exceeds(self, limit: "Spent") -> bool:
        """More of anything."""
        return self.tokens > limit.tokens or self.cost > limit.cost


@dataclass(frozen=True, slots=True)
class Budget:
    """One limit that a call falls under."""

    owner: Owner
    key: str
    limit: Spent
    whose: str  # the beginning of a sentence


Sums = dict[tuple[Owner, str], Spent]


class Reservation:
    """A part of the budgets that a call under way has for itself."""

    def __init__(self, sums: Sums, keys: list[tuple[Owner, str]], amount: Spent) -> None:
        self._sums = sums
        self._keys = keys
        self._held = Spent()
        self._spent = Spent()
        self._hold(amount)

    def spend(self, amount: Spent) -> None:
        """Note what was really used; there may be more of it."""
        self._spent += amount

    def settle(self) -> None:
        """The call is over: what was used counts, and not what was expected."""
        self._hold(self._spent)

    def _hold(self, amount: Spent) -> None:
        for key in self._keys:
            self._sums[key] = self._sums[key] + amount - self._held
        self._held = amount


class Budgets:
    """The budgets of a gateway. `clock` tells the time in the gateway's zone."""

    def __init__(
        self, settings: BudgetSettings, store: UsageStore, clock: Callable[[], datetime]
    ) -> None:
        self._settings = settings
        self._store = store
        self._clock = clock
        self._day = ""
        self._sums: Sums = {}  # of the day, reservations included

    def apply(self, settings: BudgetSettings) -> None:
        """Go by other limits from now on."""
        self._settings = settings

    @property
    def are_set(self) -> bool:
        """Whether there is any limit."""
        return any(True for _ in budgets_of(self._settings, Caller("", "")))

    async def reserve(self, caller: Caller, amount: Spent) -> Reservation:
        """Have an amount set aside.

        Raises `ModelError` (budget) if a budget does not allow it, and `StoreError`.
        """
        budgets = list(budgets_of(self._settings, caller))
        now = self._clock()
        await self._load(budgets, now.date().isoformat())
        # Nothing is awaited from here on: two calls can't both get the last of a budget.
        sums = self._sums
        for budget in budgets:
            if (sums[budget.owner, budget.key] + amount).exceeds(budget.limit):
                raise used_up(budget, now)
        return Reservation(sums, [(b.owner, b.key) for b in budgets], amount)

    async def _load(self, budgets: list[Budget], day: str) -> None:
        if day != self._day:
            # What is under way settles into yesterday's sums, which nobody looks at any more.
            self._day, self._sums = day, {}
        for budget in budgets:
            key = budget.owner, budget.key
            if key in self._sums:
                continue
            used = await self._store.usage(*key, since=day, until=day)
            if self._day != day:
                return await self._load(budgets, self._day)
            self._sums.setdefault(key, Spent(used.tokens, used.cost))
        return None


def budgets_of(settings: BudgetSettings, caller: Caller) -> Iterator[Budget]:
    """The budgets that a caller's calls fall under."""
    s = settings
    table: tuple[tuple[Owner, str, float | None, float | None, str], ...] = (
        ("person", caller.person, s.tokens_per_user, s.cost_per_user, "Your budget"),
        ("chat", caller.chat, s.tokens_per_chat, s.cost_per_chat, "This chat's budget"),
        ("all", "", s.tokens, s.cost, "My budget"),
    )
    for owner, key, tokens, cost, whose in table:
        if tokens is not None or cost is not None:
            limit = Spent(_or_endless(tokens), _or_endless(cost))
            yield Budget(owner, key, limit, whose)


def used_up(budget: Budget, now: datetime) -> ModelError:
    """The error for a budget that does not allow a call: whose it is, and when there is more."""
    midnight = datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), now.tzinfo)
    minutes = max(1, round((midnight - now).total_seconds() / 60))
    wait = f"{minutes} min" if minutes < 60 else f"{round(minutes / 60)} h"
    text = f"{budget.whose} for today is used up. There is more at midnight, in {wait}."
    return ModelError("budget", text, retry_after_s=(midnight - now).total_seconds())


def _or_endless(limit: float | None) -> float:
    return float("inf") if limit is None else limit
