"""Whole trees of files, measured and removed however they look: programs have made them.

A folder can lie in another ten thousand times over, deeper than any path reaches and than the
standard library's own walks bear. `folder` is always an open descriptor; no link is followed. All
functions block.
"""

import contextlib
import os
import secrets
import stat as modes
import time
from collections.abc import Iterator
from pathlib import Path

from gateway.errors import GatewayError

MAX_DEPTH = 64
"""Of a tree that is measured; two descriptors are open for each level. Paths have 32 names."""

FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

# A program may run in there while we look.
_GONE = (FileNotFoundError, NotADirectoryError, PermissionError)


FREE_NAMES = 10_000
NAME_BYTES = 4_096
"""What a name beyond those takes, of files and folders with nothing in them as well: else there
could be millions, and each write looks at all of them."""


class TooDeep(GatewayError):
    """The tree has no measure: it is deeper than anybody could use."""


def used_bytes(folder: int, stale_prefix: str, stale_s: float) -> int:
    """What all files in a folder take. On the way those are removed whose names begin so and that
    have not been changed for so long. Raises `TooDeep`.
    """
    size_bytes, names = _used(folder, stale_prefix, stale_s, 0)
    return size_bytes + NAME_BYTES * max(0, names - FREE_NAMES)


def _used(folder: int, stale_prefix: str, stale_s: float, depth: int) -> tuple[int, int]:
    """Bytes of files, and how many names there are."""
    if depth > MAX_DEPTH:
        raise TooDeep(f"More than {MAX_DEPTH} folders lie in each other.")
    total = names = 0
    with os.scandir(folder) as found:
        for one in found:
            names += 1
            with contextlib.suppress(*_GONE):
                status = one.stat(follow_symlinks=False)
                if modes.S_ISDIR(status.st_mode):
                    with _opened(folder, one.name) as inner:
                        more_bytes, more_names = _used(inner, stale_prefix, stale_s, depth + 1)
                    total += more_bytes
                    names += more_names
                elif one.name.startswith(stale_prefix) and time.time() - status.st_mtime > stale_s:
                    os.unlink(one.name, dir_fd=folder)
                elif modes.S_ISREG(status.st_mode):
                    total += status.st_size
    return total, names


def empty(folder: int) -> None:
    """Remove everything in a folder."""
    while os.listdir(folder):
        _empty(folder, folder, 0)


def _empty(folder: int, top: int, depth: int) -> None:
    for name in os.listdir(folder):
        if not modes.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            os.unlink(name, dir_fd=folder)
        elif depth == MAX_DEPTH:  # it is brought up, and has its turn in the next round
            os.rename(name, f".deep-{secrets.token_hex(8)}", src_dir_fd=folder, dst_dir_fd=top)
        else:
            with _opened(folder, name) as inner:
                _empty(inner, top, depth + 1)
            os.rmdir(name, dir_fd=folder)


@contextlib.contextmanager
def _opened(folder: int, name: str) -> Iterator[int]:
    try:
        descriptor = os.open(name, FOLDER_FLAGS, dir_fd=folder)
    except PermissionError:
        _unlock(folder, name)
        descriptor = os.open(name, FOLDER_FLAGS, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _unlock(folder: int, name: str) -> None:
    """A program can lock a folder of its own (chmod 0); it is ours all the same."""
    # O_PATH opens what may not be read, and the link in /proc leads to that very folder (open(2)).
    found = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        Path(f"/proc/self/fd/{found}").chmod(0o700)
    finally:
        os.close(found)
