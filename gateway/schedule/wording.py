"""Jobs and times in words, for people and for models. Pure."""

from datetime import UTC, datetime, timedelta

from cronsim import CronSim

from gateway.schedule.times import zone_of
from gateway.store.schedule import Job, Kind, When
from gateway.titles import escaped

MAX_PROMPT_SHOWN = 100
_UNITS = ((604_800, "week"), (86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def moment_text(moment: datetime, zone: str) -> str:
    """An instant as the clocks of a zone show it: `Tue 6 May 2031, 09:00`."""
    local = moment.astimezone(zone_of(zone))
    return f"{local:%a} {local.day} {local:%b %Y, %H:%M}"


def span_text(span: timedelta) -> str:
    """A length of time, roughly: `20 minutes`, `3 hours`, `2 days`."""
    seconds = max(round(span.total_seconds()), 0)
    for size, name in _UNITS[1:]:
        if seconds >= size or size == 1:
            number = round(seconds / size)
            return f"{number} {name}{'s' * (number != 1)}"
    raise AssertionError("there is always a number of seconds")


def when_text(when: When) -> str:
    """When a job runs: `once`, `every 2 hours`, `at 09:00 every day`."""
    if when.kind is Kind.ONCE:
        return "once"
    if when.kind is Kind.CRON:
        text = CronSim(when.value, datetime.min.replace(tzinfo=UTC)).explain()
        return text[:1].lower() + text[1:]
    seconds = int(when.value.split()[0])
    size, name = next(unit for unit in _UNITS if seconds % unit[0] == 0)
    number = seconds // size
    return f"every {number} {name}s" if number != 1 else f"every {name}"


def job_text(job: Job, now: datetime) -> str:
    """A job in one line."""
    made, zone = job.made, job.made.when.zone
    about = [when_text(made.when)] if made.when.kind is not Kind.ONCE else []
    if job.is_paused:
        about.append("paused")
    else:
        ahead = job.next_run - now
        soon = f"in {span_text(ahead)}" if ahead > timedelta(0) else "due"
        about.append(f"next {moment_text(job.next_run, zone)} ({soon})")
    if made.remaining is not None and made.when.kind is not Kind.ONCE:
        about.append(f"{made.remaining} more time{'s' * (made.remaining != 1)}")
    if made.is_urgent:
        about.append("also in quiet hours")
    if job.last_run is not None:
        about.append(f"last {moment_text(job.last_run, zone)}: {job.last_outcome}")
    prompt = " ".join(made.prompt.split())
    if len(prompt) > MAX_PROMPT_SHOWN:
        prompt = prompt[: MAX_PROMPT_SHOWN - 1] + "…"
    return f"{job.id}: {prompt} ({'; '.join(about)})"


def resting_text(job: Job) -> str:
    """What is said of a job whose chat is gone."""
    where = f"“{escaped(job.made.chat_title)}”" if job.made.chat_title else "its chat"
    prompt = escaped(" ".join(job.made.prompt.split())[:MAX_PROMPT_SHOWN])
    return (
        f"Job {job.id} ({prompt}) rests: I can't write in {where} any more. Once I can, "
        f"`/schedule resume {job.id}` there wakes it."
    )
