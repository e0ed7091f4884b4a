"""Folders and files that only their owner may read: chats are nobody else's business.

All of this blocks; it is called off the event loop.
"""

import os
from pathlib import Path

FOLDER_MODE = 0o700
FILE_MODE = 0o600


def make_folder(folder: Path) -> None:
    """Create a folder, and those above it. One that is there already keeps the mode it has."""
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)


def make_file(path: Path) -> None:
    """Create an empty file if there is none, and take everybody else's rights to it away.

    SQLite gives the files that it puts beside a database the database's mode.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
    try:
        if os.fstat(descriptor).st_mode & 0o777 != FILE_MODE:
            os.fchmod(descriptor, FILE_MODE)
    finally:
        os.close(descriptor)
