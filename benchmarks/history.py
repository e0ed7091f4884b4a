"""What a step with a long history costs in Wasm, against plain Python, and where the time goes."""

import ctypes
import json
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Final

import wasmtime

from agent_core.wire import encode
from benchmarks.conversation import init, of_type, past, text, user_message
from benchmarks.figure import Figure, figure
from gateway.runtime.artefact import load_artefact
from gateway.runtime.base import Instance
from gateway.runtime.engine import Engine
from gateway.runtime.instance import Limits, WasmInstance, untouched_image
from gateway.runtime.native import NativeRuntime

_US = 1_000_000
_ROUNDS = 100
_HISTORY: Final = past(20, 2_000)
_LINE: Final = user_message("And now?")
_INTERRUPT: Final = '{"type":"interrupt","reason":"user"}'
_UNDO: Final = '{"type":"command","name":"undo"}'
_UNKNOWN: Final = json.dumps({"type": "unknown", "content": text(40_000)})


def measure() -> list[Figure]:
    """The step that asks the model with 40 KB of history."""
    engine, native = Engine(), NativeRuntime()
    wasm, plain, bare = engine.start("wasm"), native.start("native"), _without_epochs()
    young, young_plain = engine.start("young"), native.start("young")
    agents: list[Instance] = [wasm, plain, bare, young, young_plain]
    for agent in agents:
        agent.step([init("history", [] if agent in (young, young_plain) else _HISTORY)])
    # In turns, so that a slow moment of the machine meets all of them.
    times = _step_times(agents)
    wasm_s, native_s, _, young_s, young_native_s = map(median, times)
    # The difference is small; the least of many is the least disturbed.
    epochs_s = min(times[0]) - min(times[2])
    answered = wasm.step([_LINE])
    size = sum(map(len, answered))
    (request,) = of_type(answered, "api_request")
    figures = [
        figure("step with a 40 KB history, Wasm / native", wasm_s / native_s, "x", "<=", 4),
        figure("that step in Wasm", wasm_s * _US, "us"),
        figure("that step in plain Python", native_s * _US, "us"),
        figure("of it, epoch checks", epochs_s * _US, "us"),
        figure("of it, copies in and out", _copy_s(size) * _US, "us"),
        figure("of it, the call itself", _call_s(wasm) * _US, "us"),
        figure("of it, what grows with the history", (wasm_s - young_s) * _US, "us"),
        figure("the same in plain Python", (native_s - young_native_s) * _US, "us"),
        figure("of that, JSON", _median_s(lambda: encode(request)) * _US, "us"),
        figure("to read a line of 40 KB, in Wasm", _parse_s(wasm) * _US, "us"),
        figure("to read a line of 40 KB, in plain Python", _parse_s(plain) * _US, "us"),
    ]
    for agent in agents:
        agent.close()
    engine.close()
    return figures


def _step_times(agents: list[Instance]) -> list[list[float]]:
    times: list[list[float]] = [[] for _ in agents]
    for _ in range(_ROUNDS):
        for agent, own in zip(agents, times, strict=True):
            own.append(_timed(partial(agent.step, [_LINE])))
            agent.step([_INTERRUPT])  # take the question back: the history stays as long as it is
            agent.step([_UNDO])
    return times


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _median_s(work: Callable[[], object]) -> float:
    return median(_timed(work) for _ in range(_ROUNDS))


def _copy_s(size: int) -> float:
    answer = (ctypes.c_char * size)()
    line = _LINE.encode()
    into = (ctypes.c_char * len(line))()

    def copies() -> None:
        ctypes.memmove(into, _LINE.encode(), len(line))
        ctypes.string_at(answer, size).decode()

    return _median_s(copies)


def _call_s(agent: Instance) -> float:
    return _median_s(lambda: agent.step([]))


def _parse_s(agent: Instance) -> float:
    """A long line that the agent reads and then does nothing about, less a short one."""
    short = '{"type":"unknown"}'
    return _median_s(lambda: agent.step([_UNKNOWN])) - _median_s(lambda: agent.step([short]))


def _without_epochs() -> WasmInstance:
    """The same agent compiled without the checks that make a time limit possible."""
    config = wasmtime.Config()
    config.memory_may_move = False
    engine = wasmtime.Engine(config)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    snapshot = linker.instantiate_pre(wasmtime.Module(engine, load_artefact().wasm))
    limits = Limits(memory_bytes=2**28, image_bytes=0, step_timeout_s=1, deadline_ticks=1)
    image = untouched_image(engine, snapshot, limits)
    return WasmInstance(engine, snapshot, image, "bare", limits)
