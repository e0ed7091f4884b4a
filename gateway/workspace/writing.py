"""A file that is being written into a workspace: under a name of its own until it is closed.

So nobody ever reads half a file, and one that is cut off leaves nothing under its real name. What
room there is, is checked while it is written.
"""

import contextlib
import errno
import io
import os
import secrets
import stat
from collections.abc import Iterator
from types import TracebackType

from gateway.workspace.errors import AlreadyThere, WorkspaceFull, WrongKind
from gateway.workspace.paths import PARTIAL_PREFIX, numbered

FILE_MODE = 0o600
PROGRAM_MODE = 0o700
MAX_SAME_NAMES = 10_000
PIECE_BYTES = 1 << 20
FULL = "The workspace has no room left: remove files that are not needed."


class WorkspaceFile(io.BufferedWriter):
    """A file for writing. `close` gives it its name; leaving `with` by an exception, or `discard`,
    throws it away.

    All of it blocks. Raises `WorkspaceError` when there is no room, and from `close`.
    """

    def __init__(
        self, folder: int, name: str, room_bytes: int, *, replace: bool, number: bool = False
    ) -> None:
        """`folder` is an open descriptor, which is closed with the file; with `number` a name
        that is taken by another content is numbered."""
        self._is_held = False  # whether there is a folder to be closed and a name to be removed
        self.final_name = name
        self._folder = folder
        self._room_bytes = room_bytes
        self._replace = replace
        self._number = number
        self._partial = f"{PARTIAL_PREFIX}{secrets.token_hex(8)}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        raw = io.FileIO(os.open(self._partial, flags, FILE_MODE, dir_fd=folder), mode="w")
        super().__init__(raw)
        self._is_held = True

    def write(self, data: "bytes | bytearray | memoryview") -> int:  # type: ignore[override]  # files take no other buffers
        """See `io.BufferedWriter`."""
        self._room_bytes -= len(data)
        if self._room_bytes < 0:
            raise WorkspaceFull(FULL)
        with _told():
            return super().write(data)

    def close(self) -> None:
        """Give the file its name. Closing twice is fine."""
        if not self._is_held:
            return
        try:
            with _told():
                super().close()
            self._take_name()
        finally:
            self._let_go()

    def discard(self) -> None:
        """Throw away what was written."""
        if self._is_held:
            with contextlib.suppress(OSError):  # what can't be flushed is not wanted
                super().close()
            self._let_go()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def __del__(self) -> None:
        """A file that nobody closed was not finished."""
        self.discard()

    def _take_name(self) -> None:
        if self._replace:
            try:
                os.rename(
                    self._partial,
                    self.final_name,
                    src_dir_fd=self._folder,
                    dst_dir_fd=self._folder,
                )
            except IsADirectoryError as error:
                raise WrongKind(f"{self.final_name} is a folder.") from error
            return
        wanted = self.final_name
        for number in range(1, MAX_SAME_NAMES if self._number else 2):
            self.final_name = numbered(wanted, number)
            try:  # a link, unlike a rename, never replaces anything
                os.link(
                    self._partial,
                    self.final_name,
                    src_dir_fd=self._folder,
                    dst_dir_fd=self._folder,
                    follow_symlinks=False,
                )
            except FileExistsError:
                if self._number and self._is_there():
                    return
                continue
            return
        raise AlreadyThere(f"{wanted} is there already.")

    def _is_there(self) -> bool:
        """Whether the file of that name is the same: what is fetched again after a kill is."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            with (
                os.fdopen(os.open(self.final_name, flags, dir_fd=self._folder), "rb") as there,
                os.fdopen(os.open(self._partial, flags, dir_fd=self._folder), "rb") as new,
            ):
                found, wanted = os.fstat(there.fileno()), os.fstat(new.fileno())
                if not stat.S_ISREG(found.st_mode) or found.st_size != wanted.st_size:
                    return False
                while piece := new.read(PIECE_BYTES):
                    if there.read(len(piece)) != piece:
                        return False
                return True
        except OSError:  # a link, or not to be read
            return False

    def _let_go(self) -> None:
        self._is_held = False
        with contextlib.suppress(FileNotFoundError):  # it has been given its name
            os.unlink(self._partial, dir_fd=self._folder)
        os.close(self._folder)


@contextlib.contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise WorkspaceFull(FULL) from error
        raise
