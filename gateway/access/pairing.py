"""Pairing: a stranger gets a code, an owner approves it. The decisions, over what is stored. Pure.

Each takes all requests and gives back all requests, so that one transaction can hold it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from gateway.access.codes import ALPHABET, PAIRING_CHARS, matches
from gateway.store.access import Change, Grant, Guard, Pairing, PairingRequest

REQUEST_LASTS = timedelta(hours=1)
REQUEST_EVERY = timedelta(minutes=10)
MAX_OPEN = 3  # on one platform
MAX_WRONG = 5
LOCK_LASTS = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Locked:
    """Too many wrong codes; nothing is approved before `until`."""

    until: datetime


def open_requests(pairing: Pairing, now: datetime) -> tuple[PairingRequest, ...]:
    """The requests that could be approved now, oldest first."""
    return tuple(one for one in _fresh(pairing.requests, now) if not one.is_denied)


def request(pairing: Pairing, asked: PairingRequest) -> Change[bool]:
    """Let a stranger ask; False if they asked a moment ago, or too many others wait already.

    Somebody who asks again gets a new code, since the old one is not kept. Who was denied has to
    wait until that is as old as a request can get.
    """
    now = asked.requested_at
    fresh = _fresh(pairing.requests, now)
    others = tuple(one for one in fresh if _person(one) != _person(asked))
    before = [one for one in fresh if _person(one) == _person(asked)]
    is_early = any(one.is_denied or now - one.requested_at < REQUEST_EVERY for one in before)
    waiting = [one for one in others if one.platform == asked.platform and not one.is_denied]
    if is_early or len(waiting) >= MAX_OPEN:
        return Change(replace(pairing, requests=fresh), False)
    return Change(replace(pairing, requests=(*others, asked)), True)


def settle(
    pairing: Pairing, code: str, now: datetime, *, is_approved: bool, by: str
) -> Change[PairingRequest | Locked | None]:
    """Approve or deny the request that has this code; None if none has it.

    Wrong codes in a row lock this for a while: codes are not to be found by trying.
    """
    until = locked_until(pairing.guard, now)
    if until is not None:
        return Change(pairing, Locked(until))
    fresh = _fresh(pairing.requests, now)
    meant = _find(open_requests(pairing, now), code)
    if meant is None:
        guard = _after_failure(pairing.guard, now)
        until = locked_until(guard, now)
        return Change(Pairing(fresh, guard), None if until is None else Locked(until))
    rest = tuple(one for one in fresh if one != meant)
    if not is_approved:
        return Change(Pairing((*rest, replace(meant, is_denied=True)), Guard()), meant)
    grant = Grant(meant.platform, meant.person_id, "member", "pairing", by, now)
    return Change(Pairing(rest, Guard()), meant, grant)


def settled_by(pairing: Pairing, grant: Grant) -> Change[None]:
    """Grant something to a person; what they may have asked for is settled by it."""
    person = grant.platform, grant.person_id
    rest = tuple(one for one in pairing.requests if _person(one) != person)
    return Change(replace(pairing, requests=rest), None, grant)


def without_old(pairing: Pairing, now: datetime) -> Change[None]:
    """Only what still counts."""
    return Change(replace(pairing, requests=_fresh(pairing.requests, now)), None)


def locked_until(guard: Guard, now: datetime) -> datetime | None:
    """Until when nothing is approved; None if it is."""
    if guard.failed_at is None or guard.failures < MAX_WRONG:
        return None
    until = guard.failed_at + LOCK_LASTS
    return until if now < until else None


def as_typed(text: str) -> str:
    """A code as somebody types it: case and blanks don't matter."""
    return "".join(text.split()).upper()


def _after_failure(guard: Guard, now: datetime) -> Guard:
    is_old = guard.failed_at is None or now - guard.failed_at >= LOCK_LASTS
    return Guard(1 if is_old else guard.failures + 1, now)


def _find(requests: Iterable[PairingRequest], code: str) -> PairingRequest | None:
    typed = as_typed(code)
    if len(typed) != PAIRING_CHARS or not set(typed) <= set(ALPHABET):
        return None
    found = [one for one in requests if matches(typed, one.code)]  # all: none ends the search
    return found[0] if found else None


def _fresh(requests: Iterable[PairingRequest], now: datetime) -> tuple[PairingRequest, ...]:
    return tuple(one for one in requests if now - one.requested_at < REQUEST_LASTS)


def _person(one: PairingRequest) -> tuple[str, str]:
    return one.platform, one.person_id
