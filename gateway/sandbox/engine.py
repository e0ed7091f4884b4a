"""The sandbox itself: CPython's snapshot under wasmtime, a fresh instance for each run.

Owns the compiled module, the clock and the threads; what a program may do is run.py's business, and
what it is given to see is `wasm_build/sandbox`'s. An instance costs less than a millisecond, so
none is used twice and none waits for its turn.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import wasmtime
from wasmtime._instance import InstanceExports

from gateway.runtime.artefact import Artefact, load_sandbox
from gateway.runtime.code_cache import CodeCache, default_folder
from gateway.runtime.compiling import compiled, first_line
from gateway.runtime.errors import ArtefactError
from gateway.runtime.ticker import Ticker
from gateway.sandbox.base import Ending, Limits, Outcome, ToolAnswer, ToolCaller
from gateway.sandbox.deadline import TickCallback
from gateway.sandbox.errors import SandboxError
from gateway.sandbox.run import Run

WORKSPACE: Final = "/workspace"
"""Where a program finds its folder; the snapshot was made with that name."""

_STACK_BYTES: Final = 2 * 1_048_576  # for CPython's recursion limit; threads have 8 MiB
_CONFIG_NAME: Final = f"sandbox-v1-epochs-speed-stack{_STACK_BYTES}"
_TICK_S: Final = 0.05
_LAST_WORDS_S: Final = 0.5
_HOST: Final = "hermes"
_TABLE_ELEMENTS: Final = 100_000
_OUR_FRAME: Final = '  File "<hermes>'

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


class WasmSandbox:
    """Implements `gateway.sandbox.base.Sandbox`.

    Costs nothing until the first run, which loads the module: some milliseconds with compiled code
    at hand, 5 to 10 seconds without.
    """

    def __init__(
        self,
        max_runs: int = 4,
        artefact: Artefact | None = None,
        cache_folder: Path | None = None,
    ) -> None:
        self._artefact = artefact
        self._cache_folder = cache_folder
        self._threads = ThreadPoolExecutor(max_runs, thread_name_prefix="sandbox")
        self._current = threading.local()
        self._loading = threading.Lock()
        self._loaded: _Loaded | None = None

    async def run(
        self, program: str, workspace: Path, limits: Limits, call_tool: ToolCaller
    ) -> Outcome:
        """See `Sandbox.run`."""
        run = Run(limits, _bridge(asyncio.get_running_loop(), call_tool))
        work = partial(self._carry_out, run, program, workspace, limits)
        ended = asyncio.wrap_future(self._threads.submit(copy_context().run, work))
        try:
            return await asyncio.shield(ended)
        except asyncio.CancelledError:
            run.cancel()
            # Nothing of it may go on once its turn is over. It ends at the next tick.
            await asyncio.wait([ended])
            raise

    async def close(self) -> None:
        """Wait for what runs, and stop the clock."""
        await asyncio.to_thread(self._threads.shutdown)
        if self._loaded is not None:
            await asyncio.to_thread(self._loaded.ticker.close)

    def load(self) -> None:
        """Get ready for the first run; blocks. Raises `ArtefactError`."""
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()

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

    def _carry_out(self, run: Run, program: str, workspace: Path, limits: Limits) -> Outcome:
        """On a thread of ours. Raises `SandboxError`."""
        try:
            self.load()
        except ArtefactError as error:
            raise SandboxError(f"Programs can't be run here: {error}") from error
        assert self._loaded is not None  # noqa: S101 - just loaded
        loaded = self._loaded
        self._current.run = run
        store = wasmtime.Store(loaded.engine)
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
            store.close()
            raise SandboxError(f"No room to run a program: {first_line(error)}") from error
        try:
            return _executed(store, exports, run, program, limits)
        finally:
            store.close()
            del self._current.run


_U64 = 0xFFFF_FFFF_FFFF_FFFF


def _unsigned(number: int) -> int:
    return number & 0xFFFF_FFFF


def _config() -> wasmtime.Config:
    config = wasmtime.Config()
    config.epoch_interruption = True
    config.cranelift_opt_level = "speed"
    config.max_wasm_stack = _STACK_BYTES
    config.memory_may_move = False
    return config


def _bridge(
    loop: asyncio.AbstractEventLoop, call_tool: ToolCaller
) -> Callable[[str, Mapping[str, Any]], "Future[ToolAnswer]"]:
    async def call(name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        return await call_tool(name, arguments)

    return lambda name, arguments: asyncio.run_coroutine_threadsafe(call(name, arguments), loop)


def _executed(
    store: wasmtime.Store,
    exports: "InstanceExports",
    run: Run,
    program: str,
    limits: Limits,
) -> Outcome:
    memory, alloc, start, postmortem = (
        exports[name] for name in ("memory", "sandbox_alloc", "sandbox_run", "sandbox_postmortem")
    )
    assert isinstance(memory, wasmtime.Memory)  # noqa: S101 - for the type checker
    assert isinstance(alloc, wasmtime.Func)  # noqa: S101
    assert isinstance(start, wasmtime.Func)  # noqa: S101
    assert isinstance(postmortem, wasmtime.Func)  # noqa: S101
    source = program.encode("utf-8", "replace")
    ending, exit_code = Ending.EXITED, None
    run.begin(limits.time_s)
    try:
        room = _unsigned(alloc(store, len(source)))
        if not room:
            raise SandboxError("The program is larger than the memory that it may have.")
        memory.write(store, source, room)
        exit_code = start(store, room, len(source))
    except wasmtime.ExitTrap as stop:
        exit_code = stop.code
    except wasmtime.Trap as trap:
        too_deep = trap.trap_code == wasmtime.TrapCode.STACK_OVERFLOW
        ending = Ending.TOO_DEEP if too_deep else Ending.CRASHED
    except wasmtime.WasmtimeError:  # the answer of `may_go_on`
        ending = Ending.CANCELLED if run.is_cancelled else Ending.OUT_OF_TIME
    running_s = run.running_s
    if ending not in {Ending.EXITED, Ending.CANCELLED}:
        run.grant(_LAST_WORDS_S)
        # Whatever stopped the program may have left too little of it for even that.
        with contextlib.suppress(wasmtime.Trap, wasmtime.WasmtimeError):
            postmortem(store)
    return Outcome(
        ending,
        exit_code,
        run.stdout.text(),
        _without_our_frame(run.stderr.text()),
        run.tool_calls,
        run.was_write_refused,
        running_s,
    )


def _without_our_frame(stderr: str) -> str:
    """The stack of a program that was stopped ends in the function that started it."""
    lines = stderr.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(_OUR_FRAME))
