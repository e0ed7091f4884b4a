"""What is kept of scheduled jobs, and the narrow waist to whatever keeps it.

When a job runs is `gateway.schedule`'s business; here it has a next time, an instant.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol

from adapters.base import Address
from gateway.errors import GatewayError


class TooManyJobs(GatewayError):
    """The chat, or the person, has as many jobs as they may have."""

    def __init__(self, whose: Literal["chat", "person"], limit: int) -> None:
        super().__init__(f"this {whose} has {limit} scheduled jobs already")
        self.whose = whose
        self.limit = limit


class Kind(StrEnum):
    """The ways to say when a job runs, and what `When.value` is for each."""

    ONCE = "once"  # ISO 8601: with an offset an instant, without one the clock on the wall
    EVERY = "every"  # seconds, and the instant from which they are counted: "3600 2031-05-06T…"
    CRON = "cron"  # five fields, read as the clock on the wall


@dataclass(frozen=True, slots=True)
class When:
    """When a job runs. The clock on the wall is that of `zone`, an IANA name."""

    kind: Kind
    value: str
    zone: str


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job as it is made."""

    chat: str  # the session key
    address: Address
    chat_title: str | None
    owner_id: str
    owner_name: str
    prompt: str
    when: When
    next_run: datetime
    remaining: int | None = None  # runs to come; None is no limit
    is_urgent: bool = False  # quiet hours don't hold it back


@dataclass(frozen=True, slots=True)
class Job:
    """A job as it is kept."""

    id: int  # never given twice
    made: NewJob  # `next_run` and `remaining` in it are the present ones
    is_paused: bool = False
    last_run: datetime | None = None  # when it was handed to its chat, or could not be
    last_outcome: str | None = None

    @property
    def next_run(self) -> datetime:
        """The instant from which on it is due, in UTC."""
        return self.made.next_run


class ScheduleStore(Protocol):
    """Jobs. All methods raise `StoreError`."""

    async def add(self, job: NewJob, *, per_chat: int, per_person: int) -> Job:
        """Keep a job. Raises `TooManyJobs`."""

    async def of_chat(self, chat: str) -> Sequence[Job]:
        """A chat's jobs, oldest first."""

    async def coming(self, until: datetime, platforms: Collection[str]) -> Sequence[Job]:
        """The jobs of these platforms that are not paused and due at `until`, soonest first."""

    async def remove(self, job_id: int) -> None:
        """Forget a job, if it is there."""

    async def pause(self, job_id: int) -> None:
        """Let a job rest."""

    async def resume(self, job_id: int, next_run: datetime) -> None:
        """Wake a job that rests."""

    async def ran(
        self, job_id: int, *, at: datetime, outcome: str, next_run: datetime | None
    ) -> None:
        """Note that a job's time has come. Without a next time, or runs left, it is forgotten."""
