"""The one task that waits for the next job and hands it to its chat.

A run is an ordinary message of the person who made the job, with an event id of its own: it is
taken once, whatever happens between here and the store. Only then the job's next time is stored.
The clock on the wall may jump; so it is looked at anew at least every `RECHECK_S`.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection
from datetime import UTC, datetime, timedelta
from enum import StrEnum

import structlog

from adapters.base import Inbound, Sender
from gateway.schedule.book import Book, with_zones
from gateway.schedule.due import due, is_late, ready_at
from gateway.schedule.times import BadTime, next_run
from gateway.schedule.wording import moment_text, when_text
from gateway.store.errors import StoreError
from gateway.store.schedule import Job, Kind

RECHECK_S = 60.0

_log = structlog.get_logger()


class Taken(StrEnum):
    """What became of a run that was handed over."""

    TAKEN = "begun"
    SEEN = "begun before"  # before a restart
    REFUSED = "not allowed to talk here"  # the person who made the job
    FULL = "the chat has no room"  # to be tried again


Deliver = Callable[[Inbound], Awaitable[Taken]]
"""Puts a scheduled run into its chat. Raises `StoreError`."""


class Scheduler:
    """Waits, and hands over. `run` it once."""

    def __init__(self, book: Book, deliver: Deliver, platforms: Collection[str]) -> None:
        self._book = book
        self._deliver = deliver
        self._platforms = platforms

    async def run(self) -> None:
        """Serve until cancelled. Trouble with the store is logged, and tried again."""
        while True:
            self._book.changed.clear()
            try:
                wait_s = await self._run_what_is_due()
            except StoreError as error:
                _log.error("the schedule could not be read", exc_info=error)
                wait_s = RECHECK_S
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._book.changed.wait()

    async def _run_what_is_due(self) -> float:
        """Hand over what is due; returns how long to wait, in seconds."""
        now = self._book.clock()
        until = now + timedelta(seconds=RECHECK_S)
        coming = await self._book.store.coming(until, self._platforms)
        for job in await with_zones(due(coming, now, self._book.quiet)):
            await self._hand_over(job, now)
        later = (ready_at(job, now, self._book.quiet) for job in coming)
        first = min((moment for moment in later if moment > now), default=until)
        return min((first - now).total_seconds(), RECHECK_S)

    async def _hand_over(self, job: Job, now: datetime) -> None:
        log = _log.bind(chat=job.made.chat, job=job.id)
        try:
            message, following = run_of(job, now), next_run(job.made.when, now)
        except BadTime as error:  # its zone is not known here any more, for example
            log.error("a job can't be run and is forgotten", reason=str(error))
            await self._book.store.remove(job.id)
            return
        taken = await self._deliver(message)
        if taken is Taken.FULL:
            log.warning("a scheduled run waits: its chat has no room")
            return
        log.info("scheduled run", outcome=taken.value)
        await self._book.store.ran(job.id, at=now, outcome=taken.value, next_run=following)


def run_of(job: Job, now: datetime) -> Inbound:
    """A job's run at this time, as a message of the person who made it."""
    made = job.made
    due_at = job.next_run.astimezone(UTC).isoformat(timespec="seconds")
    return Inbound(
        event_id=f"schedule:{job.id}:{due_at}",
        address=made.address,
        sender=Sender(made.owner_id, made.owner_name),
        text=made.prompt,
        chat_title=made.chat_title,
        scheduled=note_of(job, now),
    )


def note_of(job: Job, now: datetime) -> str:
    """What the model is told of a run besides what is to be done."""
    when, zone = job.made.when, job.made.when.zone
    parts = [f"job {job.id}"]
    if when.kind is not Kind.ONCE:
        parts.append(when_text(when))
    parts.append(f"due {moment_text(job.next_run, zone)} ({zone})")
    if is_late(job, now):
        parts.append(f"late, as it is {moment_text(now, zone)} now: say so if it matters")
    return "; ".join(parts)
