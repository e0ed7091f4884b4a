"""What `hermes-gateway check` says of the shell, where the settings let anybody use it."""

import asyncio
from collections.abc import Iterable
from fnmatch import fnmatchcase

from config.settings import Settings
from gateway.errors import StartupError
from gateway.seccomp import is_unfiltered
from gateway.shell import bubblewrap
from gateway.shell.cgroup import Cgroup

_NAMES = ("shell", "terminal", "process")


def is_shell_named(settings: Settings) -> bool:
    """Whether the settings switch the shell on for somebody."""
    tools = settings.tools
    if "shell" in tools.toolsets:
        return True
    return any(_fits((*rule.allow, *rule.ask)) for rule in tools.rules)


def _fits(patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in _NAMES)


async def shell_works(settings: Settings) -> str:
    """Whether commands can be shut in here, and how well. Raises `StartupError` if they can't."""
    return await asyncio.to_thread(_tried, settings)


def _tried(settings: Settings) -> str:
    if reason := bubblewrap.why_not():
        raise StartupError(f"Commands can't be run: {reason}")
    group = Cgroup.make(settings.shell.memory_mb, settings.shell.max_processes)
    if group:
        group.close()
    network = "with the machine's network" if settings.shell.network else "without network"
    limits = "control groups" if group else "ulimit only"
    calls = "not filtered on this machine" if is_unfiltered() else "filtered"
    return f"bubblewrap works, {network}; limits by {limits}, system calls {calls}"
