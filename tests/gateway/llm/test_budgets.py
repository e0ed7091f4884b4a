"""What may still be used today: reserved before a call, settled after it."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

import pytest

from config.models import BudgetSettings
from gateway.llm.budgets import Budgets, Caller, Spent
from gateway.llm.errors import ModelError
from gateway.store.usage import ModelCall, Owner, Usage

ZONE = timezone(timedelta(hours=2))
ADA = Caller("telegram:dm:1", "telegram:1")
BOB = Caller("telegram:dm:2", "telegram:2")


@dataclass
class Ledger:
    """What was used before: the store's part that budgets look at, in memory."""

    used: dict[tuple[str, str], Usage] = field(default_factory=dict)
    asked: list[tuple[str, str, str]] = field(default_factory=list)

    async def record(self, call: ModelCall) -> None:
        raise AssertionError("budgets don't write")

    async def usage(self, owner: Owner, key: str, since: str = "", until: str = "9") -> Usage:
        assert since == until
        self.asked.append((owner, key, since))
        return self.used.get((owner, key), Usage())

    async def usage_by_model(self, chat: str, since: str = "") -> list[tuple[str, Usage]]:
        raise AssertionError("budgets don't ask for models")

    async def prune(self, before: str) -> int:
        raise AssertionError("budgets don't forget")


class Day:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = datetime(2031, 5, 6, 21, 30, tzinfo=ZONE)

    def __call__(self) -> datetime:
        return self.now


def budgets(ledger: Ledger | None = None, clock: Day | None = None, **limits: float) -> Budgets:
    settings = BudgetSettings.model_validate(limits)
    return Budgets(settings, ledger or Ledger(), clock or Day())


async def refused(of: Budgets, caller: Caller, amount: Spent) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await of.reserve(caller, amount)
    return caught.value


async def test_what_is_reserved_counts_until_it_is_settled() -> None:
    of = budgets(tokens_per_user=100)
    reservation = await of.reserve(ADA, Spent(80))
    await refused(of, ADA, Spent(30))
    reservation.spend(Spent(10))
    reservation.settle()
    await of.reserve(ADA, Spent(90))
    await refused(of, ADA, Spent(1))


async def test_a_call_that_came_to_nothing_costs_nothing() -> None:
    of = budgets(tokens_per_user=100)
    (await of.reserve(ADA, Spent(100))).settle()
    await of.reserve(ADA, Spent(100))


async def test_more_than_was_expected_counts_as_well() -> None:
    of = budgets(tokens_per_user=100)
    reservation = await of.reserve(ADA, Spent(10))
    reservation.spend(Spent(60))
    reservation.spend(Spent(60))  # a fallback was asked, too
    reservation.settle()
    await refused(of, ADA, Spent(1))


async def test_what_was_used_before_the_start_counts() -> None:
    ledger = Ledger({("person", "telegram:1"): Usage(prompt_tokens=60, completion_tokens=39)})
    of = budgets(ledger, tokens_per_user=100)
    await of.reserve(ADA, Spent(1))
    await refused(of, ADA, Spent(1))
    assert ledger.asked == [("person", "telegram:1", "2031-05-06")], "read once, then kept"


async def test_one_persons_budget_is_not_anothers() -> None:
    of = budgets(tokens_per_user=100)
    await of.reserve(ADA, Spent(100))
    await of.reserve(BOB, Spent(100))


async def test_a_persons_budget_holds_in_all_their_chats() -> None:
    of = budgets(tokens_per_user=100)
    await of.reserve(ADA, Spent(100))
    await refused(of, Caller("telegram:group:-1", ADA.person), Spent(1))


@pytest.mark.parametrize(
    ("limits", "beginning"),
    [
        ({"cost_per_user": 1}, "Your budget for today"),
        ({"cost_per_chat": 1}, "This chat's budget for today"),
        ({"cost": 1}, "My budget for today"),
        ({"tokens": 1_000, "cost": 1}, "My budget for today"),
    ],
)
async def test_every_limit_says_whose_it_is_and_when_there_is_more(
    limits: dict[str, float], beginning: str
) -> None:
    of = Budgets(BudgetSettings.model_validate(limits), Ledger(), Day())
    error = await refused(of, ADA, Spent(10, 1.01))
    assert (error.code, error.retryable, error.retry_after_s) == ("budget", False, 9_000)
    assert error.message == f"{beginning} is used up. There is more at midnight, in 2 h."


async def test_shortly_before_midnight_minutes_are_counted() -> None:
    clock = Day()
    clock.now += timedelta(hours=2, minutes=10)
    error = await refused(budgets(clock=clock, cost=1), ADA, Spent(0, 2))
    assert error.message.endswith("in 20 min.")


async def test_the_day_is_the_gateways_own() -> None:
    clock = Day()
    of = budgets(clock=clock, tokens=100)
    yesterday = await of.reserve(ADA, Spent(100))
    clock.now += timedelta(hours=2, minutes=31)  # 22:01 in UTC, the next day here
    await of.reserve(ADA, Spent(100))
    yesterday.spend(Spent(100))
    yesterday.settle()
    await refused(of, ADA, Spent(1))


async def test_without_limits_nothing_is_looked_up() -> None:
    ledger = Ledger()
    of = budgets(ledger)
    (await of.reserve(ADA, Spent(10**9))).settle()
    assert (of.are_set, ledger.asked) == (False, [])
