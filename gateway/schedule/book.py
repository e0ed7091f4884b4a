"""Making and changing the jobs of a chat, by the rules that the settings give.

What a person or a model gets wrong comes back as `Refused`, whose text is for them. The scheduler
is woken by `changed`.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from adapters.base import Inbound
from config.schedule import ScheduleSettings
from gateway.errors import GatewayError
from gateway.schedule.due import QuietHours
from gateway.schedule.times import BadTime, next_run, shortest_gap_s, zone_of
from gateway.schedule.wording import moment_text, span_text
from gateway.schedule.words import read_when
from gateway.sessions import session_key
from gateway.store.schedule import Job, Kind, NewJob, ScheduleStore, TooManyJobs, When

MAX_PROMPT_CHARS = 2_000
MAX_RUNS = 10_000

_log = structlog.get_logger()


class Refused(GatewayError):
    """What was asked for can't be; the text says why, for people and models."""


class Book:
    """The jobs of all chats. `zone` is the IANA name of the zone that people here live in.

    Made off the event loop: the rules of the zone are read from a file.
    """

    def __init__(
        self,
        store: ScheduleStore,
        settings: ScheduleSettings,
        *,
        zone: str,
        clock: Callable[[], datetime],
    ) -> None:
        self.changed = asyncio.Event()
        self.store = store
        self.zone = zone
        self.clock = clock
        rules = zone_of(zone)
        self.quiet = settings.quiet_times and QuietHours(*settings.quiet_times, rules)
        self._settings = settings

    async def add(
        self,
        message: Inbound,
        words: str,
        prompt: str | None = None,
        *,
        runs: int | None = None,
        is_urgent: bool = False,
    ) -> Job:
        """Make a job in the chat, and in the name of the sender, of a message.

        Without a prompt it is what follows the time in `words`. Raises `Refused`.
        """
        if message.scheduled is not None:
            raise Refused("A scheduled run can't schedule another one: a person has to ask for it.")
        now = self.clock()
        try:
            read = read_when(words, now, self.zone)
            if prompt is not None and read.rest:
                raise BadTime(f"“{read.rest[:40]}” is no part of a time.")
            first = self._first_run(read.when, now)
        except BadTime as error:
            raise Refused(str(error)) from error
        text = (read.rest if prompt is None else prompt).strip()
        if not text:
            raise Refused("What shall I do then? Write it behind the time.")
        if len(text) > MAX_PROMPT_CHARS:
            raise Refused(f"That is too long: {MAX_PROMPT_CHARS:,} characters are the most.")
        if runs is not None and not 1 <= runs <= MAX_RUNS:
            raise Refused(f"A job can run 1 to {MAX_RUNS:,} times.")
        job = NewJob(
            chat=session_key(message.address),
            # It answers no message; all the rest stays as it was where the job was made.
            address=replace(message.address, reply_to=None),
            chat_title=message.chat_title,
            owner_id=message.sender.id,
            owner_name=message.sender.name,
            prompt=text,
            when=read.when,
            next_run=first,
            remaining=None if read.when.kind is Kind.ONCE else runs,
            is_urgent=is_urgent,
        )
        limits = self._settings
        try:
            made = await self.store.add(
                job, per_chat=limits.max_jobs_per_chat, per_person=limits.max_jobs_per_person
            )
        except TooManyJobs as error:
            who = "This chat has" if error.whose == "chat" else "You have"
            raise Refused(f"{who} {error.limit} jobs already. Remove one first.") from error
        self.changed.set()
        return made

    async def jobs(self, message: Inbound) -> Sequence[Job]:
        """The jobs of a message's chat."""
        return await with_zones(await self.store.of_chat(session_key(message.address)))

    async def remove(self, message: Inbound, job_id: int, *, of_any: bool = False) -> Job:
        """Forget a job of the sender's, or `of_any` person's in the chat. Raises `Refused`."""
        job = await self._changeable(message, job_id, of_any=of_any)
        await self.store.remove(job.id)
        return job

    async def pause(self, message: Inbound, job_id: int, *, of_any: bool = False) -> Job:
        """Let a job rest. Raises `Refused`."""
        job = await self._changeable(message, job_id, of_any=of_any)
        await self.store.pause(job.id)
        return replace(job, is_paused=True)

    async def chat_gone(self, message: Inbound) -> Sequence[Job]:
        """Let all jobs of a chat rest that nothing can be said in; returns those that did not yet.

        Raises `StoreError`.
        """
        chat = session_key(message.address)
        resting = [job for job in await self.store.of_chat(chat) if not job.is_paused]
        for job in resting:
            _log.warning("a job rests: its chat is gone", chat=chat, job=job.id)
            await self.store.pause(job.id)
        return resting

    async def resume(self, message: Inbound, job_id: int, *, of_any: bool = False) -> Job:
        """Wake a job that rests, from now on; what it has missed is not made up for."""
        job = await self._changeable(message, job_id, of_any=of_any)
        if not job.is_paused:
            return job
        following = next_run(job.made.when, self.clock())
        if following is None:
            raise Refused(f"The time of job {job.id} has passed. Remove it, and make another.")
        await self.store.resume(job.id, following)
        self.changed.set()
        return replace(job, made=replace(job.made, next_run=following), is_paused=False)

    def held_until(self, job: Job) -> datetime | None:
        """When the quiet hours end that a job's next run falls into."""
        if self.quiet is None or job.made.is_urgent:
            return None
        return self.quiet.end_after(job.next_run)

    def quiet_text(self, job: Job) -> str:
        """What is to be said of a new job that will wait for the end of the quiet hours."""
        end = self.held_until(job)
        if end is None:
            return ""
        return f" That is in the quiet hours: it will wait until {moment_text(end, self.zone)}."

    async def _changeable(self, message: Inbound, job_id: int, *, of_any: bool) -> Job:
        for job in await self.jobs(message):
            if job.id == job_id:
                if job.made.owner_id != message.sender.id and not of_any:
                    raise Refused(
                        f"Only {job.made.owner_name}, who made job {job_id}, can do that."
                    )
                return job
        raise Refused(f"There is no job {job_id} in this chat.")

    def _first_run(self, when: When, now: datetime) -> datetime:
        first = next_run(when, now)
        if first is None:
            raise BadTime("That time has passed." if when.kind is Kind.ONCE else "It never comes.")
        gap_s, least_s = shortest_gap_s(when, now), self._settings.min_interval_s
        if gap_s is not None and gap_s < least_s:
            raise BadTime(
                f"That is too often: every {span_text(timedelta(seconds=least_s))} at most."
            )
        return first


async def with_zones(jobs: Sequence[Job]) -> Sequence[Job]:
    """The jobs, once the rules of all their zones have been read off the event loop."""
    zones = {job.made.when.zone for job in jobs}
    if zones:
        await asyncio.to_thread(_load, zones)
    return jobs


def _load(zones: Iterable[str]) -> None:
    for zone in zones:
        with contextlib.suppress(BadTime):  # raised again by whoever needs it
            zone_of(zone)
