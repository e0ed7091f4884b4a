"""The argument list that shuts a command into a chat's workspace. Pure, but for looking at `/`.

bubblewrap (bwrap, 0.8 or later) makes namespaces of their own for users, processes, files, network
and the rest, in which there is the workspace, the programs of this machine to read, and nothing
else. Which system calls there are is `seccomp`'s business; what it can't limit is left to `ulimit`,
before the command.
"""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from gateway import seccomp

WORKSPACE = "/workspace"
_SHELL = "/bin/bash"
_PATH = "/usr/local/bin:/usr/bin:/bin"
_MIB = 1_048_576

# Found through links in many systems; the programs need them, and they hold no secrets.
_READABLE = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ssl/certs", "/etc/ca-certificates")
_FOR_THE_NETWORK = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/services")


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a command may use."""

    memory_mb: int = 1024  # address space of one process
    processes: int = 128
    cpu_s: int = 600  # of one process
    file_mb: int = 100  # one file's size
    scratch_mb: int = 64  # /tmp and /dev/shm, which are memory
    has_network: bool = False


def arguments(
    workspace: Path, command: str, confinement: Confinement, filter_file: int | None = None
) -> list[str]:
    """The whole argument list; the command line is bash's, with nothing of ours around it.

    `filter_file` is what `seccomp.opened` gives, to be inherited.
    """
    scratch = str(confinement.scratch_mb * _MIB)
    return [
        "bwrap",
        *("--unshare-user", "--unshare-all", "--disable-userns"),
        *(["--share-net"] if confinement.has_network else []),
        *(["--seccomp", str(filter_file)] if filter_file is not None else []),
        "--die-with-parent",  # without --new-session, which process.py sees to
        *("--cap-drop", "ALL", "--uid", "1000", "--gid", "1000", "--hostname", "sandbox"),
        *_environment(),
        *_system(),
        *_read_only(_READABLE),
        *(_read_only(_FOR_THE_NETWORK) if confinement.has_network else []),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--size", scratch, "--tmpfs", "/tmp", "--size", scratch, "--tmpfs", "/dev/shm"),  # noqa: S108 - inside
        *("--bind", str(workspace), WORKSPACE, "--chdir", WORKSPACE),
        *("--", _SHELL, "--noprofile", "--norc", "-c", _LIMITS, "bash"),
        *map(str, (confinement.memory_mb * 1024, confinement.processes, confinement.cpu_s)),
        *(str(confinement.file_mb * 1024), command),
    ]


# 64 files fewer than usual would break ordinary tools; 1024 is the usual soft limit. `-v` and `-f`
# are in KiB (bash counts `-f` in units of 1024 bytes).
_LIMITS = (
    'ulimit -c 0 -n 1024 -v "$1" -u "$2" -t "$3" -f "$4" || exit 125; '
    'exec /bin/bash --noprofile --norc -c "$5"'
)


def _environment() -> list[str]:
    """Nothing of the gateway's own, where the keys are."""
    words = {"PATH": _PATH, "HOME": WORKSPACE, "LANG": "C.UTF-8", "TERM": "dumb", "TMPDIR": "/tmp"}  # noqa: S108
    return ["--clearenv", *(part for item in words.items() for part in ("--setenv", *item))]


def _system() -> list[str]:
    found = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        path = Path("/") / name
        if path.is_symlink():
            found += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            found += ["--ro-bind", str(path), str(path)]
    return found


def _read_only(paths: tuple[str, ...]) -> list[str]:
    return [part for path in paths for part in ("--ro-bind-try", path, path)]


def why_not() -> str | None:
    """Why commands can't be shut in on this machine, or None if they can. Blocks."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed (Debian: apt install bubblewrap)."
    with seccomp.opened() as filter_file:
        done = subprocess.run(  # noqa: S603 - our own argument list
            arguments(Path("/usr"), "true", Confinement(), filter_file),
            check=False,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            pass_fds=() if filter_file is None else (filter_file,),
        )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
        return f"bubblewrap does not work here: {last}."
    return None
