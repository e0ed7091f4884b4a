"""A control group for one command, where this machine lets the gateway make one.

`ulimit` counts the memory of one process, and no processes at all for root; a control group counts
for all of a command together. An ordinary user's gateway can make one only if it has been given a
group of its own (systemd: `Delegate=yes`). Where there is none, the other limits still hold.
All functions block.
"""

import contextlib
import secrets
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
        self._folders = tuple(folders)

    @classmethod
    def make(cls, memory_mb: int, processes: int, root: Path = _ROOT) -> "Cgroup | None":
        """A group with these limits, or None if none can be made."""
        name = f"{_PREFIX}{secrets.token_hex(6)}"
        memory_bytes = str(memory_mb * _MIB)
        if (root / "cgroup.controllers").exists():
            limits = {"memory.max": memory_bytes, "memory.swap.max": "0", "pids.max": processes}
            wanted = [(_own_group(root) / name, limits)]
        else:
            wanted = [
                (root / "pids" / name, {"pids.max": processes}),
                (root / "memory" / name, {"memory.limit_in_bytes": memory_bytes}),
            ]
        made = [folder for folder, limits in wanted if _made(folder, limits)]
        return cls(made) if made else None

    def entered_by(self, arguments: Sequence[str]) -> list[str]:
        """An argument list that goes into the group before it becomes the one given."""
        lines = [f'echo $$ > "${number}/cgroup.procs"' for number in range(len(self._folders))]
        script = " && ".join(lines) + f" && shift {len(self._folders) - 1} && " + 'exec "$@"'
        return ["/bin/sh", "-c", script, *map(str, self._folders), *arguments]

    def close(self) -> None:
        """End what is still in it, and remove it."""
        until = time.monotonic() + _LEAVING_S
        for folder in self._folders:
            while folder.exists() and time.monotonic() < until:
                with contextlib.suppress(OSError):
                    folder.rmdir()  # fails while the last process is on its way out
                    break
                time.sleep(0.01)


def _own_group(root: Path) -> Path:
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            if line.startswith("0::/"):
                return root / line.removeprefix("0::/")
    return root


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
