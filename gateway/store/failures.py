"""SQLite's errors → ours, each with a sentence for the administrator.

The result codes are those of https://www.sqlite.org/rescode.html; the last byte of an extended
code is its primary one.
"""

import errno
import sqlite3
from pathlib import Path

from gateway.store.errors import StoreDamaged, StoreError, StoreFull

Failure = tuple[type[StoreError], str]

_FULL: Failure = (
    StoreFull,
    "There is no room left for {path}. Make some: what was stored before is safe.",
)
_DISK: Failure = (
    StoreFull,
    "{path} can't be written: the disk is full or failing. What was stored before is safe.",
)
_DAMAGED: Failure = (
    StoreDamaged,
    "{path} is damaged, or not a database of Hermes. Move it away, or put a backup in its place.",
)
_FORBIDDEN: Failure = (
    StoreError,
    "{path} can't be opened for writing. Check the owner and the mode of the file and its folder.",
)
_HELD: Failure = (StoreError, "Another program holds {path}. Close it, or try again later.")

_PRIMARY: dict[int, Failure] = {
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_IOERR: _DISK,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_FORMAT: _DAMAGED,
    sqlite3.SQLITE_READONLY: _FORBIDDEN,
    sqlite3.SQLITE_CANTOPEN: _FORBIDDEN,
    sqlite3.SQLITE_PERM: _FORBIDDEN,
    sqlite3.SQLITE_BUSY: _HELD,
    sqlite3.SQLITE_LOCKED: _HELD,
}
_EXTENDED: dict[int, Failure] = {
    sqlite3.SQLITE_IOERR_READ: _DAMAGED,
    sqlite3.SQLITE_IOERR_SHORT_READ: _DAMAGED,
    sqlite3.SQLITE_IOERR_CORRUPTFS: _DAMAGED,
}
_SYSTEM: dict[int, Failure] = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EIO: _DISK,
}


def from_sqlite(error: sqlite3.Error, path: Path) -> StoreError:
    """What an error of SQLite means to us."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    failure = _EXTENDED.get(code) or _PRIMARY.get(code & 0xFF)
    if failure is None:
        return StoreError(f"{path} refused what was asked: {error}")
    cls, sentence = failure
    return cls(sentence.format(path=path))


def from_system(error: OSError, path: Path) -> StoreError:
    """What an error of the operating system means to us."""
    cls, sentence = _SYSTEM.get(error.errno or 0, _FORBIDDEN)
    return cls(sentence.format(path=path))


def damaged(path: Path) -> StoreDamaged:
    """For damage that we find ourselves."""
    return StoreDamaged(_DAMAGED[1].format(path=path))
