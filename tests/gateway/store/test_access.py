"""Who may talk, in the database: what is written comes back, whole, for every process."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.access import pairing
from gateway.access.codes import digest_of
from gateway.store.access import Change, Claim, Grant, Guard, Pairing, PairingRequest
from gateway.store.sqlite import SqliteStore
from gateway.store.sqlite_access import SqliteAccess

Now = Callable[[], datetime]


@pytest.fixture
async def access(store: SqliteStore) -> SqliteAccess:
    return store.access


@pytest.fixture
async def other_process(path: Path, store: SqliteStore, clock: Now) -> AsyncIterator[SqliteAccess]:
    """The same file through a connection of its own, as the command line has it."""
    async with await SqliteStore.open(path, now=clock) as opened:
        yield opened.access


def member(person: str, now: datetime) -> Grant:
    return Grant("telegram", person, "member", "pairing", "telegram:7", now)


def asked(person: str, now: datetime) -> PairingRequest:
    return PairingRequest("telegram", person, f"c{person}", "Eve", digest_of("ABCDEFGH"), now)


async def grant(access: SqliteAccess, one: Grant) -> None:
    await access.change_pairing(lambda it: pairing.settled_by(it, one))


async def test_a_new_database_knows_nobody(access: SqliteAccess) -> None:
    stored = await access.load()
    assert (stored.grants, stored.claim) == ((), None)
    assert await access.pairing() == Pairing()


async def test_a_later_grant_takes_the_place_of_the_former(
    access: SqliteAccess, clock: Now
) -> None:
    await grant(access, member("1", clock()))
    await grant(access, replace(member("1", clock()), role="blocked", source="/block"))
    (stored,) = (await access.load()).grants
    assert (stored.role, stored.source, stored.granted_at) == ("blocked", "/block", clock())
    assert await access.remove_grant("telegram", "1")
    assert not await access.remove_grant("telegram", "1")
    assert (await access.load()).grants == ()


async def test_a_claim_is_spent_once(
    access: SqliteAccess, other_process: SqliteAccess, clock: Now
) -> None:
    claim = Claim(digest_of("ABCD-EFGH-JKLM"), clock() + timedelta(days=1))
    await access.put_claim(claim)
    assert (await other_process.load()).claim == claim
    first, second = (replace(member(n, clock()), role="owner", source="claim") for n in "12")
    assert await access.spend_claim(claim, first)
    assert not await other_process.spend_claim(claim, second)
    assert (await access.load()).grants == (first,)
    assert (await access.load()).claim is None


async def test_a_claim_that_was_replaced_is_good_for_nothing(
    access: SqliteAccess, clock: Now
) -> None:
    old, new = (Claim(digest_of("ABCD-EFGH-JKLM"), clock()) for _ in range(2))
    await access.put_claim(old)
    await access.put_claim(new)
    assert not await access.spend_claim(old, member("1", clock()))
    assert (await access.load()).claim == new
    await access.put_claim(None)
    assert (await access.load()).claim is None


async def test_each_change_shows_in_the_revision_of_every_process(
    access: SqliteAccess, other_process: SqliteAccess, clock: Now
) -> None:
    seen = [await access.revision()]
    claim = Claim(digest_of("ABCD-EFGH-JKLM"), clock())
    await other_process.put_claim(claim)
    seen.append(await access.revision())
    await other_process.spend_claim(claim, member("1", clock()))
    seen.append(await access.revision())
    await grant(other_process, member("2", clock()))
    seen.append(await access.revision())
    await other_process.remove_grant("telegram", "2")
    seen.append(await access.revision())
    assert seen == sorted(set(seen))
    assert await access.revision() == (await access.load()).revision == seen[-1]


async def test_a_decision_that_fails_changes_nothing(access: SqliteAccess, clock: Now) -> None:
    await access.change_pairing(lambda _: Change(Pairing((asked("1", clock()),)), None))

    def fail(_: Pairing) -> Change[None]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await access.change_pairing(fail)
    assert [one.person_id for one in (await access.pairing()).requests] == ["1"]


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=10)


@settings(
    max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    st.lists(
        st.tuples(st.sampled_from("12345"), TEXT, st.integers(0, 10**9), st.booleans()),
        max_size=5,
        unique_by=lambda one: one[0],
    ),
    st.integers(0, 5),
)
async def test_pairing_comes_back_as_it_was(
    access: SqliteAccess,
    clock: Now,
    requests: list[tuple[str, str, int, bool]],
    failures: int,
) -> None:
    written = Pairing(
        tuple(
            replace(
                asked(person, clock() + timedelta(microseconds=at)), name=name, is_denied=is_denied
            )
            for person, name, at, is_denied in sorted(requests, key=lambda one: (one[2], one[0]))
        ),
        Guard(failures, clock() if failures else None),
    )
    await access.change_pairing(lambda _: Change(written, None))
    assert await access.pairing() == written
