"""Token buckets on a clock that tests turn by hand."""

from hypothesis import given
from hypothesis import strategies as st

from adapters.base import Address, ChatKind, Inbound, Sender
from config.settings import AccessSettings
from gateway.access import limiter as limiter_module
from gateway.access.limiter import Limiter
from gateway.access.rates import Bucket, Rate, Verdict, full, is_full, take
from gateway.access.roles import Role, Standing

RATE = Rate(per_minute=6, burst=3)
MEMBER, OWNER = Standing(Role.MEMBER, "a test"), Standing(Role.OWNER, "a test")


def verdicts(times: list[float], rate: Rate = RATE) -> list[Verdict]:
    bucket, found = full(rate, times[0]), []
    for now in times:
        (bucket,), verdict = take((bucket,), (rate,), now)
        found.append(verdict)
    return found


def test_a_burst_is_taken_then_refused_once_then_met_with_silence() -> None:
    taken = [Verdict.TAKEN] * 3
    assert verdicts([0.0] * 6) == [*taken, Verdict.REFUSED, Verdict.SILENCE, Verdict.SILENCE]


def test_tokens_come_back_at_the_rate() -> None:
    assert verdicts([0, 0, 0, 9.5, 10, 10])[3:] == [
        Verdict.REFUSED,
        Verdict.TAKEN,
        Verdict.SILENCE,
    ]


def test_a_refusal_is_said_again_in_the_next_window() -> None:
    slow = Rate(per_minute=0.1, burst=1)
    assert verdicts([0, 1, 60, 61, 62], slow) == [
        Verdict.TAKEN,
        Verdict.REFUSED,
        Verdict.SILENCE,
        Verdict.REFUSED,
        Verdict.SILENCE,
    ]


def test_nothing_is_taken_from_one_bucket_if_the_other_is_empty() -> None:
    before = (Bucket(2, 0), Bucket(0.5, 0))
    after, verdict = take(before, (RATE, RATE), 0)
    assert verdict is Verdict.REFUSED
    assert (after[0], after[1].tokens) == (before[0], 0.5)


@given(
    st.lists(st.floats(0, 30), min_size=1, max_size=80),
    st.floats(0.5, 100),
    st.integers(1, 20),
)
def test_never_more_than_burst_and_rate_allow(
    gaps: list[float], per_minute: float, burst: int
) -> None:
    rate, now, times = Rate(per_minute, burst), 0.0, []
    for gap in gaps:
        now += gap
        times.append(now)
    found = verdicts(times, rate)
    span = times[-1] - times[0]
    assert found.count(Verdict.TAKEN) <= burst + span * per_minute / 60 + 1e-6
    assert found.count(Verdict.REFUSED) <= 1 + span / 60
    assert found[0] is Verdict.TAKEN


@given(st.floats(0, 20), st.floats(0, 1000), st.floats(0, 1000))
def test_what_is_full_behaves_like_what_was_never_seen(
    tokens: float, at: float, later: float
) -> None:
    bucket, now = Bucket(min(tokens, RATE.burst), at), at + later
    if is_full(bucket, RATE, now):
        assert take((bucket,), (RATE,), now) == take((full(RATE, now),), (RATE,), now)


def said(person: str, chat: str) -> Inbound:
    kind = ChatKind.GROUP if chat.startswith("-") else ChatKind.DIRECT
    return Inbound("1", Address("telegram", chat, kind), Sender(person, ""), "hello")


class Limited:
    """A limiter and its clock."""

    def __init__(self, **settings: float) -> None:
        self.now = 0.0
        self.limiter = Limiter(AccessSettings.model_validate(settings), lambda: self.now)

    def taken(self, person: str, chat: str, times: int, standing: Standing = MEMBER) -> int:
        found = [self.limiter.admit(said(person, chat), standing) for _ in range(times)]
        return found.count(Verdict.TAKEN)


def test_a_person_has_one_limit_in_all_their_chats() -> None:
    limited = Limited(user_burst=4, user_messages_per_minute=60)
    assert limited.taken("1", "1", 3) == 3
    assert limited.taken("1", "-100", 3) == 1
    assert limited.taken("2", "-100", 9) == 4
    limited.now += 2
    assert limited.taken("1", "-200", 5) == 2


def test_a_chat_has_a_limit_for_all_its_people() -> None:
    limited = Limited(chat_burst=4)
    assert sum(limited.taken(str(person), "-100", 1) for person in range(9)) == 4
    assert limited.taken("1", "1", 1) == 1


def test_owners_are_not_limited_unless_the_settings_say_so() -> None:
    assert Limited(user_burst=2).taken("7", "7", 50, OWNER) == 50
    assert Limited(user_burst=2, limit_owners=True).taken("7", "7", 50, OWNER) == 2


def test_the_buckets_of_many_do_not_pile_up() -> None:
    limited = Limited()
    for person in range(200):
        limited.now += 60
        limited.taken(str(person), str(person), 1)
    assert len(limited.limiter._buckets) < 10
    for person in range(limiter_module.MAX_BUCKETS):
        limited.taken(str(person), str(person), 1)
    assert len(limited.limiter._buckets) <= limiter_module.MAX_BUCKETS
