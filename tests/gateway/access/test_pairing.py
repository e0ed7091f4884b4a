"""Pairing requests over time: who may ask, who is let in, and what stops somebody who guesses."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from gateway.access import pairing
from gateway.access.codes import ALPHABET, digest_of
from gateway.store.access import Guard, Pairing, PairingRequest

NOW = datetime(2031, 5, 6, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
WRONG = "ZZZZZZZZ"


def asks(person: str, at: datetime = NOW, platform: str = "telegram") -> PairingRequest:
    code = digest_of(code_of(person))
    return PairingRequest(platform, person, person, f"P{person}", code, at)


def code_of(person: str) -> str:
    return f"CAFE{person.rjust(4, 'A')}".replace("1", "X")


def settled(
    state: Pairing, code: str, at: datetime = NOW, *, is_approved: bool = True
) -> tuple[Pairing, object, object]:
    change = pairing.settle(state, code, at, is_approved=is_approved, by="telegram:7")
    return change.pairing, change.outcome, change.grant


def with_requests(*requests: PairingRequest) -> Pairing:
    return Pairing(requests)


def test_an_approved_stranger_becomes_a_member_and_the_code_is_spent() -> None:
    state = with_requests(asks("2"), asks("3"))
    state, outcome, grant = settled(state, code_of("2"))
    assert outcome is not None
    assert (grant.platform, grant.person_id, grant.role) == ("telegram", "2", "member")  # type: ignore[attr-defined] # a Grant
    assert [one.person_id for one in state.requests] == ["3"]
    assert settled(state, code_of("2"))[1:] == (None, None)


def test_a_denied_stranger_gets_nothing_and_must_wait() -> None:
    state = with_requests(asks("2"))
    state, outcome, grant = settled(state, code_of("2"), is_approved=False)
    assert outcome is not None
    assert grant is None
    assert pairing.open_requests(state, NOW) == ()
    assert settled(state, code_of("2"))[1:] == (None, None)
    assert not pairing.request(state, asks("2", NOW + 59 * MINUTE)).outcome
    assert pairing.request(state, asks("2", NOW + 60 * MINUTE)).outcome


def test_a_code_is_good_for_an_hour() -> None:
    state = with_requests(asks("2"))
    assert settled(state, code_of("2"), NOW + 59 * MINUTE)[2] is not None
    assert settled(state, code_of("2"), NOW + 60 * MINUTE)[2] is None


def test_a_person_asks_once_in_ten_minutes_and_the_new_code_replaces_the_old() -> None:
    state = with_requests(asks("2"))
    assert not pairing.request(state, asks("2", NOW + 9 * MINUTE)).outcome
    again = replace(asks("2", NOW + 10 * MINUTE), code=digest_of("NEWCDE22"))
    change = pairing.request(state, again)
    assert change.outcome
    assert change.pairing.requests == (again,)


def test_three_may_wait_on_a_platform() -> None:
    state = Pairing()
    for person, is_taken in (("1", True), ("2", True), ("3", True), ("4", False)):
        change = pairing.request(state, asks(person))
        assert change.outcome is is_taken
        state = change.pairing
    assert len(state.requests) == 3
    assert pairing.request(state, asks("4", platform="discord")).outcome
    assert pairing.request(state, asks("4", NOW + 60 * MINUTE)).outcome  # the first have expired
    assert pairing.request(state, asks("3", NOW + 10 * MINUTE)).outcome  # takes no place more


def test_five_wrong_codes_lock_approving_for_an_hour() -> None:
    state = with_requests(asks("2", NOW + 10 * MINUTE))
    for _ in range(4):
        state, outcome, _ = settled(state, WRONG)
        assert outcome is None
    state, outcome, _ = settled(state, WRONG)
    assert outcome == pairing.Locked(NOW + 60 * MINUTE)
    _, outcome, grant = settled(state, code_of("2"), NOW + 59 * MINUTE)
    assert outcome == pairing.Locked(NOW + 60 * MINUTE)
    assert grant is None
    assert settled(state, code_of("2"), NOW + 60 * MINUTE)[2] is not None


def test_the_lock_covers_denying_too() -> None:
    state = Pairing((asks("2"),), Guard(5, NOW))
    assert settled(state, code_of("2"), is_approved=False)[1] == pairing.Locked(NOW + 60 * MINUTE)


def test_what_is_of_no_use_any_more_is_forgotten() -> None:
    state = with_requests(asks("2"), asks("3", NOW + MINUTE))
    kept = pairing.without_old(state, NOW + 60 * MINUTE).pairing
    assert [one.person_id for one in kept.requests] == ["3"]


def test_a_right_code_forgives_the_wrong_ones() -> None:
    state = with_requests(asks("2"))
    for _ in range(4):
        state, _, _ = settled(state, WRONG)
    state, _, _ = settled(state, code_of("2"))
    assert state.guard == Guard()


def test_wrong_codes_of_long_ago_do_not_count() -> None:
    state = Pairing((), Guard(4, NOW - 60 * MINUTE))
    state, outcome, _ = settled(state, WRONG)
    assert outcome is None
    assert state.guard.failures == 1


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["ask", "approve", "deny", "guess"]),
            st.sampled_from("23456"),
            st.integers(0, 40),
        ),
        max_size=60,
    )
)
def test_whatever_happens_the_limits_hold(steps: list[tuple[str, str, int]]) -> None:
    state, now = Pairing(), NOW
    asked: dict[str, datetime] = {}
    let_in: set[str] = set()
    for action, person, minutes in steps:
        now += minutes * MINUTE
        if action == "ask":
            change = pairing.request(state, asks(person, now))
            state = change.pairing
            if change.outcome:
                assert person not in asked or now - asked[person] >= pairing.REQUEST_EVERY
                asked[person] = now
        else:
            code = WRONG if action == "guess" else code_of(person)
            before = pairing.locked_until(state.guard, now)
            state, _, grant = settled(state, code, now, is_approved=action == "approve")
            if grant is not None:
                assert action == "approve"
                assert before is None
                assert now - asked.pop(person) < pairing.REQUEST_LASTS
                let_in.add(person)
        assert len(pairing.open_requests(state, now)) <= pairing.MAX_OPEN
        assert len(state.requests) <= 5
        assert state.guard.failures <= pairing.MAX_WRONG


@given(st.text(max_size=30) | st.text(alphabet=ALPHABET, min_size=8, max_size=8))
def test_nothing_but_the_code_lets_anybody_in(text: str) -> None:
    state = with_requests(asks("2"))
    _, _, grant = settled(state, text)
    assert (grant is not None) == (pairing.as_typed(text) == code_of("2"))
