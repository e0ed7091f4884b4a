"""Who may talk, in SQLite: an `AccessStore` over the database that the other stores share."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, TypeVar

import aiosqlite

from gateway.store.access import (
    Change,
    Claim,
    Digest,
    Grant,
    Guard,
    Pairing,
    PairingRequest,
    StoredAccess,
)
from gateway.store.connection import Database
from gateway.store.rows import storable
from gateway.store.times import timestamp

T = TypeVar("T")

_REVISION = "SELECT revision FROM access_revision"


class SqliteAccess:
    """An `AccessStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def revision(self) -> int:
        """A number that is another after each change of grants or claim, by whatever process."""
        ((revision,),) = await self._database.rows(_REVISION)
        return int(revision)

    async def load(self) -> StoredAccess:
        """All grants and the claim."""
        async with self._database.writing() as connection:  # for one view of all
            grants = await connection.execute_fetchall(
                "SELECT platform, person_id, role, source, granted_by, granted_at "
                "FROM access_grants ORDER BY granted_at, platform, person_id"
            )
            claims = await connection.execute_fetchall(
                "SELECT salt, digest, expires_at FROM access_claim"
            )
            moves = await connection.execute_fetchall(
                "SELECT platform, chat_id, former_id FROM chat_moves"
            )
            return StoredAccess(
                revision=await _revision(connection),
                grants=tuple(
                    Grant(platform, person_id, role, source, by, _moment(at))
                    for platform, person_id, role, source, by, at in grants
                ),
                claim=_first(Claim(Digest(salt, it), _moment(end)) for salt, it, end in claims),
                moves=tuple((platform, now, former) for platform, now, former in moves),
            )

    async def remove_grant(self, platform: str, person_id: str) -> bool:
        """Take a person's grant away; False if there was none."""
        async with self._database.writing() as connection:
            cursor = await connection.execute(
                "DELETE FROM access_grants WHERE platform = ? AND person_id = ?",
                (storable(platform), storable(person_id)),
            )
            await _note_change(connection)
            return cursor.rowcount == 1

    async def put_claim(self, claim: Claim | None) -> None:
        """Let a claim take the place of the former one, or end that."""
        async with self._database.writing() as connection:
            await connection.execute("DELETE FROM access_claim")
            if claim is not None:
                await connection.execute(
                    "INSERT INTO access_claim (id, salt, digest, expires_at) VALUES (1, ?, ?, ?)",
                    (claim.code.salt, claim.code.digest, timestamp(claim.expires_at)),
                )
            await _note_change(connection)

    async def spend_claim(self, claim: Claim, grant: Grant) -> bool:
        """End this claim and store its grant; False if the claim was spent or replaced before."""
        async with self._database.writing() as connection:
            cursor = await connection.execute(
                "DELETE FROM access_claim WHERE salt = ? AND digest = ?",
                (claim.code.salt, claim.code.digest),
            )
            if cursor.rowcount != 1:
                return False
            await _put_grant(connection, grant)
            return True

    async def pairing(self) -> Pairing:
        """All that is known of pairing."""
        async with self._database.writing() as connection:  # for one view of both tables
            return await _pairing(connection)

    async def change_pairing(self, decide: Callable[[Pairing], Change[T]]) -> T:
        """Decide over what is stored, and store what comes out, grant included, in one go."""
        async with self._database.writing() as connection:
            before = await _pairing(connection)
            change = decide(before)
            if change.pairing != before:
                await _put_pairing(connection, change.pairing)
            if change.grant is not None:
                await _put_grant(connection, change.grant)
            return change.outcome


async def _revision(connection: aiosqlite.Connection) -> int:
    ((revision,),) = await connection.execute_fetchall(_REVISION)
    return int(revision)


async def _note_change(connection: aiosqlite.Connection) -> None:
    await connection.execute("UPDATE access_revision SET revision = revision + 1")


async def _put_grant(connection: aiosqlite.Connection, grant: Grant) -> None:
    await connection.execute(
        "INSERT OR REPLACE INTO access_grants "
        "(platform, person_id, role, source, granted_by, granted_at) VALUES (?, ?, ?, ?, ?, ?)",
        (
            storable(grant.platform),
            storable(grant.person_id),
            grant.role,
            grant.source,
            storable(grant.granted_by),
            timestamp(grant.granted_at),
        ),
    )
    await _note_change(connection)


async def _pairing(connection: aiosqlite.Connection) -> Pairing:
    requests = await connection.execute_fetchall(
        "SELECT platform, person_id, chat_id, name, salt, digest, requested_at, is_denied "
        "FROM pairing_requests ORDER BY requested_at, platform, person_id"
    )
    ((failures, failed_at),) = await connection.execute_fetchall(
        "SELECT failures, failed_at FROM pairing_guard"
    )
    return Pairing(
        tuple(
            PairingRequest(
                platform, person_id, chat_id, name, Digest(salt, it), _moment(at), bool(is_denied)
            )
            for platform, person_id, chat_id, name, salt, it, at, is_denied in requests
        ),
        Guard(failures, None if failed_at is None else _moment(failed_at)),
    )


async def _put_pairing(connection: aiosqlite.Connection, pairing: Pairing) -> None:
    """A few rows: all are written anew."""
    await connection.execute("DELETE FROM pairing_requests")
    await connection.executemany(
        "INSERT INTO pairing_requests "
        "(platform, person_id, chat_id, name, salt, digest, requested_at, is_denied) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                *map(storable, (one.platform, one.person_id, one.chat_id, one.name)),
                one.code.salt,
                one.code.digest,
                timestamp(one.requested_at),
                int(one.is_denied),
            )
            for one in pairing.requests
        ],
    )
    guard = pairing.guard
    await connection.execute(
        "UPDATE pairing_guard SET failures = ?, failed_at = ?",
        (guard.failures, None if guard.failed_at is None else timestamp(guard.failed_at)),
    )


def _moment(text: Any) -> datetime:  # noqa: ANN401 - rows have no types
    return datetime.fromisoformat(text)


def _first(items: Iterable[T]) -> T | None:
    return next(iter(items), None)
