"""When a job runs next: zones, changes of the clocks, intervals, cron."""

from datetime import UTC, datetime, time, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.schedule.times import BadTime, instant_of, next_run, shortest_gap_s, zone_of
from gateway.store.schedule import Kind, When

# Both hemispheres, half-hour offsets and changes, changes at midnight, none at all.
ZONES = [
    *("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "Asia/Kolkata"),
    *("America/Santiago", "Asia/Beirut", "Pacific/Chatham", "UTC", "America/St_Johns"),
]
BEGIN, END = datetime.fromisoformat("2020-01-01"), datetime.fromisoformat("2040-01-01")
zones = st.sampled_from(ZONES)
moments = st.datetimes(BEGIN, END, timezones=st.just(UTC))
minutes, hours = st.integers(0, 59), st.integers(0, 23)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def runs(when: When, after: datetime, until: datetime) -> list[datetime]:
    found = []
    while (following := next_run(when, after)) is not None and following < until:
        found.append(following)
        after = following
    return found


def cron(expression: str, zone: str = "Europe/Berlin") -> When:
    return When(Kind.CRON, expression, zone)


def test_every_day_at_nine_stays_at_nine_when_the_clocks_change() -> None:
    when = cron("0 9 * * *")
    spring = runs(when, at("2026-03-27T12:00"), at("2026-03-30T12:00"))
    assert spring == [at("2026-03-28T08:00"), at("2026-03-29T07:00"), at("2026-03-30T07:00")]
    autumn = runs(when, at("2026-10-23T12:00"), at("2026-10-26T12:00"))
    assert autumn == [at("2026-10-24T07:00"), at("2026-10-25T08:00"), at("2026-10-26T08:00")]


def test_a_time_that_the_clocks_skip_is_the_first_moment_after_the_gap() -> None:
    # In Berlin 2:00 becomes 3:00 on 29 March 2026, at 1:00 UTC.
    assert next_run(cron("30 2 * * *"), at("2026-03-28T12:00")) == at("2026-03-29T01:00")
    once = When(Kind.ONCE, "2026-03-29T02:30", "Europe/Berlin")
    assert next_run(once, at("2026-03-28T12:00")) == at("2026-03-29T01:00")


def test_a_time_that_comes_twice_is_taken_the_first_time_only() -> None:
    # In Berlin 3:00 becomes 2:00 on 25 October 2026, at 1:00 UTC.
    found = runs(cron("30 2 * * *"), at("2026-10-24T12:00"), at("2026-10-26T12:00"))
    assert found == [at("2026-10-25T00:30"), at("2026-10-26T01:30")]
    once = When(Kind.ONCE, "2026-10-25T02:30", "Europe/Berlin")
    assert next_run(once, at("2026-10-24T12:00")) == at("2026-10-25T00:30")
    # Asked within the second pass, it doesn't go back into the first.
    assert next_run(cron("45 2 * * *"), at("2026-10-25T01:30")) == at("2026-10-26T01:45")


def test_an_interval_does_not_care_about_the_clocks() -> None:
    when = When(Kind.EVERY, "7200 2026-03-28T23:00:00+00:00", "Europe/Berlin")
    found = runs(when, at("2026-03-28T23:30"), at("2026-03-29T06:00"))
    assert found == [at("2026-03-29T01:00"), at("2026-03-29T03:00"), at("2026-03-29T05:00")]


@given(zones, minutes, hours, moments)
def test_a_daily_job_runs_on_each_day_once_at_its_time_or_right_after_the_gap(
    zone: str, minute: int, hour: int, begin: datetime
) -> None:
    rules, clock = zone_of(zone), time(hour, minute)
    found = runs(cron(f"{minute} {hour} * * *", zone), begin, begin + timedelta(days=200))
    days = [moment.astimezone(rules).date() for moment in found]
    assert days == [days[0] + timedelta(days=n) for n in range(len(days))]
    for moment, day in zip(found, days, strict=True):
        wall = moment.astimezone(rules).replace(tzinfo=None)
        if wall.time() != clock:
            assert wall.time() > clock
            before = (moment - timedelta(minutes=1)).astimezone(rules).replace(tzinfo=None)
            assert before < datetime.combine(day, clock)


@given(zones, st.datetimes(BEGIN, END))
def test_the_instant_of_a_time_is_the_first_at_which_clocks_have_reached_it(
    zone: str, wall: datetime
) -> None:
    wall = wall.replace(microsecond=0)
    rules = zone_of(zone)
    instant = instant_of(wall, rules)
    assert instant.astimezone(rules).replace(tzinfo=None) >= wall
    second_before = (instant - timedelta(seconds=1)).astimezone(rules).replace(tzinfo=None)
    assert second_before < wall


@given(st.integers(1, 10**6), moments, moments, zones)
def test_an_interval_keeps_its_beat_and_never_looks_back(
    seconds: int, anchor: datetime, after: datetime, zone: str
) -> None:
    anchor = anchor.replace(microsecond=0)
    following = next_run(When(Kind.EVERY, f"{seconds} {anchor.isoformat()}", zone), after)
    assert following is not None
    assert following > max(after, anchor)
    assert (following - anchor) % timedelta(seconds=seconds) == timedelta(0)
    is_first = following == anchor + timedelta(seconds=seconds)
    assert is_first or following - after <= timedelta(seconds=seconds)


fields = st.tuples(
    st.one_of(st.just("*"), minutes.map(str), st.just("*/15")),
    st.one_of(st.just("*"), hours.map(str), st.just("8-18")),
    st.one_of(st.just("*"), st.integers(1, 28).map(str)),
    st.one_of(st.just("*"), st.integers(1, 12).map(str)),
    st.one_of(st.just("*"), st.integers(0, 6).map(str)),
)


@given(fields, moments, zones)
def test_any_cron_goes_on_and_on_and_shows_the_day_that_it_names(
    spec: tuple[str, ...], after: datetime, zone: str
) -> None:
    when = cron(" ".join(spec), zone)
    found = [after]
    for _ in range(5):
        following = next_run(when, found[-1])
        assert following is not None
        found.append(following)
    assert all(earlier < later for earlier, later in pairwise(found))
    for moment in found[1:]:
        local = moment.astimezone(zone_of(zone))
        matches = [
            spec[2] in {"*", str(local.day)},
            spec[3] in {"*", str(local.month)},
            spec[4] in {"*", str(local.isoweekday() % 7)},
        ]
        has_both_days = "*" not in {spec[2], spec[4]}
        assert any(matches[::2]) if has_both_days else all(matches[::2])
        assert matches[1]


def test_what_never_comes_again_has_no_next_time() -> None:
    once = When(Kind.ONCE, "2026-05-06T09:00", "Europe/Berlin")
    assert next_run(once, at("2026-05-06T07:00")) is None


@pytest.mark.parametrize("wrong", ["* * * *", "0 * * * * *", "99 9 * * *", "a b c d e"])
def test_what_is_no_cron_expression_is_said(wrong: str) -> None:
    with pytest.raises(BadTime):
        next_run(cron(wrong), at("2026-05-06T07:00"))


@pytest.mark.parametrize("name", ["Europe/Nowhere", "", "../etc/passwd", "Europe"])
def test_an_unknown_zone_is_said(name: str) -> None:
    with pytest.raises(BadTime, match="no time zone"):
        next_run(cron("0 9 * * *", name), at("2026-05-06T07:00"))


@pytest.mark.parametrize(
    ("expression", "gap_s"),
    [("* * * * *", 60), ("0,1 9 * * *", 60), ("*/5 * * * *", 300), ("0 9 * * 1", 7 * 86_400)],
)
def test_the_shortest_gap_is_found(expression: str, gap_s: int) -> None:
    assert shortest_gap_s(cron(expression, "UTC"), at("2026-05-06T07:00")) == gap_s
