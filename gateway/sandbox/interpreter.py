"""The interpreter's module: compiled once, with the host's functions that all its instances share.

The host's functions are the same for all programs, because a linker is made once; whose call it is
tells the thread, on which the program runs. What the calls do is run.py's business.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import wasmtime

from gateway.runtime.artefact import Artefact, load_sandbox
from gateway.runtime.code_cache import CodeCache, default_folder
from gateway.runtime.compiling import compiled, first_line
from gateway.runtime.errors import ArtefactError
from gateway.runtime.ticker import Ticker
from gateway.sandbox.base import Limits
from gateway.sandbox.deadline import TickCallback
from gateway.sandbox.errors import SandboxError
from gateway.sandbox.run import Run

WORKSPACE: Final = "/workspace"
"""Where a program finds its folder; the snapshot was made with that name."""

_STACK_BYTES: Final = 2 * 1_048_576  # for CPython's recursion limit; threads have 8 MiB
_CONFIG_NAME: Final = f"sandbox-v1-epochs-speed-stack{_STACK_BYTES}"
_TICK_S: Final = 0.05
_HOST: Final = "hermes"
_TABLE_ELEMENTS: Final = 100_000
_U32, _U64 = 0xFFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF

_I32, _I64 = wasmtime.ValType.i32(), wasmtime.ValType.i64()


class _Memory:
    """A caller's memory, within the call. Implements `run.Memory`."""

    def __init__(self, caller: wasmtime.Caller) -> None:
        self._caller = caller
        memory = caller["memory"]
        assert isinstance(memory, wasmtime.Memory)  # noqa: S101 - the module is checked at its start
        self._memory = memory

    def read(self, start: int, end: int) -> bytes:
        return bytes(self._memory.read(self._caller, start, end))

    def write(self, data: bytes, start: int) -> bool:
        try:
            self._memory.write(self._caller, data, start)
        except IndexError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class _Loaded:
    engine: wasmtime.Engine
    snapshot: wasmtime.InstancePre
    ticker: Ticker
    ticks: TickCallback


@dataclass(frozen=True, slots=True)
class Program:
    """A fresh instance, in which nothing has run yet. Not to be used after its `with`."""

    store: wasmtime.Store
    memory: wasmtime.Memory
    alloc: wasmtime.Func  # (size) -> address, 0 if there is no memory
    run: wasmtime.Func  # (address, size of the source) -> exit code
    postmortem: wasmtime.Func  # () prints where it was


class Interpreter:
    """Makes instances. Costs nothing until it is loaded. May be used on any thread."""

    def __init__(self, artefact: Artefact | None = None, cache_folder: Path | None = None) -> None:
        self._artefact = artefact
        self._cache_folder = cache_folder
        self._current = threading.local()
        self._loading = threading.Lock()
        self._loaded: _Loaded | None = None

    def load(self) -> None:
        """Get ready: some milliseconds with compiled code at hand, 5 to 10 seconds without.

        Raises `ArtefactError`.
        """
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()

    def close(self) -> None:
        """Stop the clock. Blocks for a moment."""
        with self._loading:
            if self._loaded is not None:
                self._loaded.ticker.close()

    @contextmanager
    def instance(self, run: Run, workspace: Path, limits: Limits) -> Iterator[Program]:
        """A program's own instance, whose calls go to `run` from this thread.

        Raises `SandboxError`.
        """
        try:
            self.load()
        except ArtefactError as error:
            raise SandboxError(f"Programs can't be run here: {error}") from error
        assert self._loaded is not None  # noqa: S101 - just loaded
        store = wasmtime.Store(self._loaded.engine)
        self._current.run = run
        try:
            yield _instantiated(self._loaded, store, workspace, limits)
        finally:
            store.close()
            del self._current.run

    def _load(self) -> _Loaded:
        engine = wasmtime.Engine(_config())
        artefact = self._artefact or load_sandbox()
        cache = CodeCache(self._cache_folder or default_folder())
        module = compiled(engine, artefact, cache, _CONFIG_NAME)
        linker = wasmtime.Linker(engine)
        linker.define_wasi()
        self._define_host(linker)
        try:
            snapshot = linker.instantiate_pre(module)
        except wasmtime.WasmtimeError as error:
            raise ArtefactError(
                f"{artefact.path} asks for more than a program gets: {first_line(error)}"
            ) from error
        return _Loaded(
            engine,
            snapshot,
            Ticker(engine.increment_epoch, _TICK_S),
            TickCallback(self._may_go_on),
        )

    def _may_go_on(self) -> bool:
        return self._run.may_go_on()

    @property
    def _run(self) -> Run:
        """The run of the thread that we are on: the host's functions are the same for all."""
        run = self._current.run
        assert isinstance(run, Run)  # noqa: S101 - set before anything can call
        return run

    def _define_host(self, linker: wasmtime.Linker) -> None:
        def define(
            name: str, parameters: int, function: Callable[..., object], *, answers: bool = True
        ) -> None:
            kind = wasmtime.FuncType([_I32] * parameters, [_I32] if answers else [])
            linker.define_func(_HOST, name, kind, function, access_caller=True)

        def print_(caller: wasmtime.Caller, stream: int, address: int, size: int) -> None:
            self._run.print(_Memory(caller), stream, _unsigned(address), _unsigned(size))

        def tool_call(caller: wasmtime.Caller, address: int, size: int) -> int:
            return self._run.tool_call(_Memory(caller), _unsigned(address), _unsigned(size))

        def tool_answer(caller: wasmtime.Caller, room: int) -> None:
            self._run.tool_answer(_Memory(caller), _unsigned(room))

        define("print", 3, print_, answers=False)
        define("tool_call", 2, tool_call)
        define("tool_answer", 1, tool_answer, answers=False)
        number = wasmtime.FuncType([_I64], [_I32])
        linker.define_func(_HOST, "may_write", number, lambda n: self._run.may_write(n & _U64))
        linker.define_func(_HOST, "sleep", number, lambda n: self._run.sleep(n & _U64))


def _instantiated(
    loaded: _Loaded, store: wasmtime.Store, workspace: Path, limits: Limits
) -> Program:
    try:
        store.set_limits(
            memory_size=limits.memory_bytes,
            table_elements=_TABLE_ELEMENTS,
            instances=1,
            tables=1,
            memories=1,
        )
        wasi = wasmtime.WasiConfig()
        wasi.preopen_dir(str(workspace), WORKSPACE)
        store.set_wasi(wasi)
        loaded.ticks.set_for(store)
        exports = loaded.snapshot.instantiate(store).exports(store)
    except wasmtime.WasmtimeError as error:
        raise SandboxError(f"No room to run a program: {first_line(error)}") from error
    memory, alloc, run, postmortem = (
        exports[name] for name in ("memory", "sandbox_alloc", "sandbox_run", "sandbox_postmortem")
    )
    assert isinstance(memory, wasmtime.Memory)  # noqa: S101 - for the type checker
    assert isinstance(alloc, wasmtime.Func)  # noqa: S101
    assert isinstance(run, wasmtime.Func)  # noqa: S101
    assert isinstance(postmortem, wasmtime.Func)  # noqa: S101
    return Program(store, memory, alloc, run, postmortem)


def _unsigned(number: int) -> int:
    return number & _U32


def _config() -> wasmtime.Config:
    config = wasmtime.Config()
    config.epoch_interruption = True
    config.cranelift_opt_level = "speed"
    config.max_wasm_stack = _STACK_BYTES
    config.memory_may_move = False
    return config
