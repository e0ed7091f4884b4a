"""One chat's folder, and all workspaces. Every path is held in its root, whatever is on the disk.

A path is walked name by name from the root's descriptor and no link is ever followed, so that
neither a path nor something that a program left in the folder leads out of it. What a path may look
like is `paths`' business. All methods block: call them off the event loop.
"""

import contextlib
import errno
import os
import stat as modes
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, cast

from gateway.workspace import trees
from gateway.workspace.changing import changing
from gateway.workspace.errors import (
    AlreadyThere,
    NotEmpty,
    NotThere,
    WorkspaceError,
    WorkspaceFull,
    WrongKind,
)
from gateway.workspace.paths import (
    PARTIAL_PREFIX,
    file_parts,
    folder_of,
    numbered,
    parts_of,
    safe_name,
)
from gateway.workspace.writing import FULL, PROGRAM_MODE, WorkspaceFile

FOLDER_NAME = "workspaces"
"""Where all of them are, in the data folder."""

FOLDER_MODE = 0o700
DEFAULT_QUOTA_BYTES = 500 * 1024**2
STALE_PARTIAL_S = 86_400
"""A file that has been in the making for longer was cut off by a kill."""

# Without O_NONBLOCK, opening a pipe that a program left there would wait for ever.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or a folder."""

    path: str  # from the workspace's root
    is_folder: bool
    size_bytes: int
    modified_at: float  # seconds since 1970

    @property
    def name(self) -> str:
        """Its name alone."""
        return self.path.rpartition("/")[2]


class Workspace:
    """The folder of one chat; made when something is first put into it, or by `prepare`."""

    def __init__(self, root: Path, quota_bytes: int = DEFAULT_QUOTA_BYTES) -> None:
        self.root = root
        self._quota_bytes = quota_bytes

    def prepare(self) -> Path:
        """Make the folder if it is not there; returns it."""
        self.root.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        return self.root

    def changing(self) -> AbstractContextManager[None]:
        """To be held by whoever reads files and writes what follows from that."""
        return changing(self.root)

    def open_read(self, path: str) -> BinaryIO:
        """A file's bytes. Raises `WorkspaceError`."""
        *above, name = file_parts(path)
        with self._folder(above) as folder, _told(path):
            descriptor = os.open(name, _FILE, dir_fd=folder)
        try:
            if not modes.S_ISREG(os.fstat(descriptor).st_mode):
                raise WrongKind(f"{path} is not a file.")
            return os.fdopen(descriptor, "rb")
        except BaseException:
            os.close(descriptor)
            raise

    def create(self, path: str, *, replace: bool) -> BinaryIO:
        """A file to be written; it has its name, and replaces another, once it is closed.

        Folders on the way are made. Raises `WorkspaceError`.
        """
        *above, name = file_parts(path)
        room_bytes = self._room_bytes()
        is_program = False
        with self._folder(above, make=True) as folder:
            with contextlib.suppress(NotThere):
                found = _stat(folder, name, path)
                if not replace:
                    raise AlreadyThere(f"{path} is there already.")
                if not modes.S_ISREG(found.st_mode):
                    raise WrongKind(f"{path} is not a file.")
                is_program = bool(found.st_mode & modes.S_IXUSR)
            file = self._begin(folder, name, room_bytes, replace=replace)
        if is_program:  # and stays one
            os.fchmod(file.fileno(), PROGRAM_MODE)
        return file

    def new_file(self, folder: str, name: str) -> WorkspaceFile:
        """A file with a name of its own, to be written; `final_name` is that, once it is closed.

        One of the same name and content is taken for it. Raises `WorkspaceError`.
        """
        room_bytes = self._room_bytes()
        with self._folder(parts_of(folder), make=True) as descriptor:
            return self._begin(
                descriptor, safe_name(name), room_bytes, replace=False, is_numbered=True
            )

    def save_new(self, folder: str, name: str, chunks: Iterable[bytes]) -> str:
        """Keep some bytes under a name of their own, like the one given; returns the path.

        A file of the same name and content is taken for it. Raises `WorkspaceError`.
        """
        with self.new_file(folder, name) as file:
            for chunk in chunks:
                file.write(chunk)
        return "/".join((*parts_of(folder), file.final_name))

    def list(self, path: str = "") -> list[Entry]:
        """What is in a folder, by name; links and devices are not shown. Raises `WorkspaceError`.

        A workspace that nothing was put into is an empty folder.
        """
        parts = parts_of(path)
        if not parts and not self.root.exists():
            return []
        with self._folder(parts) as folder, os.scandir(folder) as found:
            entries = [
                _entry("/".join((*parts, one.name)), one.stat(follow_symlinks=False))
                for one in found
                if not one.name.startswith(PARTIAL_PREFIX)
                and (one.is_file(follow_symlinks=False) or one.is_dir(follow_symlinks=False))
            ]
        return sorted(entries, key=lambda entry: entry.path)

    def files(self, path: str = "") -> Iterator[Entry]:
        """All files in a folder and in those in it, by path. Raises `WorkspaceError`.

        What a program has put where no path leads (too deep, odd names) is left out.
        """
        for entry in self.list(path):
            if entry.is_folder:
                with contextlib.suppress(WorkspaceError):
                    yield from self.files(entry.path)
            else:
                yield entry

    def stat(self, path: str) -> Entry:
        """What is known of a file or a folder. Raises `WorkspaceError`."""
        *above, name = file_parts(path)
        with self._folder(above) as folder:
            found = _stat(folder, name, path)
        if not (modes.S_ISREG(found.st_mode) or modes.S_ISDIR(found.st_mode)):
            raise WrongKind(f"{path} is neither a file nor a folder.")
        return _entry("/".join((*above, name)), found)

    def remove(self, path: str) -> None:
        """Remove a file, a link or an empty folder. Raises `WorkspaceError`."""
        *above, name = file_parts(path)
        with self._folder(above) as folder, _told(path):
            if modes.S_ISDIR(_stat(folder, name, path).st_mode):
                os.rmdir(name, dir_fd=folder)
            else:
                os.unlink(name, dir_fd=folder)

    def used_bytes(self) -> int:
        """What all files take together; what a kill left unfinished is removed on the way.

        Of a tree that is too deep to be measured: as much as there may be.
        """
        if not self.root.exists():
            return 0
        try:
            with self._folder(()) as folder:
                return trees.used_bytes(folder, PARTIAL_PREFIX, STALE_PARTIAL_S)
        except trees.TooDeep:
            return self._quota_bytes

    def room_bytes(self) -> int:
        """What may still be put into it; 0 if it is full."""
        return max(0, self._quota_bytes - self.used_bytes())

    def _room_bytes(self) -> int:
        room = self.room_bytes()
        if not room:
            raise WorkspaceFull(FULL)
        return room

    def _begin(
        self, folder: int, name: str, room_bytes: int, *, replace: bool, is_numbered: bool = False
    ) -> WorkspaceFile:
        own = os.dup(folder)
        try:
            with _told(name):
                return WorkspaceFile(own, name, room_bytes, replace=replace, number=is_numbered)
        except BaseException:
            os.close(own)
            raise

    @contextmanager
    def _folder(self, parts: Iterable[str], *, make: bool = False) -> Iterator[int]:
        """A descriptor of the folder at the end of the parts, each of which is one, and no link."""
        if make:
            self.prepare()
        seen: list[str] = []
        with _told("The workspace"):
            descriptor = os.open(self.root, trees.FOLDER_FLAGS)
        try:
            for part in parts:
                seen.append(part)
                with _told("/".join(seen)):
                    if make:
                        with contextlib.suppress(FileExistsError):
                            os.mkdir(part, FOLDER_MODE, dir_fd=descriptor)
                    inner = os.open(part, trees.FOLDER_FLAGS, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = inner
            yield descriptor
        finally:
            os.close(descriptor)


class Workspaces:
    """The workspaces of all chats, each in a folder below `root` that is named after its chat."""

    def __init__(self, root: Path, quota_bytes: int = DEFAULT_QUOTA_BYTES) -> None:
        self._root = root
        self._quota_bytes = quota_bytes

    def of(self, chat: str) -> Workspace:
        """The workspace of the chat with that session key. Does not block."""
        return _workspace(self._root, chat, self._quota_bytes)

    def move(self, chat: str, new_chat: str) -> None:
        """Let a chat's files be another's from now on; in a folder of theirs if that has some."""
        source, target = self.of(chat).root, self.of(new_chat).root
        if not source.exists():
            return
        if not target.exists():
            source.rename(target)
            return
        number = 1
        while (inner := target / numbered("moved", number)).exists():
            number += 1
        source.rename(inner)

    def remove(self, chat: str) -> None:
        """Delete all files of a chat."""
        root = self.of(chat).root
        with contextlib.suppress(FileNotFoundError):
            folder = os.open(root, trees.FOLDER_FLAGS)
            try:
                trees.empty(folder)
            finally:
                os.close(folder)
            root.rmdir()


@lru_cache(maxsize=1_024)
def _workspace(root: Path, chat: str, quota_bytes: int) -> Workspace:
    """Asked for several times in each turn; it holds nothing but its place."""
    return Workspace(root / folder_of(chat), quota_bytes)


def _entry(path: str, found: os.stat_result) -> Entry:
    is_folder = modes.S_ISDIR(found.st_mode)
    return Entry(path, is_folder, 0 if is_folder else found.st_size, found.st_mtime)


def _stat(folder: int, name: str, path: str) -> os.stat_result:
    with _told(path):
        return os.stat(name, dir_fd=folder, follow_symlinks=False)


@contextmanager
def _told(path: str) -> Iterator[None]:
    """Say what the system says in words of ours."""
    try:
        yield
    except OSError as error:
        raise _error(error, path) from error


def _error(error: OSError, path: str) -> WorkspaceError:
    kind, text = _ERRORS.get(cast("int", error.errno), (WorkspaceError, "{} could not be opened."))
    return kind(text.format(path))


_ERRORS: dict[int, tuple[type[WorkspaceError], str]] = {
    errno.ENOENT: (NotThere, "{} is not there."),
    errno.ENOTDIR: (WrongKind, "{} is not a folder."),
    errno.EISDIR: (WrongKind, "{} is a folder."),
    # Linux says ELOOP of a link that O_NOFOLLOW met; with O_DIRECTORY it says ENOTDIR.
    errno.ELOOP: (WrongKind, "{} is a link, and links are not followed."),
    errno.ENXIO: (WrongKind, "{} is not a file."),
    errno.EEXIST: (AlreadyThere, "{} is there already."),
    errno.ENOTEMPTY: (NotEmpty, "{} is a folder with something in it."),
    errno.ENOSPC: (WorkspaceFull, FULL),
    errno.EDQUOT: (WorkspaceFull, FULL),
    errno.ENAMETOOLONG: (WorkspaceError, "The path is too long."),
}
