"""What people write for a time, and what is made of it."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.schedule.times import BadTime, next_run
from gateway.schedule.wording import moment_text, when_text
from gateway.schedule.words import read_when
from gateway.store.schedule import Kind

ZONE = "Europe/Berlin"
NOW = datetime(2026, 11, 29, 23, 0, tzinfo=UTC)  # in Berlin Monday the 30th, 0:00


@pytest.mark.parametrize(
    ("text", "first", "when", "rest"),
    [
        ("in 20 minutes take it out", "Mon 30 Nov 2026, 00:20", "once", "take it out"),
        ("in an hour: call", "Mon 30 Nov 2026, 01:00", "once", "call"),
        ("In half an hour call", "Mon 30 Nov 2026, 00:30", "once", "call"),
        ("in 2h to call", "Mon 30 Nov 2026, 02:00", "once", "call"),
        ("tomorrow 9:00 to buy milk", "Tue 1 Dec 2026, 09:00", "once", "buy milk"),
        ("tomorrow at 9pm, go", "Tue 1 Dec 2026, 21:00", "once", "go"),
        ("today 23:59 go", "Mon 30 Nov 2026, 23:59", "once", "go"),
        ("at 9 amuse me", "Mon 30 Nov 2026, 09:00", "once", "amuse me"),
        ("12 am is no time, 9:30 is", None, None, None),
        ("9:30 pm go", "Mon 30 Nov 2026, 21:30", "once", "go"),
        ("friday 18:30 beer", "Fri 4 Dec 2026, 18:30", "once", "beer"),
        ("on monday at 0:00 beer", "Mon 7 Dec 2026, 00:00", "once", "beer"),
        ("2031-05-06 09:00 party", "Tue 6 May 2031, 09:00", "once", "party"),
        ("2031-05-06T09:00:00Z party", "Tue 6 May 2031, 11:00", "once", "party"),
        ("every day at 9:00: weather", "Mon 30 Nov 2026, 09:00", "at 09:00 every day", "weather"),
        ("daily 9am weather", "Mon 30 Nov 2026, 09:00", "at 09:00 every day", "weather"),
        ("every day weather", "Tue 1 Dec 2026, 00:00", "at 00:00 every day", "weather"),
        ("every monday 18:30 bins", "Mon 30 Nov 2026, 18:30", "at 18:30 on Monday", "bins"),
        (
            "every tuesday, thu and sat at 7 gym",
            "Tue 1 Dec 2026, 07:00",
            "at 07:00 on Tuesday, Thursday, and Saturday",
            "gym",
        ),
        ("every weekday at 7:15 up", "Mon 30 Nov 2026, 07:15", None, "up"),
        ("every 2 hours drink", "Mon 30 Nov 2026, 02:00", "every 2 hours", "drink"),
        ("every hour drink", "Mon 30 Nov 2026, 01:00", "every hour", "drink"),
        ("hourly drink", "Mon 30 Nov 2026, 01:00", "every hour", "drink"),
        ("cron 30 9 1 * * rent", "Tue 1 Dec 2026, 09:30", None, "rent"),
        ("30 9 1 * * rent", "Tue 1 Dec 2026, 09:30", None, "rent"),
        ("cron 0 9 * * mon-fri work", "Mon 30 Nov 2026, 09:00", None, "work"),
    ],
)
def test_a_time_is_read(text: str, first: str | None, when: str | None, rest: str | None) -> None:
    if first is None:
        with pytest.raises(BadTime):
            read_when(text, NOW, ZONE)
        return
    read = read_when(text, NOW, ZONE)
    following = next_run(read.when, NOW)
    assert following is not None
    assert moment_text(following, ZONE) == first
    assert read.rest == rest
    if when is not None:
        assert when_text(read.when) == when


@pytest.mark.parametrize(
    "text",
    [
        *("", "someday", "every month pay", "at 25:00 x", "at 13 pm x", "every 0 minutes x"),
        *("2031-02-30 09:00 x", "9999-12-31 23:59 x", "in 99999 weeks x", "in 5 monkeys"),
    ],
)
def test_what_is_no_time_is_said(text: str) -> None:
    with pytest.raises(BadTime):
        read_when(text, NOW, ZONE)


def test_in_twenty_minutes_is_right_in_the_hour_that_comes_twice() -> None:
    second_pass = datetime(2026, 10, 25, 1, 10, tzinfo=UTC)  # 2:10 in Berlin, again
    read = read_when("in 20 minutes x", second_pass, ZONE)
    assert next_run(read.when, second_pass) == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


BEGIN, END = datetime.fromisoformat("2020-01-01"), datetime.fromisoformat("2100-01-01")


@given(st.text(max_size=60), st.datetimes(BEGIN, END, timezones=st.just(UTC)))
def test_any_text_is_a_time_or_said_to_be_none(text: str, now: datetime) -> None:
    for prefix in ("", "every ", "in 5 ", "cron ", "at ", "2031-"):
        try:
            read = read_when(prefix + text, now, ZONE)
            next_run(read.when, now)
        except BadTime:
            continue
        assert read.when.kind in Kind
        assert len(read.rest) <= len(prefix + text)
