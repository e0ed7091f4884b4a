"""Filters of system calls: for commands, in the form that bubblewrap hands to the kernel, and for
processes of ours that read what strangers have made (`gateway/reading/shutting.py`).

bubblewrap shuts a command in by namespaces; whatever the kernel has to offer stays in its reach.
The filter leaves out what Docker's default profile leaves out for a container without rights, as
far as anything unprivileged could try it: keys of the kernel, io_uring, BPF, new namespaces and
mounts, kinds of sockets that nobody needs. It is a list of what is refused, so that ordinary
programs work.

A filter is classic BPF over `struct seccomp_data` (seccomp(2), linux/seccomp.h). It is short enough
to be put together here; libseccomp would be one more thing to install.
"""

import contextlib
import errno
import os
import platform
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import structlog

_log = structlog.get_logger()

# Each with its numbers on x86_64 and on aarch64 (asm/unistd_64.h, asm-generic/unistd.h).
_REFUSED = """
    acct 163 89; add_key 248 217; bpf 321 280; chroot 161 51; clock_settime 227 112;
    delete_module 176 106; fanotify_init 300 262; finit_module 313 273; fsconfig 431 431;
    fsmount 432 432; fsopen 430 430; fspick 433 433; get_mempolicy 239 236; init_module 175 105;
    io_uring_enter 426 426; io_uring_register 427 427; io_uring_setup 425 425; ioperm 173 -;
    iopl 172 -; kcmp 312 272; kexec_file_load 320 294; kexec_load 246 104; keyctl 250 219;
    lookup_dcookie 212 18; mbind 237 235; migrate_pages 256 238; mount 165 40;
    mount_setattr 442 442; move_mount 429 429; move_pages 279 239; open_by_handle_at 304 265;
    open_tree 428 428; perf_event_open 298 241; pidfd_getfd 438 438; pivot_root 155 41;
    quotactl 179 60; quotactl_fd 443 443; reboot 169 142; request_key 249 218;
    set_mempolicy 238 237; setns 308 268; settimeofday 164 170; swapoff 168 225; swapon 167 224;
    syslog 103 116; umount2 166 39; unshare 272 97; userfaultfd 323 282; uselib 134 -;
    vhangup 153 58
"""

_NOT_FOR_READING = """
    execve 59 221; execveat 322 281; fork 57 -; kill 62 129; pidfd_open 434 434;
    pidfd_send_signal 424 424; process_vm_readv 310 270; process_vm_writev 311 271; ptrace 101 117;
    rt_sigqueueinfo 129 138; socket 41 198; socketpair 53 199; tkill 200 130; vfork 58 -
"""
"""Of what a command may have, what nobody needs who only takes the text out of something."""

STEP_BYTES = 8  # struct sock_filter


@dataclass(frozen=True, slots=True)
class _Machine:
    """What differs from one to the other."""

    column: int  # of the table
    audit: int  # AUDIT_ARCH_…, linux/audit.h
    clone: int
    ioctl: int
    socket: int
    first_foreign: int | None = None  # from this number on calls are those of another ABI


_MACHINES = {
    "x86_64": _Machine(1, 0xC000_003E, clone=56, ioctl=16, socket=41, first_foreign=0x4000_0000),
    "aarch64": _Machine(2, 0xC000_00B7, clone=220, ioctl=29, socket=198),
}
_CLONE3 = 435  # on both

_NEW_NAMESPACES = 0x7E02_0000  # CLONE_NEW… of clone(2), but for time, which it can't make
_TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX: typing into somebody else's terminal
_FAMILIES = (0, 1, 2, 10, 16)  # AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6, AF_NETLINK

_ALLOW, _KILL, _ERROR = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENT = 0, 4, 16  # where they stand; an argument has eight bytes

_Step = tuple[int, int, int, int]  # code, steps to skip if so, if not, and the operand


@cache
def program(machine: str) -> bytes | None:
    """The filter for a machine as `platform.machine()` calls it; None for one that is not known."""
    known = _MACHINES.get(machine)
    if known is None:
        _log.warning("commands run without a filter of system calls", machine=machine)
        return None
    return _packed(_steps(known, _REFUSED))


def reading_program(machine: str) -> bytes | None:
    """The same for a process of ours that reads hostile documents, and does nothing else."""
    known = _MACHINES.get(machine)
    return None if known is None else _packed(_steps(known, f"{_REFUSED};{_NOT_FOR_READING}"))


def is_unfiltered() -> bool:
    """Whether there is no filter for this machine."""
    return program(platform.machine()) is None


@contextlib.contextmanager
def opened() -> Iterator[int | None]:
    """The filter for this machine, in a file to be inherited by one bubblewrap; or None.

    The file is memory: nothing of this blocks.
    """
    wanted = program(platform.machine())
    if wanted is None:
        yield None
        return
    file = os.memfd_create("seccomp")
    try:
        os.set_blocking(file, False)
        os.write(file, wanted)
        os.lseek(file, 0, os.SEEK_SET)
        yield file
    finally:
        os.close(file)


def _packed(steps: Iterable[_Step]) -> bytes:
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _steps(machine: _Machine, refused_calls: str) -> Iterator[_Step]:
    yield from (_load(_ARCHITECTURE), (_EQUAL, 1, 0, machine.audit), _return(_KILL))
    yield _load(_NUMBER)
    if machine.first_foreign is not None:
        yield from _if(_AT_LEAST, machine.first_foreign, [_error(errno.ENOSYS)])
    for call in refused_calls.split(";"):
        if (number := call.split()[machine.column]) != "-":
            yield from _if(_EQUAL, int(number), [_error(errno.EPERM)])
    # Its flags are in memory, where no filter sees them; C libraries fall back to clone.
    yield from _if(_EQUAL, _CLONE3, [_error(errno.ENOSYS)])
    refused = [_error(errno.EPERM)]
    flags = [_load(_ARGUMENT), *_if(_ANY_BIT, _NEW_NAMESPACES, refused), _return(_ALLOW)]
    yield from _if(_EQUAL, machine.clone, flags)
    # The kernel looks at the lower half of the request, too (CVE-2019-10063).
    requests = [step for one in _TERMINAL_INPUT for step in _if(_EQUAL, one, refused)]
    yield from _if(_EQUAL, machine.ioctl, [_load(_ARGUMENT + 8), *requests, _return(_ALLOW)])
    families = [step for one in _FAMILIES for step in _if(_EQUAL, one, [_return(_ALLOW)])]
    other = [_load(_ARGUMENT), *families, _error(errno.EAFNOSUPPORT)]
    yield from _if(_EQUAL, machine.socket, other)
    yield _return(_ALLOW)


def _load(place: int) -> _Step:
    return (_LOAD, 0, 0, place)


def _return(action: int) -> _Step:
    return (_RETURN, 0, 0, action)


def _error(number: int) -> _Step:
    return _return(_ERROR | number)


def _if(code: int, operand: int, steps: Sequence[_Step]) -> list[_Step]:
    """The steps are taken if what was loaded is so, else left out."""
    return [(code, 0, len(steps), operand), *steps]
