"""Whether two threads step agents faster than one."""

import threading
import time
from statistics import median

from benchmarks.conversation import init, past, user_message
from benchmarks.figure import Figure, figure
from gateway.runtime.engine import Engine
from gateway.runtime.instance import WasmInstance

_ROUNDS = 5
_STEPS = 300
_HISTORY = past(20, 2_000)


def measure() -> list[Figure]:
    """Steps per second of two threads over those of one, the median of some rounds."""
    engine = Engine()
    ratios, rates = [], []
    for _ in range(_ROUNDS):
        one = _steps_per_s(engine, 1)
        rates.append(one)
        ratios.append(_steps_per_s(engine, 2) / one)
    engine.close()
    return [
        figure("two threads stepping, against one", median(ratios), "x", ">=", 1.5),
        figure("steps of one thread, 40 KB of history", median(rates), "steps/s"),
    ]


def _steps_per_s(engine: Engine, threads: int) -> float:
    agents = [_agent(engine, number) for number in range(threads)]
    runners = [threading.Thread(target=_run, args=(agent,)) for agent in agents]
    began = time.perf_counter()
    for runner in runners:
        runner.start()
    for runner in runners:
        runner.join()
    taken_s = time.perf_counter() - began
    for agent in agents:
        agent.close()
    return threads * _STEPS / taken_s


def _agent(engine: Engine, number: int) -> WasmInstance:
    agent = engine.start(f"threads:{number}")
    agent.step([init("threads", _HISTORY)])
    return agent


def _run(agent: WasmInstance) -> None:
    # A question that is taken back: the history stays as long as it is.
    ask, back = [user_message("And now?")], ['{"type":"interrupt","reason":"user"}']
    undo = ['{"type":"command","name":"undo"}']
    for _ in range(_STEPS // 3):
        agent.step(ask)
        agent.step(back)
        agent.step(undo)
