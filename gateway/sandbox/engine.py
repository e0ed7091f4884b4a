"""The sandbox itself: a fresh instance of the interpreter for each run, on a thread of its own.

Owns the threads and the places: how many programs compute at a time, and how many may wait for
tools, which may take as long as people take to answer. What a program may do is run.py's business,
and what it is given to see is `wasm_build/sandbox`'s.
"""

import asyncio
import contextlib
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Any, Final

import wasmtime

from gateway.sandbox.base import Ending, Limits, Outcome, ToolAnswer, ToolCaller
from gateway.sandbox.errors import SandboxError
from gateway.sandbox.interpreter import Interpreter, Program
from gateway.sandbox.run import Bridge, Run

_WAITING_FOR_EACH: Final = 4  # programs that may wait for a tool, for each that may compute
_LAST_WORDS_S: Final = 0.5
_OUR_FRAME: Final = '  File "<hermes>'


class WasmSandbox:
    """Implements `gateway.sandbox.base.Sandbox`. Costs nothing until the first run."""

    def __init__(self, max_runs: int = 4, interpreter: Interpreter | None = None) -> None:
        self._interpreter = interpreter or Interpreter()
        self._is_ours = interpreter is None
        started = max_runs * (1 + _WAITING_FOR_EACH)
        self._threads = ThreadPoolExecutor(started, thread_name_prefix="sandbox")
        self._started = asyncio.Semaphore(started)  # so that whoever has a place has a thread
        self._places = asyncio.Semaphore(max_runs)

    async def run(
        self, program: str, workspace: Path, limits: Limits, call_tool: ToolCaller
    ) -> Outcome:
        """See `Sandbox.run`."""
        async with self._started:
            place = _Place(self._places)
            await place.take()
            try:
                bridge = _bridge(asyncio.get_running_loop(), call_tool, place)
                return await self._run(Run(limits, bridge), program, workspace, limits)
            finally:
                place.give_up()

    async def _run(self, run: Run, program: str, workspace: Path, limits: Limits) -> Outcome:
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
        """Wait for what runs; an interpreter that was brought along stays as it is."""
        await asyncio.to_thread(self._threads.shutdown)
        if self._is_ours:
            await asyncio.to_thread(self._interpreter.close)

    def _carry_out(self, run: Run, program: str, workspace: Path, limits: Limits) -> Outcome:
        """On a thread of ours. Raises `SandboxError`."""
        with self._interpreter.instance(run, workspace, limits) as instance:
            return _executed(instance, run, program, limits)


class _Place:
    """One program's place among those that compute; given up while it waits for a tool."""

    def __init__(self, places: asyncio.Semaphore) -> None:
        self._places = places
        self._is_taken = False

    async def take(self) -> None:
        await self._places.acquire()
        self._is_taken = True

    def give_up(self) -> None:
        """Twice is fine."""
        if self._is_taken:
            self._is_taken = False
            self._places.release()


def _bridge(loop: asyncio.AbstractEventLoop, call_tool: ToolCaller, place: _Place) -> Bridge:
    async def call(name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        place.give_up()
        answer = await call_tool(name, arguments)  # cancelled: the program ends, without a place
        await place.take()
        return answer

    def begin(name: str, arguments: Mapping[str, Any]) -> "Future[ToolAnswer]":
        return asyncio.run_coroutine_threadsafe(call(name, arguments), loop)

    return begin


def _executed(instance: Program, run: Run, program: str, limits: Limits) -> Outcome:
    store = instance.store
    source = program.encode("utf-8", "replace")
    ending, exit_code = Ending.EXITED, None
    run.begin(limits.time_s)
    try:
        room = instance.alloc(store, len(source)) & 0xFFFF_FFFF
        if not room:
            raise SandboxError("The program is larger than the memory that it may have.")
        instance.memory.write(store, source, room)
        exit_code = instance.run(store, room, len(source))
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
            instance.postmortem(store)
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
