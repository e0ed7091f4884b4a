"""What goes to the database's thread in one trip: units of work in one transaction, and queries.

A round trip costs more than most statements, and a commit more than most units. When trips are made
is `connection`'s business.
"""

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

_T = TypeVar("_T")

Work = Callable[[sqlite3.Connection], _T]
"""Statements of one unit, run in the database's thread, maybe more than once: all of them count, as
run the last time, or none."""


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """Work that somebody waits for, unless `done` is cancelled by then."""

    work: Work[Any]
    done: asyncio.Future[Any]
    is_query: bool = False  # it changes nothing, so it needs no transaction


class _Failed(Exception):
    """A unit has failed, and nothing of its transaction is there."""

    def __init__(self, unit: Job, error: Exception) -> None:
        super().__init__(error)
        self.unit = unit
        self.error = error


def carry_out(connection: sqlite3.Connection, jobs: Sequence[Job]) -> list[object]:
    """What each job returns, or the exception that it ended in. Runs in the database's thread.

    Queries see what the units have written.
    """
    written = _write(connection, [job for job in jobs if not job.is_query])
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


def _write(connection: sqlite3.Connection, units: Sequence[Job]) -> Mapping[Job, object]:
    """Do all units in one transaction. One that fails is left out, and the others are done again:
    failures are rare, and a savepoint for each unit would cost as much as the unit.
    """
    outcomes: dict[Job, object] = {}
    while left := [unit for unit in units if unit not in outcomes]:
        try:
            outcomes |= _written(connection, left)
        except _Failed as failed:
            outcomes[failed.unit] = failed.error
        except Exception as error:  # noqa: BLE001 - goes to all who wait
            return dict.fromkeys(left, error) | outcomes
    return outcomes


def _written(connection: sqlite3.Connection, units: Sequence[Job]) -> Mapping[Job, object]:
    """What each returns. Raises `_Failed` of the first that fails, and what else goes wrong."""
    if connection.in_transaction:  # a roll-back failed, on a disk that did
        connection.rollback()
    connection.execute("BEGIN IMMEDIATE")
    try:
        results = {unit: _result(connection, unit) for unit in units}
        connection.commit()
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.rollback()
        raise
    return results


def _result(connection: sqlite3.Connection, unit: Job) -> object:
    if unit.done.cancelled():
        return None
    try:
        return unit.work(connection)
    except Exception as error:
        raise _Failed(unit, error) from error
