"""How long it takes from nothing to an agent's first model call, here and in the old design."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import wasmtime

from benchmarks.conversation import init, of_type, user_message
from benchmarks.figure import Figure, figure
from gateway.runtime.artefact import COMMAND_NAME, artefact_folder
from gateway.runtime.engine import Engine

_WARM_STARTS = 300
_COLD_STARTS = 7
_MS = 1_000
_COLD_START = Path(__file__).with_name("cold_start.py")  # as a file: imports nothing of ours


def measure() -> list[Figure]:
    """Median of many starts, and the ratio to the median of some cold ones of the same run."""
    engine = Engine()
    ours = [_start(engine) for _ in range(_WARM_STARTS)]
    engine.close()
    with tempfile.TemporaryDirectory() as folder:
        command = (artefact_folder() / COMMAND_NAME).read_bytes()
        code = Path(folder) / "command.cwasm"
        code.write_bytes(wasmtime.Module(wasmtime.Engine(), command).serialize())
        _cold_start(code)  # the file is read from disk once
        cold = [_cold_start(code) for _ in range(_COLD_STARTS)]
    warm_s = median(instantiate_s + step_s for instantiate_s, step_s in ours)
    inside_s = median(inside for _, inside in cold)
    whole_s = median(whole for whole, _ in cold)
    return [
        figure("start of an agent to its first api_request", warm_s * _MS, "ms", "<=", 3),
        figure("to instantiate it", median(each for each, _ in ours) * _MS, "ms"),
        figure("to step init and user_message", median(each for _, each in ours) * _MS, "ms"),
        figure("a cold start of the command module, in its process", inside_s * _MS, "ms"),
        figure("the same with the start of the process", whole_s * _MS, "ms"),
        figure("times faster than a cold start of the command", inside_s / warm_s, "x"),
        # The published design pays for a process and a cold start in every chat.
        figure("times faster than a process and a cold start", whole_s / warm_s, "x", ">=", 100),
    ]


def _start(engine: Engine) -> tuple[float, float]:
    """Seconds to instantiate, and from there to the first model call."""
    lines = [init(), user_message("Hello, who are you?")]
    began = time.perf_counter()
    agent = engine.start("start")
    instantiated = time.perf_counter()
    answered = agent.step(lines)
    ended = time.perf_counter()
    assert of_type(answered, "api_request")
    agent.close()
    return instantiated - began, ended - instantiated


def _cold_start(code: Path) -> tuple[float, float]:
    """Seconds from nothing to the first model call, and the part of it inside the module."""
    command = [sys.executable, str(_COLD_START), str(code)]
    began_ns = time.monotonic_ns()
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(f"{init()}\n{user_message('Hello, who are you?')}\n")
        process.stdin.flush()
        line = process.stdout.readline()
        while line and not of_type([line], "api_request"):
            line = process.stdout.readline()
        ended_ns = time.monotonic_ns()
        assert line, process.stderr.read()
        started_ns = int(process.stderr.readline())
        process.stdin.close()
        process.wait()
    return (ended_ns - began_ns) / 1e9, (ended_ns - started_ns) / 1e9
