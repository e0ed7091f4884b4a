"""The log as a file in the data folder, besides stderr: a few files of bounded size, owner only.

Lines are written by a thread, since a disk may hang and the event loop must not. If it can't keep
up, or there is no room, lines are missing from the file; stderr has them all the same.
"""

import logging
import os
import queue
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from pathlib import Path

from config.settings import LoggingSettings
from gateway.errors import StartupError
from gateway.store.private_files import FILE_MODE, make_folder

MAX_WAITING_LINES = 10_000
_MIB = 1_048_576


class _Waiting(QueueHandler):
    """Puts finished lines into the queue, as long as there is room in it."""

    def enqueue(self, record: logging.LogRecord) -> None:
        try:
            self.queue.put_nowait(record)
        except queue.Full:
            return  # the thread is stuck at the disk; stderr has the line


class _PrivateFiles(RotatingFileHandler):
    """Says once that it can't write, and not for each line."""

    _has_complained = False

    def _open(self) -> TextIOWrapper:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        return os.fdopen(os.open(self.baseFilename, flags, FILE_MODE), "a", encoding="utf-8")

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 - logging's
        if self._has_complained:
            return
        self._has_complained = True
        reason = getattr(sys.exc_info()[1], "strerror", None) or "no reason given"
        sys.stderr.write(
            f"The log file can't be written: {reason}. It misses lines from here on.\n"
        )


@contextmanager
def log_file(folder: Path, settings: LoggingSettings) -> Iterator[logging.Handler | None]:
    """A handler for the file that the settings name, for as long as the context lasts.

    None if they name none. At the end, what waits is written. Raises `StartupError`.
    """
    if settings.file is None:
        yield None
        return
    path = folder / settings.file
    try:
        make_folder(folder)
        files = _PrivateFiles(
            path,
            maxBytes=settings.file_mb * _MIB,
            backupCount=settings.file_count - 1,
            encoding="utf-8",
        )
    except OSError as error:
        raise StartupError(
            f"The log file {path} can't be written: {error.strerror}. Check its owner and mode, or "
            "take logging.file out."
        ) from error
    waiting: queue.Queue[logging.LogRecord] = queue.Queue(MAX_WAITING_LINES)
    listener = QueueListener(waiting, files)
    listener.start()
    handler = _Waiting(waiting)
    try:
        yield handler
    finally:
        logging.getLogger().removeHandler(handler)
        listener.stop()
        with suppress(OSError):  # there is no room for the last lines either, and it was said
            files.close()
