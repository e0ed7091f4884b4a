"""Scheduled jobs in SQLite: a `ScheduleStore`. Each call is one transaction."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from adapters.base import Address, ChatKind
from gateway.store.connection import Database
from gateway.store.rows import storable
from gateway.store.schedule import Job, Kind, NewJob, TooManyJobs, When
from gateway.store.times import timestamp

_COLUMNS = (
    "id, chat, platform, chat_id, chat_kind, thread_id, chat_title, owner_id, owner_name, prompt, "
    "when_kind, when_value, zone, next_run, remaining, is_urgent, is_paused, last_run, last_outcome"
)


class SqliteSchedule:
    """The table `jobs`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, job: NewJob, *, per_chat: int, per_person: int) -> Job:
        """Keep a job. Raises `TooManyJobs`."""
        address = job.address
        owner = (address.platform, job.owner_id)
        limits = (
            ("chat", per_chat, "chat = ?", (storable(job.chat),)),
            ("person", per_person, "platform = ? AND owner_id = ?", owner),
        )  # fmt: skip
        async with self._database.writing() as connection:
            for whose, limit, condition, values in limits:
                ((count,),) = await connection.execute_fetchall(
                    f"SELECT count(*) FROM jobs WHERE {condition}",  # noqa: S608 - from the table
                    values,
                )
                if count >= limit:
                    raise TooManyJobs("chat" if whose == "chat" else "person", limit)
            cursor = await connection.execute(
                "INSERT INTO jobs (chat, platform, chat_id, chat_kind, thread_id, chat_title, "
                "owner_id, owner_name, prompt, when_kind, when_value, zone, next_run, remaining, "
                "is_urgent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    storable(job.chat),
                    address.platform,
                    address.chat_id,
                    address.kind.value,
                    address.thread_id,
                    None if job.chat_title is None else storable(job.chat_title),
                    job.owner_id,
                    storable(job.owner_name),
                    storable(job.prompt),
                    job.when.kind.value,
                    job.when.value,
                    job.when.zone,
                    timestamp(job.next_run),
                    job.remaining,
                    int(job.is_urgent),
                ),
            )
            return Job(int(cursor.lastrowid or 0), job)

    async def of_chat(self, chat: str) -> Sequence[Job]:
        """A chat's jobs, oldest first."""
        return await self._select("chat = ? ORDER BY id", (storable(chat),))

    async def coming(self, until: datetime, platforms: Collection[str]) -> Sequence[Job]:
        """The jobs of these platforms that are not paused and due at `until`, soonest first."""
        marks = ", ".join("?" * len(platforms))
        return await self._select(
            f"is_paused = 0 AND next_run <= ? AND platform IN ({marks}) ORDER BY next_run, id",
            (timestamp(until), *platforms),
        )

    async def remove(self, job_id: int) -> None:
        """Forget a job, if it is there."""
        async with self._database.writing() as connection:
            await connection.execute("DELETE FROM jobs WHERE id = ?", (job_id,))

    async def pause(self, job_id: int) -> None:
        """Let a job rest."""
        async with self._database.writing() as connection:
            await connection.execute("UPDATE jobs SET is_paused = 1 WHERE id = ?", (job_id,))

    async def resume(self, job_id: int, next_run: datetime) -> None:
        """Wake a job that rests."""
        async with self._database.writing() as connection:
            await connection.execute(
                "UPDATE jobs SET is_paused = 0, next_run = ? WHERE id = ?",
                (timestamp(next_run), job_id),
            )

    async def ran(
        self, job_id: int, *, at: datetime, outcome: str, next_run: datetime | None
    ) -> None:
        """Note that a job's time has come. Without a next time, or runs left, it is forgotten."""
        async with self._database.writing() as connection:
            if next_run is None:
                await connection.execute("DELETE FROM jobs WHERE id = ?", (job_id,))
                return
            await connection.execute("DELETE FROM jobs WHERE id = ? AND remaining <= 1", (job_id,))
            await connection.execute(
                "UPDATE jobs SET remaining = remaining - 1, next_run = ?, last_run = ?, "
                "last_outcome = ? WHERE id = ?",
                (timestamp(next_run), timestamp(at), storable(outcome), job_id),
            )

    async def _select(self, condition: str, values: Sequence[object]) -> Sequence[Job]:
        rows = await self._database.rows(
            f"SELECT {_COLUMNS} FROM jobs WHERE {condition}",  # noqa: S608 - all ours
            values,
        )
        return [_job(tuple(row)) for row in rows]


def _job(row: tuple[Any, ...]) -> Job:
    (
        id_, chat, platform, chat_id, kind, thread_id, title, owner_id, owner_name, prompt,
        when_kind, when_value, zone, next_run, remaining, is_urgent, is_paused, last_run, outcome,
    ) = row  # fmt: skip
    made = NewJob(
        chat=chat,
        address=Address(platform, chat_id, ChatKind(kind), thread_id),
        chat_title=title,
        owner_id=owner_id,
        owner_name=owner_name,
        prompt=prompt,
        when=When(Kind(when_kind), when_value, zone),
        next_run=datetime.fromisoformat(next_run),
        remaining=remaining,
        is_urgent=bool(is_urgent),
    )
    ran = None if last_run is None else datetime.fromisoformat(last_run)
    return Job(id_, made, bool(is_paused), ran, outcome)
