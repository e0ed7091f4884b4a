"""What goes to the database's thread in one trip: units of work in one transaction, and queries.

A round trip costs more than most statements, and a commit more than most units. When trips are made
is `connection`'s business.
"""

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

_T = TypeVar("_T")

Work = Callable[[sqlite3.Connection], _T]
"""Statements of one unit, run in the database's thread: all of them count or none."""


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """Work that somebody waits for, unless `done` is cancelled by then."""

    work: Work[Any]
    done: asyncio.Future[Any]
    is_query: bool = False  # it changes nothing, so it needs no transaction


def carry_out(connection: sqlite3.Connection, jobs: Sequence[Job]) -> list[object]:
    """What each job returns, or the exception that it ended in. Runs in the database's thread.

    Queries see what the units have written.
    """
    units = [job for job in jobs if not job.is_query]
    written = dict(zip(units, _in_one_transaction(connection, units), strict=True))
    return [written[job] if job in written else _query(connection, job) for job in jobs]


def settle(jobs: Sequence[Job], outcomes: Sequence[object]) -> None:
    """Tell those who wait. Runs in the loop's thread."""
    for job, outcome in zip(jobs, outcomes, strict=True):
        if job.done.done():
            continue
        if isinstance(outcome, Exception):
            job.done.set_exception(outcome)
        else:
            job.done.set_result(outcome)


def _query(connection: sqlite3.Connection, job: Job) -> object:
    try:
        return job.work(connection)
    except Exception as error:  # noqa: BLE001 - goes to whoever asked
        return error


def _in_one_transaction(connection: sqlite3.Connection, units: Sequence[Job]) -> Sequence[object]:
    if not units:
        return ()
    try:
        if connection.in_transaction:  # a roll-back failed, on a disk that did
            connection.rollback()
        connection.execute("BEGIN IMMEDIATE")
        outcomes = [_unit(connection, job) for job in units]
        connection.commit()
    except Exception as error:  # noqa: BLE001 - goes to all who wait
        with contextlib.suppress(sqlite3.Error):
            connection.rollback()
        outcomes = [error] * len(units)
    return outcomes


def _unit(connection: sqlite3.Connection, job: Job) -> object:
    """What the unit returns, or the exception that undid it alone."""
    if job.done.cancelled():
        return None
    connection.execute("SAVEPOINT unit")
    try:
        result = job.work(connection)
    except Exception as error:
        if not connection.in_transaction:  # SQLite undid everything, as on a full disk
            raise
        connection.execute("ROLLBACK TO unit")
        result = error
    connection.execute("RELEASE unit")
    return result
