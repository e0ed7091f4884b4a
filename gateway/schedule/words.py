"""What people and models write for a time → when a job runs. Pure.

    in 20 minutes                    at 9:00, today 21:00, tomorrow at 9am, friday 18:30
    2031-05-06 09:00                 every 2 hours, hourly
    every day at 9:00, daily 9am     every monday and friday 18:30, every weekday at 7:00
    cron 30 9 1 * *                  or the five fields alone

A time stands first; what follows it is what is to be done. Clock times are those of a zone.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from gateway.schedule.times import BadTime, instant_of, zone_of
from gateway.store.schedule import Kind, When

EXAMPLES = (
    "`in 20 minutes`, `tomorrow 9:00`, `2031-05-06 09:00`, `every day at 9:00`, "
    "`every monday 18:30`, `every 2 hours` or `cron 30 9 1 * *`"
)
MAX_DAYS_AHEAD = 5 * 366


@dataclass(frozen=True, slots=True)
class Read:
    """A time, and the words behind it."""

    when: When
    rest: str


def read_when(text: str, now: datetime, zone: str) -> Read:
    """Read the time that a text begins with. Raises `BadTime`."""
    text = text.strip()
    for pattern, make in _RULES:
        if match := pattern.match(text):
            kind, value = make(match, now, zone)
            rest = _LINK.sub("", text[match.end() :], count=1).strip()
            return Read(When(kind, value, zone), rest)
    raise BadTime(f"I don't understand that time. Write for example {EXAMPLES}.")


_Made = tuple[Kind, str]

_UNITS_S = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_CRON_DAYS = {"day": "*", "weekday": "1-5", "weekend": "6,0"}

_NUMBER = r"(?P<n>\d{1,5}|an?|one|half an)"
_UNIT = r"(?P<unit>minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)\b"
_CLOCK = r"(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))?(?:\s?(?P<half>am|pm))?(?!\w|[:.]\d)"
_AT = rf"(?:\s*,)?\s+(?:at\s+)?{_CLOCK}"
_DAY = (
    r"(?:mon(?:days?)?|tue(?:s(?:days?)?)?|wed(?:nesdays?)?|thu(?:rs(?:days?)?)?|fri(?:days?)?"
    r"|sat(?:urdays?)?|sun(?:days?)?)\b"
)
_ONE_DAY = _DAY.replace("days?", "day")
_CRON_FIELD = r"[\d*/,\-#lw]+"
_CRON_NAMED = r"[\da-z*/,\-#]+"  # with the names of days and months
_LINK = re.compile(r"^\s*(?:[:,;]|-\s|(?:to|that)\b)?\s*", re.IGNORECASE)


def _time_of(match: re.Match[str]) -> time:
    hour, minute, half = int(match["hour"]), int(match["minute"] or 0), match["half"]
    if half:
        if not 1 <= hour <= 12:
            raise BadTime(f"There is no {match['hour']} {half.strip()}.")
        hour = hour % 12 + (12 if half.strip().lower() == "pm" else 0)
    if hour > 23 or minute > 59:
        raise BadTime(f"A day has no {hour}:{minute:02}.")
    return time(hour, minute)


def _seconds_of(match: re.Match[str]) -> int:
    unit = _UNITS_S[match["unit"][0].lower()]
    number = match["n"].lower()
    seconds = unit // 2 if number.startswith("half") else unit * _count(number)
    if not 0 < seconds <= MAX_DAYS_AHEAD * 86_400:
        raise BadTime("That is no time that I can wait for.")
    return seconds


def _count(number: str) -> int:
    return int(number) if number.isdecimal() else 1


def _in(match: re.Match[str], now: datetime, _zone: str) -> _Made:
    moment = now.astimezone(UTC) + timedelta(seconds=_seconds_of(match))
    return Kind.ONCE, moment.isoformat(timespec="seconds")


def _on_a_date(match: re.Match[str], now: datetime, zone: str) -> _Made:
    try:
        moment = datetime.fromisoformat(f"{match['date']}T{match['clock'].upper()}")
        instant = moment if moment.tzinfo else instant_of(moment, zone_of(zone))
        ahead = instant - now
    except (ValueError, OverflowError) as error:
        raise BadTime(f"There is no {match['date']} {match['clock']}.") from error
    if ahead > timedelta(days=MAX_DAYS_AHEAD):
        raise BadTime("That is too far away.")
    return Kind.ONCE, moment.isoformat(timespec="seconds")


def _on_a_day(match: re.Match[str], now: datetime, zone: str) -> _Made:
    """Today, tomorrow, a day of the week, or the next time that clocks show it."""
    name, clock = (match["day"] or "").lower(), _time_of(match)
    today = now.astimezone(zone_of(zone)).date()
    days: tuple[int, ...] = (0, 1)  # where no day is named
    if name == "tomorrow":
        days = (1,)
    elif name == "today":
        days = (0,)
    elif name:
        first = (_DAYS.index(name[:3]) - today.weekday()) % 7
        days = (first, first + 7)
    for ahead in days:
        wall = datetime.combine(today + timedelta(days=ahead), clock)
        if instant_of(wall, zone_of(zone)) > now:
            break
    return Kind.ONCE, wall.isoformat(timespec="minutes")


def _every_while(match: re.Match[str], now: datetime, _zone: str) -> _Made:
    seconds = _seconds_of(match) if match["n"] else _UNITS_S[match["unit"][0].lower()]
    anchor = now.astimezone(UTC).isoformat(timespec="seconds")
    return Kind.EVERY, f"{seconds} {anchor}"


def _every_day_from_now(match: re.Match[str], now: datetime, zone: str) -> _Made:
    """At the present time of day: a day is not always 24 hours long."""
    local = now.astimezone(zone_of(zone))
    is_weekly = (match["unit"] or "").lower() == "week"
    return (
        Kind.CRON,
        f"{local.minute} {local.hour} * * {local.isoweekday() % 7 if is_weekly else '*'}",
    )


def _hourly(_match: re.Match[str], now: datetime, _zone: str) -> _Made:
    return Kind.EVERY, f"3600 {now.astimezone(UTC).isoformat(timespec='seconds')}"


def _every_day(match: re.Match[str], _now: datetime, _zone: str) -> _Made:
    clock = _time_of(match)
    days = _CRON_DAYS[(match["kind"] or "day").lower()]
    return Kind.CRON, f"{clock.minute} {clock.hour} * * {days}"


def _every_weekday(match: re.Match[str], _now: datetime, _zone: str) -> _Made:
    clock = _time_of(match)
    named = re.findall(_DAY, match["days"], re.IGNORECASE)
    numbers = sorted({(_DAYS.index(name[:3].lower()) + 1) % 7 for name in named})
    return Kind.CRON, f"{clock.minute} {clock.hour} * * {','.join(map(str, numbers))}"


def _cron(match: re.Match[str], _now: datetime, _zone: str) -> _Made:
    return Kind.CRON, " ".join(match["fields"].upper().split())


def _rule(
    pattern: str, make: Callable[[re.Match[str], datetime, str], _Made]
) -> tuple[re.Pattern[str], Callable[[re.Match[str], datetime, str], _Made]]:
    return re.compile(pattern, re.IGNORECASE), make


_RULES = (
    _rule(rf"in\s+{_NUMBER}\s*{_UNIT}", _in),
    _rule(
        r"(?:on\s+|at\s+)?(?P<date>\d{4}-\d\d-\d\d)(?:t|\s+(?:at\s+)?)"
        r"(?P<clock>\d\d:\d\d(?::\d\d)?(?:z|[+-]\d\d:\d\d)?)(?!\w|:\d)",
        _on_a_date,
    ),
    _rule(rf"(?:every\s+(?P<kind>day|weekday|weekend)|daily|everyday){_AT}", _every_day),
    _rule(
        rf"(?:every|each)\s+(?P<days>{_DAY}(?:(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+){_DAY})*){_AT}",
        _every_weekday,
    ),
    _rule(r"(?:every\s+(?P<unit>day|week)|(?P<daily>daily))\b", _every_day_from_now),
    _rule(rf"every\s+(?:{_NUMBER}\s*)?{_UNIT}", _every_while),
    _rule(r"hourly\b", _hourly),
    _rule(
        rf"cron:?\s+(?P<fields>{_CRON_NAMED}(?:\s+{_CRON_NAMED}){{4}})(?!\S)",
        _cron,
    ),
    _rule(rf"(?P<fields>{_CRON_FIELD}(?:\s+{_CRON_FIELD}){{4}})(?!\S)", _cron),
    _rule(rf"(?:next\s+|on\s+)?(?P<day>today|tomorrow|{_ONE_DAY}){_AT}", _on_a_day),
    _rule(rf"(?P<day>)at\s+{_CLOCK}", _on_a_day),
    _rule(r"(?P<day>)(?P<hour>\d\d?):(?P<minute>\d\d)(?P<half>\s?[ap]m)?(?!\w|:\d)", _on_a_day),
)
