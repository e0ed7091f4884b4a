"""Token buckets whose tokens can be promised ahead."""

from hypothesis import given
from hypothesis import strategies as st

from adapters.base import Rate
from gateway.delivery.rates import filled, full, is_full, spare_in_s, spend

RATE = Rate(per_s=2, burst=3)


def test_a_burst_goes_at_once_and_the_rest_in_turn() -> None:
    bucket, waits = full(RATE, 0), []
    for _ in range(6):
        bucket, wait_s = spend(bucket, RATE, 0)
        waits.append(wait_s)
    assert waits == [0, 0, 0, 0.5, 1, 1.5]


def test_a_bucket_fills_up_to_its_brim() -> None:
    bucket, _ = spend(full(RATE, 0), RATE, 0)
    assert not is_full(bucket, RATE, 0.4)
    assert is_full(bucket, RATE, 0.5)
    assert filled(bucket, RATE, 1_000).tokens == RATE.burst


def test_what_may_be_left_out_leaves_one_token_for_what_may_not() -> None:
    bucket = full(RATE, 0)
    assert spare_in_s(bucket, RATE, 0) == 0
    for _ in range(2):
        bucket, _ = spend(bucket, RATE, 0)
    assert spare_in_s(bucket, RATE, 0) == 0.5


def test_where_there_is_no_burst_what_may_be_left_out_takes_the_only_token() -> None:
    assert spare_in_s(full(Rate(1), 0), Rate(1), 0) == 0


def test_a_clock_that_stands_still_or_goes_back_gives_nothing() -> None:
    bucket, _ = spend(full(RATE, 10), RATE, 10)
    assert filled(bucket, RATE, 5).tokens == 2


@given(
    st.floats(0.1, 50),
    st.integers(1, 20),
    st.lists(st.tuples(st.floats(0, 5), st.integers(1, 10)), min_size=1, max_size=60),
)
def test_no_stretch_of_time_sees_more_than_the_rate_and_one_burst(
    per_s: float, burst: int, asked: list[tuple[float, int]]
) -> None:
    """Whatever one costs; one that costs more than a burst has nothing else near it."""
    rate = Rate(per_s, burst)
    bucket, now_s, sent = full(rate, 0), 0.0, []
    for gap, cost in asked:
        now_s += gap
        bucket, wait_s = spend(bucket, rate, now_s, cost)
        sent.append((now_s + wait_s, cost))
    assert sent == sorted(sent, key=lambda one: one[0])
    for first in range(len(sent)):
        for last in range(first, len(sent)):
            lasted = sent[last][0] - sent[first][0]
            total = sum(cost for _, cost in sent[first : last + 1])
            assert first == last or total <= burst + rate.per_s * lasted + 1e-6


@given(
    st.floats(0.1, 50),
    st.lists(st.tuples(st.floats(0, 5), st.integers(1, 10)), min_size=1, max_size=60),
)
def test_what_goes_on_credit_is_waited_for_before_the_next(
    per_s: float, asked: list[tuple[float, int]]
) -> None:
    rate = Rate(per_s, credit=10)
    bucket, now_s, free_at = full(rate, 0), 0.0, 0.0
    for gap, cost in asked:
        now_s += gap
        bucket, wait_s = spend(bucket, rate, now_s, cost)
        goes_at = max(now_s, free_at)  # at once, if all before it is paid for
        assert abs(now_s + wait_s - goes_at) < 1e-6
        free_at = goes_at + cost / per_s
