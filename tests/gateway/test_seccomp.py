"""The filter of system calls: for both machines by a small BPF machine, for this one by its kernel.

The kernel's part is skipped only where bubblewrap does not work, or there is no Perl to call it
with.
"""

import errno
import platform
import struct
import subprocess
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from gateway import seccomp
from gateway.shell import bubblewrap
from gateway.shell.bubblewrap import Confinement

ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
I386 = 0x40000003
BY_THE_KERNEL = pytest.mark.skipif(
    bubblewrap.why_not() is not None or not Path("/usr/bin/perl").exists(),
    reason=f"{bubblewrap.why_not() or 'there is no Perl in /usr/bin'}",
)

# By name, x86_64 and aarch64, from the kernel's headers.
READ, CLONE, CLONE3, IOCTL, SOCKET = (0, 63), (56, 220), (435, 435), (16, 29), (41, 198)
UNSHARE, KEYCTL, IO_URING_SETUP, PTRACE = (272, 97), (250, 219), (425, 425), (101, 117)
EXECVE, SEND_SIGNAL, PROCESS_VM_READV = (59, 221), (62, 129), (310, 270)
A_THREAD = 0x3D0F00  # the flags that pthread_create gives
NEW_USER, NEW_NET = 0x10000000, 0x40000000


def verdict(program: bytes, audit: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """What the filter says of a call, as linux/bpf_common.h has the codes."""
    given = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", number, audit, 0, *given)
    steps = list(struct.iter_unpack("=HBBI", program))
    loaded = position = 0
    while True:
        code, if_so, if_not, operand = steps[position]
        position += 1
        match code:
            case 0x20:
                (loaded,) = struct.unpack_from("=I", data, operand)
            case 0x06:
                return int(operand)
            case 0x15:
                position += if_so if loaded == operand else if_not
            case 0x35:
                position += if_so if loaded >= operand else if_not
            case 0x45:
                position += if_so if loaded & operand else if_not
            case _:
                raise AssertionError(f"{code:#x} is no step of a filter")


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize(
    ("numbers", "arguments", "expected"),
    [
        (READ, (), ALLOW),
        (PTRACE, (), ALLOW),  # it reaches nobody but one's own
        (UNSHARE, (), ERROR | errno.EPERM),
        (KEYCTL, (), ERROR | errno.EPERM),
        (IO_URING_SETUP, (), ERROR | errno.EPERM),
        (CLONE3, (), ERROR | errno.ENOSYS),
        (CLONE, (17,), ALLOW),
        (CLONE, (A_THREAD,), ALLOW),
        (CLONE, (A_THREAD | NEW_USER,), ERROR | errno.EPERM),
        (CLONE, (NEW_NET | 17,), ERROR | errno.EPERM),
        (IOCTL, (0, 0x5401), ALLOW),
        (IOCTL, (0, 0x5412), ERROR | errno.EPERM),
        (IOCTL, (0, 0x1_0000_5412), ERROR | errno.EPERM),  # the kernel drops the upper half
        (IOCTL, (0, 0x541C), ERROR | errno.EPERM),
        (SOCKET, (1,), ALLOW),
        (SOCKET, (10,), ALLOW),
        (SOCKET, (38,), ERROR | errno.EAFNOSUPPORT),  # AF_ALG
        (SOCKET, (17,), ERROR | errno.EAFNOSUPPORT),  # AF_PACKET
        (SOCKET, (40,), ERROR | errno.EAFNOSUPPORT),  # AF_VSOCK
    ],
)
def test_each_call_is_judged_by_its_number_and_arguments(
    machine: str, numbers: tuple[int, int], arguments: tuple[int, ...], expected: int
) -> None:
    program = seccomp.program(machine)
    assert program is not None
    number = numbers[list(AUDIT).index(machine)]
    assert verdict(program, AUDIT[machine], number, arguments) == expected


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_what_only_reads_has_no_sockets_and_no_programs_besides(machine: str) -> None:
    program, column = seccomp.reading_program(machine), list(AUDIT).index(machine)
    assert program is not None
    for call in (SOCKET, EXECVE, PTRACE, SEND_SIGNAL, PROCESS_VM_READV, KEYCTL):
        assert verdict(program, AUDIT[machine], call[column], (1,)) == ERROR | errno.EPERM
    for call in (READ, CLONE, IOCTL):
        assert verdict(program, AUDIT[machine], call[column]) == ALLOW
    assert seccomp.reading_program("s390x") is None


def test_calls_of_another_architecture_are_none() -> None:
    program = seccomp.program("x86_64")
    assert program is not None
    assert verdict(program, I386, 0) == KILL
    x32 = 0x40000000
    for number in (READ[0], UNSHARE[0]):
        assert verdict(program, AUDIT["x86_64"], x32 | number) == ERROR | errno.ENOSYS
    other = seccomp.program("aarch64")
    assert other is not None
    assert verdict(other, AUDIT["x86_64"], READ[0]) == KILL


def test_a_machine_that_is_not_known_does_without_and_says_so_once() -> None:
    with capture_logs() as logs:
        assert [seccomp.program("s390x") for _ in range(3)] == [None] * 3
    assert [log["event"] for log in logs] == ["commands run without a filter of system calls"]


def said(command: str, folder: Path) -> str:
    """What a command prints in bubblewrap."""
    with seccomp.opened() as filter_file:
        assert filter_file is not None
        done = subprocess.run(
            bubblewrap.arguments(folder, command, Confinement(), filter_file),
            check=False,
            capture_output=True,
            text=True,
            pass_fds=(filter_file,),
        )
    return done.stdout + done.stderr


def called(number: int, *arguments: int) -> str:
    """A program that makes a call and prints how it ended."""
    given = ", ".join(map(str, (number, *arguments)))
    return f"perl -e '$! = 0; syscall({given}); print $! + 0'"


@BY_THE_KERNEL
@pytest.mark.parametrize(
    ("numbers", "arguments", "expected"),
    [
        (KEYCTL, (0, 0), errno.EPERM),
        ((248, 217), (0, 0, 0, 0, 0), errno.EPERM),  # add_key
        ((249, 218), (0, 0, 0, 0), errno.EPERM),  # request_key
        (IO_URING_SETUP, (1, 0), errno.EPERM),
        ((428, 428), (-100, 0, 0), errno.EPERM),  # open_tree
        ((312, 272), (1, 1, 0, 0, 0), errno.EPERM),  # kcmp
        ((239, 236), (0, 0, 0, 0, 0), errno.EPERM),  # get_mempolicy
        (UNSHARE, (NEW_USER,), errno.EPERM),
        (CLONE, (NEW_USER | 17, 0, 0, 0, 0), errno.EPERM),
        (CLONE3, (0, 0), errno.ENOSYS),
        (IOCTL, (0, 0x5412, 0), errno.EPERM),
        (SOCKET, (40, 1, 0), errno.EAFNOSUPPORT),
    ],
)
def test_the_kernel_refuses_a_command_what_it_need_not_have(
    tmp_path: Path, numbers: tuple[int, int], arguments: tuple[int, ...], expected: int
) -> None:
    number = numbers[list(AUDIT).index(platform.machine())]
    assert said(called(number, *arguments), tmp_path) == str(expected)


@BY_THE_KERNEL
def test_the_filter_leaves_nothing_open_and_ordinary_programs_alone(tmp_path: Path) -> None:
    shown = said("ls /proc/self/fd; grep Seccomp: /proc/self/status; seq 3 | sort -r", tmp_path)
    assert shown.split() == ["0", "1", "2", "3", "Seccomp:", "2", "3", "2", "1"]
