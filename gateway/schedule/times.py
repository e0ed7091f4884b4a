"""When a job runs next. Pure: instants in, instants out, all in UTC.

The clock on the wall decides, in the job's zone: "every day at 9:00" stays there when the clocks
change. A time that the change skips becomes the first moment after the gap; one that comes twice
is taken the first time only. Jobs at every so many minutes or hours don't care.
"""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from gateway.store.schedule import Kind, When

_LOOK_AHEAD = 50
_CRON_FIELDS = 5  # six would begin with seconds


class BadTime(ValueError):
    """A time that can't be; the text tells a person why."""


def next_run(when: When, after: datetime) -> datetime | None:
    """The first run later than `after`; None if there is none any more. Raises `BadTime`."""
    after = after.astimezone(UTC)
    moment = _NEXT[when.kind](when.value, after, zone_of(when.zone))
    return moment if moment is not None and moment > after else None


@lru_cache(maxsize=64)
def zone_of(name: str) -> ZoneInfo:
    """The zone of an IANA name. Raises `BadTime`."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:  # a folder is an OSError
        raise BadTime(f"There is no time zone {name!r}.") from error


def instant_of(wall: datetime, zone: ZoneInfo) -> datetime:
    """The instant at which the clocks of a zone show this time for the first time.

    If they skip it, the first moment after the gap.
    """
    early = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if early.astimezone(zone).replace(tzinfo=None) == wall:
        return early
    # In a gap `fold` chooses the offset before it or after it (PEP 495): the gap is between them.
    late = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    low, high = min(early, late), max(early, late)
    offset = low.astimezone(zone).utcoffset()
    while high - low > timedelta(seconds=1):
        middle = low + (high - low) / 2
        if middle.astimezone(zone).utcoffset() == offset:
            low = middle
        else:
            high = middle
    return high.replace(microsecond=0)


def shortest_gap_s(when: When, after: datetime) -> float | None:
    """The least time between two of the coming runs, in seconds; None if it runs but once."""
    if when.kind is Kind.ONCE:
        return None
    gaps, previous = [], next_run(when, after)
    for _ in range(_LOOK_AHEAD):
        following = next_run(when, previous) if previous else None
        if previous is None or following is None:
            break
        gaps.append((following - previous).total_seconds())
        previous = following
    return min(gaps, default=None)


def _once(value: str, _after: datetime, zone: ZoneInfo) -> datetime:
    moment = datetime.fromisoformat(value)
    return moment.astimezone(UTC) if moment.tzinfo else instant_of(moment, zone)


def _every(value: str, after: datetime, _zone: ZoneInfo) -> datetime:
    seconds, anchor = value.split()
    interval = timedelta(seconds=int(seconds))
    begin = datetime.fromisoformat(anchor).astimezone(UTC)
    passed = (after - begin) // interval  # whole intervals; a negative one before the beginning
    return begin + max(passed + 1, 1) * interval


def _cron(value: str, after: datetime, zone: ZoneInfo) -> datetime | None:
    if len(value.split()) != _CRON_FIELDS:
        raise BadTime("A cron expression has five fields: minute, hour, day, month, weekday.")
    try:
        for moment in CronSim(value, after.astimezone(zone)):
            instant = moment.astimezone(UTC)
            # In the hour that comes twice, CronSim gives times of the first pass in the second.
            if instant > after:
                return instant
    except (CronSimError, OverflowError) as error:
        raise BadTime(f"`{value}` is no cron expression that I understand.") from error
    return None


_NEXT = {Kind.ONCE: _once, Kind.EVERY: _every, Kind.CRON: _cron}
