"""One agent as a Wasm instance: lines into its memory, one call, lines out of it.

Owns the way across the boundary and makes every way to fail a typed one. Doesn't know what the
lines say. Not thread-safe beyond refusing to be closed in mid-step.
"""

import ctypes
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import structlog
import wasmtime

from gateway.runtime.errors import AgentFailure, FailureKind, NoRoom
from gateway.runtime.exports import bind_alloc, bind_step
from gateway.runtime.pages import Image, private_bytes

_STDERR_BYTES: Final = 16_384
_MEMORY_SLACK_BYTES: Final = 1_048_576  # CPython asks for arenas of up to this size

# The host's own cost of an instance: store, WASI context, tables, allocator (see benchmarks).
HOST_BYTES: Final = 98_304
# Where the system doesn't tell: what an agent has written to after its first turns.
_ESTIMATED_WRITTEN_BYTES: Final = 1_048_576

_TABLE_ELEMENTS: Final = 100_000  # the snapshot has some thousands; each costs the host 8 bytes

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one agent may use."""

    memory_bytes: int
    image_bytes: int  # that it has from the start
    step_timeout_s: float
    deadline_ticks: int


class StderrTail:
    """The last that an agent wrote on stderr."""

    def __init__(self) -> None:
        self._chunks: deque[bytes] = deque()
        self._size = 0

    def write(self, chunk: bytes) -> None:
        chunk = chunk[-_STDERR_BYTES:]
        self._chunks.append(chunk)
        self._size += len(chunk)
        while self._size > _STDERR_BYTES:
            self._size -= len(self._chunks.popleft())

    def take(self) -> str:
        """All that is there, and forget it."""
        text = b"".join(self._chunks).decode(errors="replace")
        self._chunks.clear()
        self._size = 0
        return text


class WasmInstance:
    """Implements `gateway.runtime.base.Instance`."""

    def __init__(
        self,
        engine: wasmtime.Engine,
        snapshot: wasmtime.InstancePre,
        image: Image,
        chat: str,
        limits: Limits,
    ) -> None:
        self._image = image
        self._chat = chat
        self._limits = limits
        self._stderr = StderrTail()
        self._failed = False
        self._last_bytes = HOST_BYTES + _ESTIMATED_WRITTEN_BYTES
        self._lock = threading.Lock()
        store = wasmtime.Store(engine)
        self._store: wasmtime.Store | None = store
        try:
            self._instantiate(store, snapshot)
        except BaseException:
            self.close()
            raise

    def _instantiate(self, store: wasmtime.Store, snapshot: wasmtime.InstancePre) -> None:
        store.set_limits(
            memory_size=self._limits.memory_bytes,
            table_elements=_TABLE_ELEMENTS,
            instances=1,
            tables=4,
            memories=1,
        )
        store.set_wasi(_nothing_but_stderr(self._stderr))
        store.set_epoch_deadline(self._limits.deadline_ticks)
        try:
            exports = snapshot.instantiate(store).exports(store)
        except wasmtime.Trap as trap:
            raise self._stopped(trap) from trap
        except wasmtime.WasmtimeError as error:
            raise NoRoom(f"no room for the agent of {self._chat}: {error}") from error
        memory = exports["memory"]
        alloc, step = exports["agent_alloc"], exports["agent_step"]
        assert isinstance(memory, wasmtime.Memory)  # noqa: S101 - checked by the engine
        assert isinstance(alloc, wasmtime.Func)  # noqa: S101
        assert isinstance(step, wasmtime.Func)  # noqa: S101
        self._memory = memory
        # Stays: the engine is configured so that memories don't move.
        self._base = ctypes.addressof(memory.data_ptr(store).contents)
        self._size = memory.data_len(store)
        self._alloc = bind_alloc(store, alloc)
        self._step = bind_step(store, step)

    def step(self, lines: Sequence[str]) -> list[str]:
        """See `Instance.step`. Raises `AgentFailure` at every kind of end."""
        data = ("\n".join(lines) + "\n").encode() if lines else b""
        if data.count(b"\n") != len(lines):
            raise ValueError("a line has a line break within it")
        with self._lock:
            store = self._store
            if store is None or self._failed:
                raise AgentFailure(self._chat, FailureKind.CLOSED, "it can't be stepped any more")
            try:
                answer = self._exchange(store, data)
            except AgentFailure:
                self._failed = True
                raise
            self._log_stderr()
        return answer

    def _exchange(self, store: wasmtime.Store, data: bytes) -> list[str]:
        store.set_epoch_deadline(self._limits.deadline_ticks)
        try:
            pointer = self._alloc(len(data))
            if pointer == 0:
                raise self._failure(FailureKind.OUT_OF_MEMORY, "no memory for the lines fed")
            self._check_range(store, pointer, len(data))
            ctypes.memmove(self._base + pointer, data, len(data))
            result = self._step(pointer, len(data))
        except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
            raise self._stopped(error) from error
        if result == 0:
            raise self._raised()
        size, pointer = result >> 32, result & 0xFFFF_FFFF
        if size == 0:
            return []
        self._check_range(store, pointer, size)
        return self._parse(ctypes.string_at(self._base + pointer, size))

    def _check_range(self, store: wasmtime.Store, pointer: int, size: int) -> None:
        if pointer + size <= self._size:
            return
        self._size = self._memory.data_len(store)  # it may have grown
        if pointer + size > self._size:
            raise self._failure(
                FailureKind.SPOKE_GARBAGE,
                f"it pointed at {size} bytes at {pointer}, its memory ends at {self._size}",
            )

    def _parse(self, answer: bytes) -> list[str]:
        try:
            text = answer.decode()
        except UnicodeDecodeError as error:
            raise self._failure(FailureKind.SPOKE_GARBAGE, f"not UTF-8: {error}") from error
        if not text.endswith("\n"):
            raise self._failure(FailureKind.SPOKE_GARBAGE, "its last line has no end")
        # Not splitlines: JSON may hold U+2028 and its like as they are.
        lines = text[:-1].split("\n")
        if not all(line.startswith("{") and line.endswith("}") for line in lines):
            raise self._failure(FailureKind.SPOKE_GARBAGE, "a line is not a JSON object")
        return lines

    def _stopped(self, error: wasmtime.Trap | wasmtime.WasmtimeError) -> AgentFailure:
        if isinstance(error, wasmtime.ExitTrap):
            return self._failure(FailureKind.TRAPPED, f"it exited with code {error.code}")
        code = error.trap_code if isinstance(error, wasmtime.Trap) else None
        if code is wasmtime.TrapCode.INTERRUPT:
            limit_s = self._limits.step_timeout_s
            return self._failure(FailureKind.OUT_OF_TIME, f"a step took longer than {limit_s:g} s")
        detail = code.name.lower().replace("_", " ") if code else str(error).partition("\n")[0]
        return self._failure(
            FailureKind.OUT_OF_MEMORY if self._is_full() else FailureKind.TRAPPED, detail
        )

    def _raised(self) -> AgentFailure:
        stderr = self._stderr.take()
        last = stderr.rstrip().rpartition("\n")[2] or "the step failed without a word"
        is_memory = last.startswith("MemoryError") or self._is_full()
        kind = FailureKind.OUT_OF_MEMORY if is_memory else FailureKind.RAISED
        return AgentFailure(self._chat, kind, last, stderr)

    def _is_full(self) -> bool:
        """Whether memory had grown about as far as it may when the agent stopped."""
        if self._store is None:
            return False
        used = self._memory.data_len(self._store) if hasattr(self, "_memory") else 0
        return used + _MEMORY_SLACK_BYTES > self._limits.memory_bytes

    def _failure(self, kind: FailureKind, detail: str) -> AgentFailure:
        return AgentFailure(self._chat, kind, detail, self._stderr.take())

    def _log_stderr(self) -> None:
        text = self._stderr.take()
        if text:
            _log.warning("an agent wrote on stderr", chat=self._chat, text=text)

    def memory_bytes(self) -> int:
        """Pages written to and the host's cost; an estimate where the system doesn't tell.

        In mid-step: what was found the last time.
        """
        if self._lock.acquire(blocking=False):
            try:
                self._last_bytes = self._measure()
            finally:
                self._lock.release()
        return self._last_bytes

    def rest(self) -> int:
        """See `Instance.rest`. In mid-step nothing is given back."""
        if self._lock.acquire(blocking=False):
            try:
                self._last_bytes = self._measure(self._image.give_back)
            finally:
                self._lock.release()
        return self._last_bytes

    def _measure(self, private: Callable[[int, int], int | None] = private_bytes) -> int:
        if self._store is None:
            return 0
        size = self._memory.data_len(self._store)
        written = private(self._base, size)
        if written is None:
            written = _ESTIMATED_WRITTEN_BYTES + size - self._limits.image_bytes
        return written + HOST_BYTES

    def close(self) -> None:
        """Unmap the memory now, not when the garbage is collected. Waits for a running step."""
        with self._lock:
            store, self._store = self._store, None
            if store is not None:
                store.close()


def untouched_image(
    engine: wasmtime.Engine, snapshot: wasmtime.InstancePre, limits: Limits
) -> Image:
    """The memory of an agent that is never stepped. Raises `Trap` or `WasmtimeError`."""
    store = wasmtime.Store(engine)
    store.set_wasi(wasmtime.WasiConfig())
    store.set_epoch_deadline(limits.deadline_ticks)
    memory = snapshot.instantiate(store).exports(store)["memory"]
    assert isinstance(memory, wasmtime.Memory)  # noqa: S101 - checked by the engine
    address = ctypes.addressof(memory.data_ptr(store).contents)
    return Image(address, memory.data_len(store), owner=store)


def _nothing_but_stderr(stderr: StderrTail) -> wasmtime.WasiConfig:
    """No folders, no environment, no arguments, no stdin, no stdout.

    The callback holds the tail and not the instance: wasmtime-py keeps it in a global table until
    the store is gone, and through it an instance would keep itself alive.
    """
    config = wasmtime.WasiConfig()
    config.stderr_custom = stderr.write
    return config
