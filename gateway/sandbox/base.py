"""The narrow waist between tools and whatever runs a program: what goes in, what comes out."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

_MIB = 1_048_576


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use."""

    memory_bytes: int = 256 * _MIB
    time_s: float = 30.0  # waiting for tools not counted
    write_bytes: int = 64 * _MIB  # to all files together; each new name counts as 4 KiB
    output_bytes: int = 100_000  # that are kept of stdout, and of stderr
    tool_calls: int = 50


class Ending(StrEnum):
    """How a run came to its end."""

    EXITED = "exited"  # by itself, whatever its exit code
    OUT_OF_TIME = "out of time"
    TOO_DEEP = "too deep"  # its calls filled the stack
    CRASHED = "crashed"  # the engine stopped it
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is left of a run. The texts say where something was left out of them."""

    ending: Ending
    exit_code: int | None  # None unless it exited
    stdout: str
    stderr: str
    tool_calls: int = 0
    was_write_refused: bool = False
    running_s: float = 0.0  # waiting for tools not counted


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a program reads as the result of a tool that it called."""

    content: str
    is_error: bool = False


ToolCaller = Callable[[str, Mapping[str, Any]], Awaitable[ToolAnswer]]
"""Calls a tool by its name; runs on the event loop. Raises nothing but `CancelledError`."""


class Sandbox(Protocol):
    """Runs programs."""

    async def run(
        self, program: str, workspace: Path, limits: Limits, call_tool: ToolCaller
    ) -> Outcome:
        """Run Python source code with `workspace` as its only folder, which has to exist.

        Cancelling ends the program and waits until it has ended. Raises `SandboxError`.
        """
