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
    st.lists(st.floats(0, 5), min_size=1, max_size=60),
)
def test_no_stretch_of_time_sees_more_than_the_rate_and_one_burst(
    per_s: float, burst: int, gaps: list[float]
) -> None:
    rate = Rate(per_s, burst)
    bucket, now_s, sent_at = full(rate, 0), 0.0, []
    for gap in gaps:
        now_s += gap
        bucket, wait_s = spend(bucket, rate, now_s)
        sent_at.append(now_s + wait_s)
    assert sent_at == sorted(sent_at)
    for first in range(len(sent_at)):
        for last in range(first, len(sent_at)):
            lasted = sent_at[last] - sent_at[first]
            assert last - first + 1 <= burst + rate.per_s * lasted + 1e-6
