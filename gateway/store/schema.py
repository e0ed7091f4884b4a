"""The numbered migrations, and bringing a database up to the last of them.

`PRAGMA user_version` says which was the last to be applied. All that are missing are applied in
one transaction: a database is never between two versions. A released migration is never edited.
"""

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import aiosqlite

from gateway.store.errors import StoreNewer
from gateway.store.failures import damaged

APPLICATION_ID = 0x48524D53  # "HRMS", as 0001_first.sql sets it
_NAME = re.compile(r"(\d{4})_\w+\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """The step to a version."""

    version: int
    statements: tuple[str, ...]


def split_statements(script: str) -> Iterator[str]:
    """The statements of a script. Each ends at the end of a line (comments may follow)."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement.strip()
            statement = ""


def load_migrations() -> tuple[Migration, ...]:
    """All migrations, in order. Blocks: it reads the package's files."""
    found = {}
    for entry in files("gateway.store").joinpath("migrations").iterdir():
        if name := _NAME.fullmatch(entry.name):
            statements = tuple(split_statements(entry.read_text(encoding="utf-8")))
            found[int(name[1])] = Migration(int(name[1]), statements)
    return tuple(found[version] for version in range(1, len(found) + 1))


async def migrate(
    connection: aiosqlite.Connection, path: Path, migrations: tuple[Migration, ...]
) -> None:
    """Bring a database up to date, inside the transaction that is open.

    Raises `StoreNewer`, `StoreDamaged` if the database is another program's, and `sqlite3.Error`.
    """
    version = await _number(connection, "PRAGMA user_version")
    newest = migrations[-1].version
    owner = await _number(connection, "PRAGMA application_id")
    tables = await _number(connection, "SELECT count(*) FROM sqlite_schema")
    if owner != APPLICATION_ID and (owner or version or tables):
        raise damaged(path)
    if version > newest:
        raise StoreNewer(
            f"{path} was written by a newer version of Hermes (schema {version}, this one knows "
            f"{newest}). Install that version, or use another data folder."
        )
    for migration in migrations[version:]:
        for statement in migration.statements:
            await connection.execute(statement)
        # A pragma takes no parameters; this is a number of ours.
        await connection.execute(f"PRAGMA user_version = {migration.version:d}")


async def _number(connection: aiosqlite.Connection, query: str) -> int:
    ((value,),) = await connection.execute_fetchall(query)
    return int(value)
