"""A copy of the database while it is in use, by SQLite's own means. Blocks.

The copy is one file, whole and checked. It is written beside its place first: a backup that was cut
off never looks like one.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from gateway.store.errors import StoreError
from gateway.store.failures import damaged, from_sqlite, from_system
from gateway.store.private_files import make_file


def back_up(source: Path, target: Path) -> int:
    """Copy a database to a file that doesn't exist yet; its size in bytes. Raises `StoreError`."""
    if not source.exists():
        raise StoreError(f"There is no database at {source} yet.")
    if target.exists():
        raise StoreError(f"{target} is there already, and backups are never written over.")
    draft = target.with_name(f"{target.name}.part")
    try:
        make_file(draft)
        _copy(source, draft)
        draft.replace(target)
        return target.stat().st_size
    except sqlite3.Error as error:
        raise from_sqlite(error, source) from error
    except OSError as error:
        raise from_system(error, target) from error
    finally:
        draft.unlink(missing_ok=True)


def _copy(source: Path, draft: Path) -> None:
    with (
        closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as live,
        closing(sqlite3.connect(draft)) as copy,
    ):
        live.backup(copy)  # in one go: writers go on meanwhile, and don't make it begin again
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, with no other beside it
        ((finding,),) = copy.execute("PRAGMA quick_check(1)").fetchall()
    if finding != "ok":
        raise damaged(source)
