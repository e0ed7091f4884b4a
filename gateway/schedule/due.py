"""Which jobs are due now, and since when the others wait. Pure.

A job whose time has passed is due once, however often it was missed: what was missed is not made
up for. In the quiet hours only urgent jobs run; the others wait until their end.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from gateway.schedule.times import instant_of
from gateway.store.schedule import Job

LATE = timedelta(minutes=5)
"""A run that begins so much later than it should is told so."""


@dataclass(frozen=True, slots=True)
class QuietHours:
    """A part of each day, by the clocks of a zone; it may go over midnight."""

    begin: time
    end: time
    zone: ZoneInfo

    def end_after(self, moment: datetime) -> datetime | None:
        """When the quiet hours end that this moment lies in; None if it lies in none."""
        local = moment.astimezone(self.zone)
        today = local.date()
        for day in (today - timedelta(days=1), today):
            end_day = day if self.begin < self.end else day + timedelta(days=1)
            begins = instant_of(datetime.combine(day, self.begin), self.zone)
            ends = instant_of(datetime.combine(end_day, self.end), self.zone)
            if begins <= moment < ends:
                return ends
        return None


def ready_at(job: Job, now: datetime, quiet: QuietHours | None) -> datetime:
    """When a job may run: now, at its time, or when the quiet hours are over."""
    moment = max(job.next_run, now)
    if quiet is None or job.made.is_urgent:
        return moment
    return quiet.end_after(moment) or moment


def due(jobs: Iterable[Job], now: datetime, quiet: QuietHours | None) -> list[Job]:
    """The jobs that may run now, in the order in which their times came."""
    ready = [job for job in jobs if not job.is_paused and ready_at(job, now, quiet) <= now]
    return sorted(ready, key=lambda job: (job.next_run, job.id))


def is_late(job: Job, now: datetime) -> bool:
    """Whether a run that begins now begins notably later than it should."""
    return now - job.next_run > LATE
