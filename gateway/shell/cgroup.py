"""A control group for one command, where this machine lets the gateway make one.

`ulimit` counts the memory of one process, and no processes at all for root; a control group counts
for all of a command together. An ordinary user's gateway can make one only if it has been given a
group of its own (systemd: `Delegate=yes` with `DelegateSubgroup=main`). Where there is none, the
other limits still hold. All functions block.
"""

import contextlib
import os
import secrets
import signal
import time
from collections.abc import Sequence
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_MIB = 1_048_576
_PREFIX = "hermes-"
_LEAVING_S = 2.0


class Cgroup:
    """Folders of control groups (one of version 2, or several of version 1), emptied at its end."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = tuple(folders)

    @classmethod
    def make(cls, memory_mb: int, processes: int, root: Path = _ROOT) -> "Cgroup | None":
        """A group with these limits, or None if none can be made."""
        name = f"{_PREFIX}{secrets.token_hex(6)}"
        memory_bytes = str(memory_mb * _MIB)
        if (root / "cgroup.controllers").exists():
            limits: dict[str, object] = {"memory.max": memory_bytes, "memory.swap.max": 0}
            limits["pids.max"] = processes
            own = _own_group(root)
            # A group with processes can't have limited ones below it; with systemd's
            # DelegateSubgroup= the one above is empty, and ours as well.
            for above in (own, own.parent) if own != root else (root,):
                if _has_controllers(above) and _made(above / name, limits):
                    return cls([above / name])
            return None
        wanted: list[tuple[Path, dict[str, object]]] = [
            (root / "pids" / name, {"pids.max": processes}),
            (root / "memory" / name, {"memory.limit_in_bytes": memory_bytes}),
        ]
        made = [folder for folder, limits in wanted if _made(folder, limits)]
        return cls(made) if made else None

    def entered_by(self, arguments: Sequence[str]) -> list[str]:
        """An argument list that goes into the group before it becomes the one given."""
        lines = [f'echo $$ > "${number}/cgroup.procs"' for number in range(len(self.folders))]
        script = " && ".join(lines) + f" && shift {len(self.folders) - 1} && " + 'exec "$@"'
        return ["/bin/sh", "-c", script, *map(str, self.folders), *arguments]

    def close(self) -> None:
        """End what is still in it, and remove it."""
        for folder in self.folders:
            until = time.monotonic() + _LEAVING_S
            while not _is_removed(folder) and time.monotonic() < until:
                time.sleep(0.01)


def _is_removed(folder: Path) -> bool:
    """Fails while the last process is on its way out, which it is told to be."""
    with contextlib.suppress(OSError):
        for line in (folder / "cgroup.procs").read_text().splitlines():
            if int(line) > 0:  # 0 stands for what is in another namespace, and for all of ours
                os.kill(int(line), signal.SIGKILL)
    with contextlib.suppress(OSError):
        folder.rmdir()
    return not folder.exists()


def _own_group(root: Path) -> Path:
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            if line.startswith("0::/"):
                return root / line.removeprefix("0::/")
    return root


def _has_controllers(above: Path) -> bool:
    """Whether groups below this one can be limited; they are allowed to, if they may be."""
    control = above / "cgroup.subtree_control"
    with contextlib.suppress(OSError):
        if not {"memory", "pids"} <= set(control.read_text().split()):
            control.write_text("+memory +pids\n")
        return True
    return False


def _made(folder: Path, limits: dict[str, object]) -> bool:
    try:
        folder.mkdir()
        # Where the system has not turned a controller on for us, its files are not there.
        known = {name: value for name, value in limits.items() if (folder / name).exists()}
        for name, value in known.items():
            (folder / name).write_text(f"{value}\n")
    except OSError:
        known = {}
    if not known:
        with contextlib.suppress(OSError):
            folder.rmdir()
    return bool(known)
