"""Which jobs are due, and which wait for the end of the quiet hours."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

from hypothesis import given
from hypothesis import strategies as st

from adapters.base import Address, ChatKind
from gateway.schedule.due import QuietHours, due, is_late, ready_at
from gateway.schedule.times import zone_of
from gateway.store.schedule import Job, Kind, NewJob, When

BEGIN, END = datetime.fromisoformat("2020-01-01"), datetime.fromisoformat("2040-01-01")
BERLIN = zone_of("Europe/Berlin")
NIGHT = QuietHours(time(22), time(7), BERLIN)
SIESTA = QuietHours(time(13), time(15, 30), BERLIN)
TEN_PM = datetime(2026, 5, 6, 20, 0, tzinfo=UTC)  # in Berlin


def job(id_: int, next_run: datetime, *, is_urgent: bool = False) -> Job:
    made = NewJob(
        chat="telegram:dm:1",
        address=Address("telegram", "1", ChatKind.DIRECT),
        chat_title=None,
        owner_id="1",
        owner_name="Alice",
        prompt="do it",
        when=When(Kind.CRON, "0 * * * *", "Europe/Berlin"),
        next_run=next_run,
        is_urgent=is_urgent,
    )
    return Job(id_, made)


def test_a_job_is_due_from_its_time_on_and_the_earliest_comes_first() -> None:
    minute = timedelta(minutes=1)
    jobs = [job(1, TEN_PM + minute), job(2, TEN_PM), job(3, TEN_PM - minute)]
    assert [j.id for j in due(jobs, TEN_PM, None)] == [3, 2]
    assert due([replace(jobs[1], is_paused=True)], TEN_PM, None) == []


def test_the_quiet_hours_hold_back_what_is_not_urgent() -> None:
    jobs = [job(1, TEN_PM), job(2, TEN_PM, is_urgent=True)]
    assert [j.id for j in due(jobs, TEN_PM + timedelta(hours=3), NIGHT)] == [2]
    assert ready_at(jobs[0], TEN_PM, NIGHT) == TEN_PM + timedelta(hours=9)
    assert [j.id for j in due(jobs, TEN_PM + timedelta(hours=9), NIGHT)] == [1, 2]


def test_quiet_hours_end_by_the_clock_also_in_the_night_that_is_short() -> None:
    before = datetime(2026, 3, 28, 22, 0, tzinfo=UTC)  # 23:00; the clocks skip an hour later on
    assert NIGHT.end_after(before) == datetime(2026, 3, 29, 5, 0, tzinfo=UTC)


def test_quiet_hours_may_lie_within_a_day() -> None:
    noon = datetime(2026, 5, 6, 12, 0, tzinfo=UTC)  # 14:00
    assert SIESTA.end_after(noon) == datetime(2026, 5, 6, 13, 30, tzinfo=UTC)
    assert SIESTA.end_after(noon + timedelta(hours=1, minutes=30)) is None


def test_a_run_is_late_after_some_minutes() -> None:
    assert not is_late(job(1, TEN_PM), TEN_PM + timedelta(minutes=5))
    assert is_late(job(1, TEN_PM), TEN_PM + timedelta(minutes=6))


clocks = st.times().map(lambda t: t.replace(second=0, microsecond=0))


@given(
    clocks,
    clocks,
    st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Africa/Cairo"]),
    st.datetimes(BEGIN, END, timezones=st.just(UTC)),
)
def test_the_end_of_the_quiet_hours_is_soon_and_not_quiet_itself(
    begin: time, end: time, zone: str, moment: datetime
) -> None:
    if begin == end:
        return
    quiet = QuietHours(begin, end, zone_of(zone))
    ends = quiet.end_after(moment)
    if ends is not None:
        assert moment < ends <= moment + timedelta(hours=25)
        assert quiet.end_after(ends) is None
