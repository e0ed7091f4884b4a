"""Reading a configuration file as text, and saying in a sentence why that failed."""

import errno
from pathlib import Path

from config.errors import ConfigUnreadable, Problem

MAX_BYTES = 1_000_000

_REASONS = {
    errno.ENOENT: "There is no such file.",
    errno.EACCES: "This file may not be read: check its owner and its mode.",
    errno.EISDIR: "This is a folder. Name the file in it.",
    errno.ENOTDIR: "There is no such file: a part of the path is a file, not a folder.",
    errno.ELOOP: "This is a symbolic link that leads back to itself.",
}


_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR}


def read_text(path: Path, name: str, *, is_optional: bool = False) -> str:
    """The text of a UTF-8 file, a byte order mark at its start ignored.

    If it is optional, a file that isn't there reads as empty. Raises `ConfigUnreadable`; its
    problem calls the file `name`.
    """
    failure: Problem
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        if is_optional and error.errno in _ABSENT:
            return ""
        reason = _REASONS.get(error.errno or 0, "This file can't be read.")
        failure = Problem(name, None, None, reason)
    except ValueError:  # a zero character in the path
        failure = Problem(name, None, None, "There is no such file.")
    else:
        if len(data) > MAX_BYTES:
            failure = Problem(name, None, None, "This is too large to be a configuration file.")
        else:
            try:
                return data.decode("utf-8-sig")
            except UnicodeDecodeError as error:
                # Behind a byte order mark `start` counts from after it, on the same line.
                before = error.object[: error.start]
                line = before.count(b"\n") + 1
                failure = Problem(
                    name, line, None, "This is not UTF-8 text. Save the file as UTF-8."
                )
    raise ConfigUnreadable([failure])
