"""Lets one reader-and-writer of a workspace's files after the other.

Whoever reads a file and writes what follows from it holds the workspace's lock meanwhile: agents
that work side by side in a chat would otherwise undo each other's changes. Programs in the
workspace know nothing of it. Blocking.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakValueDictionary


class _Lock:
    """A lock that can be forgotten when nobody holds it."""

    def __init__(self) -> None:
        self.held = threading.Lock()


_all_locks: WeakValueDictionary[Path, _Lock] = WeakValueDictionary()
_looking = threading.Lock()


@contextmanager
def changing(root: Path) -> Iterator[None]:
    """Nobody else changes files below this root in this way until it is left."""
    with _looking:
        lock = _all_locks.get(root)
        if lock is None:
            lock = _all_locks[root] = _Lock()
    with lock.held:
        yield
