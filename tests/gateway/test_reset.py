"""When a session ends by itself: by silence, by the time of day, across changes of the clocks."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.settings import SessionSettings
from gateway.reset import Policy, decide_reset, policy_of

ZURICH = ZoneInfo("Europe/Zurich")  # clocks change on 2031-03-30 at 02:00 and 2031-10-26 at 03:00
DAILY = Policy(ZURICH, daily_at=time(4))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZURICH)


def ends(policy: Policy, last_used: datetime, now: datetime) -> bool:
    return decide_reset(last_used, policy, now) is not None


def test_by_default_nothing_ends() -> None:
    assert policy_of(SessionSettings(), ZURICH) is None


def test_the_settings_become_a_policy() -> None:
    idle = SessionSettings(reset="idle", idle_hours=1.5)
    assert policy_of(idle, UTC) == Policy(UTC, idle=timedelta(minutes=90))
    daily = SessionSettings(reset="daily", daily_at="16:30")
    assert policy_of(daily, ZURICH) == Policy(ZURICH, daily_at=time(16, 30))


def test_silence_ends_a_session_when_it_is_long_enough() -> None:
    policy = Policy(UTC, idle=timedelta(hours=24))
    begun = datetime(2031, 5, 6, 12, tzinfo=UTC)
    assert not ends(policy, begun, begun + timedelta(hours=23, minutes=59))
    assert ends(policy, begun, begun + timedelta(hours=24))
    reset = decide_reset(begun, policy, begun + timedelta(days=3))
    assert reset is not None
    assert (reset.reason, reset.why) == ("idle", "Nothing was said here for 24 hours or more")


@pytest.mark.parametrize(
    ("last_used", "now", "is_over"),
    [
        ("2031-05-06 12:00", "2031-05-06 23:59", False),
        ("2031-05-06 12:00", "2031-05-07 03:59", False),
        ("2031-05-06 12:00", "2031-05-07 04:00", True),
        ("2031-05-07 03:59", "2031-05-07 04:01", True),
        ("2031-05-07 04:00", "2031-05-07 23:00", False),
        ("2031-05-01 12:00", "2031-05-07 02:00", True),
        # the night in which the clocks go from 02:00 to 03:00, and back from 03:00 to 02:00
        ("2031-03-29 12:00", "2031-03-30 03:59", False),
        ("2031-03-29 12:00", "2031-03-30 04:00", True),
        ("2031-10-25 12:00", "2031-10-26 03:59", False),
        ("2031-10-25 12:00", "2031-10-26 04:00", True),
    ],
)
def test_a_new_day_begins_at_four_on_the_wall(last_used: str, now: str, is_over: bool) -> None:
    assert ends(DAILY, at(last_used), at(now)) is is_over


def test_a_time_that_the_clocks_skip_still_comes_that_day() -> None:
    policy = Policy(ZURICH, daily_at=time(2, 30))
    assert not ends(policy, at("2031-03-29 12:00"), at("2031-03-30 01:59"))
    assert ends(policy, at("2031-03-29 12:00"), at("2031-03-30 03:30"))


def test_a_time_that_comes_twice_ends_a_session_once() -> None:
    policy = Policy(ZURICH, daily_at=time(2, 30))
    first = datetime(2031, 10, 26, 0, 30, tzinfo=UTC)  # 02:30 in summer time
    assert ends(policy, first - timedelta(hours=5), first)
    assert not ends(policy, first + timedelta(minutes=1), first + timedelta(hours=1, minutes=1))


moments = st.integers(0, 365 * 24 * 60).map(
    lambda minutes: datetime(2031, 1, 2, tzinfo=UTC) + timedelta(minutes=minutes)
)


@given(moments, st.timedeltas(timedelta(0), timedelta(days=5)), st.times())
def test_one_daily_end_is_never_followed_by_another_within_22_hours(
    now: datetime, ago: timedelta, wall: time
) -> None:
    policy = Policy(ZURICH, daily_at=wall)
    if ends(policy, now - ago, now):
        assert not ends(policy, now, now)
        assert ends(policy, now, now + timedelta(hours=26))
    else:
        assert ago < timedelta(hours=26)
