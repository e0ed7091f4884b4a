"""Claiming ownership with the code that the terminal shows: who may still try. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import Enum

from gateway.access.codes import matches
from gateway.access.snapshot import Person
from gateway.store.access import Claim

CLAIM_LASTS = timedelta(days=1)
TRIES_PER_PERSON = 5
TRIES_IN_ALL = 20


class Try(Enum):
    """What came of an attempt."""

    RIGHT = "right"
    WRONG = "wrong"
    IGNORED = "ignored"  # this person has tried too often
    LAST = "last"  # wrong, and the last that this code allowed: it is good for nothing any more


@dataclass(frozen=True, slots=True)
class Tries:
    """The wrong attempts at one code."""

    claim: Claim | None = None
    by_person: Mapping[Person, int] = field(default_factory=dict)


def is_open(claim: Claim | None, now: datetime) -> bool:
    """Whether somebody could become an owner now."""
    return claim is not None and now < claim.expires_at


def attempt(tries: Tries, claim: Claim, person: Person, code: str) -> tuple[Tries, Try]:
    """Judge an attempt at a claim that is open. A new code begins a new count."""
    if tries.claim != claim:
        tries = Tries(claim)
    made = tries.by_person.get(person, 0)
    if made >= TRIES_PER_PERSON or sum(tries.by_person.values()) >= TRIES_IN_ALL:
        return tries, Try.IGNORED
    if matches(code, claim.code):
        return tries, Try.RIGHT
    tries = replace(tries, by_person={**tries.by_person, person: made + 1})
    is_last = sum(tries.by_person.values()) >= TRIES_IN_ALL
    return tries, Try.LAST if is_last else Try.WRONG
