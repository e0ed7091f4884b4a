"""One gateway to a data folder: the second to come is refused, and told who was first.

The lock is the kernel's, on an open file, so it goes with the process however that ends. The
number of the process stands in a file beside it: taking the lock may empty the locked file itself.
"""

import os
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

from gateway.errors import StartupError
from gateway.store.private_files import FILE_MODE, make_folder

LOCK_NAME = "gateway.lock"
PID_NAME = "gateway.pid"


class DataFolderInUse(StartupError):
    """Another gateway has it."""


class DataLock:
    """A held lock. `release` it, or leave the `with`."""

    def __init__(self, lock: FileLock, pid_file: Path) -> None:
        self._lock = lock
        self._pid_file = pid_file

    def release(self) -> None:
        """Let another gateway in. Releasing twice is fine."""
        if self._lock.is_locked:
            self._pid_file.unlink(missing_ok=True)
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def lock_data_dir(folder: Path) -> DataLock:
    """Take a data folder, made if need be, for this process.

    Blocks for a moment, so it belongs before the event loop or off it. Raises `StartupError`.
    """
    pid_file = folder / PID_NAME
    try:
        make_folder(folder)
        lock = FileLock(folder / LOCK_NAME, mode=FILE_MODE, thread_local=False)
        lock.acquire(blocking=False)
    except Timeout:
        raise DataFolderInUse(
            f"Another gateway{_process(pid_file)} is using the data folder {folder}. Stop it, or "
            "give this one a data_dir of its own."
        ) from None
    except OSError as error:
        raise StartupError(
            f"The data folder {folder} can't be used: {error.strerror}. Check its owner and mode, "
            "or set another data_dir."
        ) from error
    held = DataLock(lock, pid_file)
    try:
        _write_pid(pid_file)
    except OSError as error:
        held.release()
        raise StartupError(
            f"The data folder {folder} can't be written to: {error.strerror}."
        ) from error
    return held


def _write_pid(pid_file: Path) -> None:
    """Write beside and rename, so that no reader sees half of a number."""
    draft = pid_file.with_suffix(".new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(f"{os.getpid()}\n")
    draft.replace(pid_file)


def _process(pid_file: Path) -> str:
    """The process in words; nothing if it has not said yet who it is."""
    try:
        text = pid_file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return f" (process {text})" if text.isdecimal() else ""
