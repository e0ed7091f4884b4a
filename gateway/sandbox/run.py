"""One run of one program: the host's side of what the sandbox imports, and the limits that hold.

All methods but `cancel` are called on the thread that the program runs on. None of them raises: an
exception can't cross WebAssembly, so a refusal is a number that guards.c or entry.c understands.
"""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future
from typing import Any, Protocol

import structlog

from gateway.sandbox.base import Limits, ToolAnswer
from gateway.sandbox.capture import Capture

_REQUEST_BYTES = 4 * 1_048_576  # of one call of a tool
_FAILED = -1
_STDOUT = 1

_log = structlog.get_logger(__name__)


class Memory(Protocol):
    """The program's linear memory, as far as a run needs it."""

    def read(self, start: int, end: int) -> bytes:
        """The bytes there; fewer if the memory ends before `end`."""

    def write(self, data: bytes, start: int) -> bool:
        """Put bytes there; False if they do not fit."""


Bridge = Callable[[str, Mapping[str, Any]], "Future[ToolAnswer]"]
"""Begins a call of a tool on the event loop, from another thread."""


class Run:
    """What a program has used so far, and what it has said."""

    def __init__(self, limits: Limits, bridge: Bridge) -> None:
        self._limits = limits
        self._bridge = bridge
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self._pending: Future[ToolAnswer] | None = None
        self._answer = b""
        self._written_bytes = 0
        self._started = time.monotonic()
        self._deadline = self._started + limits.time_s
        self._waited_s = 0.0
        self.stdout = Capture(limits.output_bytes)
        self.stderr = Capture(limits.output_bytes)
        self.tool_calls = 0
        self.was_write_refused = False

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody wants it to end."""
        return self._cancelled.is_set()

    @property
    def running_s(self) -> float:
        """How long it has run, without what it waited for tools."""
        return time.monotonic() - self._started - self._waited_s

    def cancel(self) -> None:
        """End it soon; from any thread."""
        self._cancelled.set()
        with self._lock:
            if self._pending is not None:
                self._pending.cancel()

    def begin(self, time_s: float) -> None:
        """The clock starts now."""
        self._started = time.monotonic()
        self._deadline = self._started + time_s

    def grant(self, time_s: float) -> None:
        """A last word: however it ended, it may go on for so long."""
        self._cancelled.clear()
        self._deadline = time.monotonic() + time_s

    def may_go_on(self) -> bool:
        """Asked at every tick of the engine's clock."""
        return not self._cancelled.is_set() and time.monotonic() < self._deadline

    def print(self, memory: Memory, stream: int, address: int, size: int) -> None:
        """stdout or stderr."""
        capture = self.stdout if stream == _STDOUT else self.stderr
        capture.write(size, lambda start, end: memory.read(address + start, address + end))

    def may_write(self, size: int) -> int:
        """Whether so many bytes more may go into files."""
        if self._written_bytes + size > self._limits.write_bytes:
            self.was_write_refused = True
            return 0
        self._written_bytes += size
        return 1

    def sleep(self, nanoseconds: int) -> int:
        """Wait, but not beyond the deadline; 0 if the program is to end."""
        left_s = self._deadline - time.monotonic()
        self._cancelled.wait(max(0.0, min(nanoseconds / 1e9, left_s)))
        return int(self.may_go_on())

    def tool_call(self, memory: Memory, address: int, size: int) -> int:
        """Carry out a call, while the program waits; the size of the answer."""
        answer = self._call(memory, address, size)
        content = {"content": answer.content, "is_error": answer.is_error}
        self._answer = json.dumps(content).encode()
        return len(self._answer)

    def tool_answer(self, memory: Memory, room: int) -> None:
        """Put the last answer where the program wants it."""
        memory.write(self._answer, room)
        self._answer = b""

    def _call(self, memory: Memory, address: int, size: int) -> ToolAnswer:
        try:
            name, arguments = _request(memory, address, size)
        except ValueError as error:
            return ToolAnswer(str(error), is_error=True)
        if self.tool_calls >= self._limits.tool_calls:
            text = f"One run may call {self._limits.tool_calls} tools, and has."
            return ToolAnswer(text, is_error=True)
        self.tool_calls += 1
        began = time.monotonic()
        try:
            return self._wait(self._bridge(name, arguments))
        except CancelledError:
            return ToolAnswer("The call was cancelled.", is_error=True)
        except Exception:  # noqa: BLE001 - logged; the program hears of it
            _log.exception("a tool failed that a program had called", tool=name)
            return ToolAnswer(f"{name} failed.", is_error=True)
        finally:
            waited_s = time.monotonic() - began
            self._waited_s += waited_s
            self._deadline += waited_s

    def _wait(self, future: "Future[ToolAnswer]") -> ToolAnswer:
        with self._lock:
            self._pending = future
        try:
            if self._cancelled.is_set():
                future.cancel()
            return future.result()
        finally:
            with self._lock:
                self._pending = None


def _request(memory: Memory, address: int, size: int) -> tuple[str, dict[str, Any]]:
    """The tool and its arguments. Raises `ValueError` in words for the program's author."""
    if size > _REQUEST_BYTES:
        raise ValueError("The arguments are too long; put them into a file and pass its path.")
    request = None
    # The program may have called the host by itself, with brackets without end.
    with contextlib.suppress(ValueError, RecursionError):
        request = json.loads(memory.read(address, address + size))
    if isinstance(request, dict):
        name, arguments = request.get("name"), request.get("arguments")
        if isinstance(name, str) and isinstance(arguments, dict):
            return name, arguments
    raise ValueError("A tool is called as tool(name, argument=value, …).")
