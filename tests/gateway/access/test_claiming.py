"""Trying ownership codes: a few wrong ones, and the code is good for nothing."""

from datetime import UTC, datetime, timedelta

from gateway.access.claiming import (
    TRIES_IN_ALL,
    TRIES_PER_PERSON,
    Tries,
    Try,
    attempt,
    is_open,
)
from gateway.access.codes import digest_of
from gateway.store.access import Claim

NOW = datetime(2031, 5, 6, 12, 0, tzinfo=UTC)
CODE = "ABCD-EFGH-JKLM"
CLAIM = Claim(digest_of(CODE), NOW + timedelta(hours=1))


def tried(person: str, *codes: str, tries: Tries = Tries()) -> tuple[Tries, list[Try]]:  # noqa: B008 - immutable
    results = []
    for code in codes:
        tries, result = attempt(tries, CLAIM, ("telegram", person), code)
        results.append(result)
    return tries, results


def test_a_claim_is_open_until_it_expires() -> None:
    assert is_open(CLAIM, NOW)
    assert not is_open(CLAIM, NOW + timedelta(hours=1))
    assert not is_open(None, NOW)


def test_the_right_code_is_right_after_wrong_ones() -> None:
    _, results = tried("1", *["XXXX-XXXX-XXXX"] * (TRIES_PER_PERSON - 1), CODE)
    assert results == [Try.WRONG] * (TRIES_PER_PERSON - 1) + [Try.RIGHT]


def test_after_too_many_even_the_right_code_is_ignored() -> None:
    tries, results = tried("1", *["XXXX-XXXX-XXXX"] * TRIES_PER_PERSON, CODE, CODE)
    assert results[-2:] == [Try.IGNORED, Try.IGNORED]
    assert tried("2", CODE, tries=tries)[1] == [Try.RIGHT]  # that is their own affair


def test_many_people_together_use_a_code_up() -> None:
    tries, results = Tries(), []
    for number in range(TRIES_IN_ALL + 2):
        tries, (result,) = tried(str(number), "XXXX-XXXX-XXXX", tries=tries)
        results.append(result)
    assert results == [Try.WRONG] * (TRIES_IN_ALL - 1) + [Try.LAST] + [Try.IGNORED] * 2
    assert tried("new", CODE, tries=tries)[1] == [Try.IGNORED]


def test_a_new_code_begins_a_new_count() -> None:
    tries, _ = tried("1", *["XXXX-XXXX-XXXX"] * TRIES_PER_PERSON)
    new = Claim(digest_of(CODE), CLAIM.expires_at)
    assert attempt(tries, new, ("telegram", "1"), CODE)[1] is Try.RIGHT
