"""Compiled modules on disk, for the owner's eyes and hands only.

Loading a compiled module is as good as running native code, so a file is loaded only if nobody
else can have written it: it and all folders above it belong to us (or root) and no group or other
may write there. Its name carries its own digest, so a damaged one is noticed before the engine
sees it. What may be compiled, and when, is engine.py's business.
"""

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog

_SUFFIX = ".cwasm"
_KEPT_FILES = 4  # of other versions, so that two checkouts don't chase each other's files out

# Neither follow a symbolic link nor wait for the other end of a pipe; both exist on Unix only.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)

_log = structlog.get_logger(__name__)


class UntrustedPath(Exception):
    """Somebody else could have written here; the text says why."""


def default_folder() -> Path:
    """Where compiled agents are kept unless told otherwise (XDG Base Directory Specification)."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "hermes-pywasm"


class CodeCache:
    """A folder of compiled modules. `key` names what was compiled, by what and for what."""

    def __init__(self, folder: Path) -> None:
        # Resolved once: a symbolic link on the way can't send us elsewhere later.
        self._folder = folder.parent.resolve() / folder.name

    @contextmanager
    def open(self, key: str) -> Iterator[Path | None]:
        """A path to load the module from, valid inside the `with`; None if there is no good file.

        Raises `UntrustedPath` if the folder is not ours alone.
        """
        self._check_folder()
        for path in sorted(self._folder.glob(f"{key}.*{_SUFFIX}")):
            descriptor = self._open_file(path)
            if descriptor is None:
                continue
            try:
                # Linux: the very file that was checked, whatever has happened to its name.
                exact = Path(f"/proc/self/fd/{descriptor}")
                yield exact if sys.platform == "linux" and exact.exists() else path
            finally:
                os.close(descriptor)
            return
        yield None

    def write(self, key: str, code: bytes | bytearray) -> None:
        """Keep a compiled module. Raises `UntrustedPath` or `OSError`."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._check_folder()
        digest = hashlib.sha256(code).hexdigest()
        # mkstemp makes the file with mode 0600.
        descriptor, temporary = tempfile.mkstemp(dir=self._folder, prefix=f"{key}.", suffix=".tmp")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(code)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(self._folder / f"{key}.{digest}{_SUFFIX}")
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        self._prune(key, digest)

    def discard(self, key: str) -> None:
        """Forget a module whose file the engine refused."""
        for path in self._folder.glob(f"{key}.*{_SUFFIX}"):
            path.unlink(missing_ok=True)

    def _prune(self, key: str, digest: str) -> None:
        kept = f"{key}.{digest}{_SUFFIX}"
        stale = [path for path in self._folder.glob(f"{key}.*{_SUFFIX}") if path.name != kept]
        others = [p for p in self._folder.glob(f"*{_SUFFIX}") if not p.name.startswith(f"{key}.")]
        others.sort(key=lambda path: path.lstat().st_mtime, reverse=True)
        for path in (*stale, *others[_KEPT_FILES:]):
            path.unlink(missing_ok=True)

    def _check_folder(self) -> None:
        if not hasattr(os, "geteuid"):
            return  # Windows: a profile's folders belong to its user by their access lists
        for folder in (self._folder, *self._folder.parents):
            try:
                found = folder.lstat()
            except FileNotFoundError:
                continue
            if folder == self._folder and found.st_uid != os.geteuid():
                raise UntrustedPath(f"{folder} belongs to another user")
            reason = distrust(found, is_folder=True)
            if reason:
                raise UntrustedPath(f"{folder} {reason}")

    def _open_file(self, path: Path) -> int | None:
        """A descriptor of a file that is ours alone and whole, or None."""
        try:
            descriptor = os.open(path, _OPEN_FLAGS)
        except OSError as error:
            _log.warning("cached code ignored", path=str(path), reason=error.strerror)
            return None
        reason = distrust(os.fstat(descriptor), is_folder=False)
        if reason is None and _digest(descriptor) != path.name.split(".")[1]:
            reason = "is damaged"
        if reason is None:
            return descriptor
        os.close(descriptor)
        _log.warning("cached code ignored", path=str(path), reason=reason)
        return None


def _digest(descriptor: int) -> str:
    with os.fdopen(os.dup(descriptor), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def distrust(found: os.stat_result, *, is_folder: bool) -> str | None:
    """Why something on disk could have been written by somebody else, or None if it couldn't."""
    is_expected_kind = stat.S_ISDIR(found.st_mode) if is_folder else stat.S_ISREG(found.st_mode)
    if not is_expected_kind:
        return "is not a plain folder" if is_folder else "is not a plain file"
    if not hasattr(os, "geteuid"):
        return None
    if found.st_uid not in ({os.geteuid(), 0} if is_folder else {os.geteuid()}):
        return "belongs to another user"
    if is_folder and found.st_mode & stat.S_ISVTX:
        return None  # as /tmp: others can't rename or remove what is ours
    by_group = found.st_mode & stat.S_IWGRP and not _is_only_ours(found.st_gid)
    if by_group or found.st_mode & stat.S_IWOTH:
        return "can be written by other users"
    return None


def _is_only_ours(gid: int) -> bool:
    """Whether a group has us as its one member, as where every user has a group of their own."""
    import grp  # noqa: PLC0415 - these two exist on Unix only
    import pwd  # noqa: PLC0415

    us = os.geteuid()
    try:
        members = grp.getgrgid(gid).gr_mem
        return all(pwd.getpwnam(name).pw_uid == us for name in members) and all(
            entry.pw_uid == us for entry in pwd.getpwall() if entry.pw_gid == gid
        )
    except KeyError:
        return False
