"""Takes from a process what it does not need in order to read: files, other processes, the network.

Linux only, and each part as far as the kernel has it: Landlock (landlock(7), linux/landlock.h) for
files, TCP, signals and a look into other processes, then a filter of system calls for sockets and
programs. Neither can be undone, nor by what the process would start.
"""

import contextlib
import ctypes
import errno
import os
import platform
import site
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from gateway import seccomp

# The same on every machine (asm-generic/unistd.h).
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_PATH_BENEATH = 1

_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_FILE_RIGHTS = ((1, 13), (2, 14), (3, 15), (5, 16))  # from which version on there are how many
_TCP_SINCE, _TCP = 4, 0b11
_SCOPES_SINCE, _SCOPES = 6, 0b11  # abstract Unix sockets, signals

_SET_NO_NEW_PRIVILEGES, _SET_SECCOMP, _BY_FILTER = 38, 22, 2  # prctl(2)

_NOT_THERE = frozenset({errno.EINVAL, errno.ENOSYS})  # a kernel that was built without filters

_OF_THE_SYSTEM = (
    *("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib", "/usr/share/zoneinfo"),
    *("/nix/store", "/etc/ld.so.cache", "/etc/localtime", "/etc/mime.types"),
    *("/dev/null", "/dev/urandom"),
)


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def landlock_version() -> int:
    """Which version of Landlock the kernel has; 0 if none."""
    if sys.platform != "linux":
        return 0
    found: int = _libc().syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)
    return max(found, 0)


def shut_in() -> None:
    """Leave this process its open files and the programs that read. Raises `OSError`."""
    if sys.platform != "linux":
        return
    _checked(_libc().prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    if version := landlock_version():
        _restrict(version)
    if (steps := seccomp.reading_program(platform.machine())) is not None:
        filter_ = _Program(len(steps) // seccomp.STEP_BYTES, steps)
        try:
            _checked(_libc().prctl(_SET_SECCOMP, _BY_FILTER, ctypes.byref(filter_), 0, 0))
        except OSError as error:
            if error.errno not in _NOT_THERE:
                raise


def _restrict(version: int) -> None:
    rights = max(count for since, count in _FILE_RIGHTS if since <= version)
    wanted = _Ruleset(
        (1 << rights) - 1,
        _TCP if version >= _TCP_SINCE else 0,
        _SCOPES if version >= _SCOPES_SINCE else 0,
    )
    made = _libc().syscall(_CREATE_RULESET, ctypes.byref(wanted), ctypes.sizeof(wanted), 0)
    ruleset = _checked(made)
    try:
        for path in _readable():
            _allow(ruleset, path)
        _checked(_libc().syscall(_RESTRICT_SELF, ruleset, 0))
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            rights = _READ_FILE | _READ_DIR if path.is_dir() else _READ_FILE
            rule = _Beneath(rights, place)
            _checked(_libc().syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0))
        finally:
            os.close(place)


def _readable() -> Iterator[Path]:
    """Where programs are. Not all of `sys.path`: that may be a checkout, with settings and data."""
    ours = Path(__file__).parents[1]
    yield from (ours, ours.with_name("config"))
    libraries = (
        sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")
    )
    yield from map(Path, dict.fromkeys([*libraries, *_packages(sys.path)]))
    yield from (Path(sys.base_prefix, "lib"), *map(Path, _OF_THE_SYSTEM))


def _packages(paths: Iterable[str]) -> Iterator[str]:
    """Those that packages are installed into."""
    known = {*site.getsitepackages(), site.getusersitepackages()}
    return (path for path in paths if path in known or Path(path).name == "site-packages")


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
