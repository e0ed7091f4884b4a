"""A process with many live agents, which tells what they cost in private memory.

`python -m benchmarks.live_agents NAME` prints a JSON object. Each measurement has a process of its
own, so that what others left behind is not counted. Linux only.
"""

import gc
import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import structlog

from benchmarks.conversation import ask, init, text, turn
from gateway.runtime.engine import Engine
from gateway.runtime.instance import WasmInstance

_AGENTS = 200
_MANY = 5_000

Found = dict[str, float]


def _one_turn(engine: Engine) -> Found:
    return _grown(engine, 1)


def _twenty_turns(engine: Engine) -> Found:
    return _grown(engine, 20)


def _grown(engine: Engine, turns: int) -> Found:
    """Agents after some turns: as they are, and put to rest as the pool does after every turn."""
    before = private_bytes()
    agents = [_start(engine, number) for number in range(_AGENTS)]
    for agent in agents:
        _talk(agent, turns)
    gc.collect()
    busy = private_bytes()
    rest_s = median(_timed(agent.rest) for agent in agents)
    at_rest = private_bytes()
    counted = sum(agent.memory_bytes() for agent in agents)
    again_s = median(_timed(partial(_talk, agent, 1)) for agent in agents)
    warm_s = median(_timed(partial(_talk, agent, 1)) for agent in agents)
    return {
        "busy": (busy - before) / _AGENTS,
        "at_rest": (at_rest - before) / _AGENTS,
        "counted": counted / _AGENTS,
        "rest_s": rest_s,
        "turn_s": warm_s,
        "turn_after_rest_s": again_s,
    }


def _many(engine: Engine) -> Found:
    before, mappings_before = private_bytes(), _mappings()
    began = time.perf_counter()
    agents = []
    for number in range(_MANY):
        agents.append(_start(engine, number))
        _talk(agents[-1], 1)
        agents[-1].rest()
    started = time.perf_counter()
    found = {"all": private_bytes() - before, "mappings": (_mappings() - mappings_before) / _MANY}
    again = time.perf_counter()
    stepped = sum(bool(ask(agent, "And now?")) for agent in agents)
    ended = time.perf_counter()
    return {
        **found,
        "stepped": stepped,
        "started_s": started - began,
        "stepped_s": ended - again,
    }


def _talk(agent: WasmInstance, turns: int) -> None:
    for number in range(turns):
        turn(agent, text(1_000, number), text(1_000, number + 1))


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _start(engine: Engine, number: int) -> WasmInstance:
    agent = engine.start(f"live:{number}")
    agent.step([init(f"live:{number}")])
    return agent


def private_bytes() -> int:
    """Memory that only this process has, in RAM or swapped out (Linux)."""
    total = 0
    for line in Path("/proc/self/smaps_rollup").read_text().splitlines():
        key, _, rest = line.partition(":")
        if key in ("Private_Clean", "Private_Dirty", "Swap"):
            total += int(rest.split()[0]) * 1_024
    return total


def _mappings() -> int:
    return Path("/proc/self/maps").read_bytes().count(b"\n")


_MEASUREMENTS: dict[str, Callable[[Engine], Found]] = {
    "one_turn": _one_turn,
    "twenty_turns": _twenty_turns,
    "many": _many,
}


def main(name: str) -> None:
    """Print what was found."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    engine = Engine()
    # One agent comes and goes first: what it leaves behind belongs to the process.
    first = _start(engine, 0)
    turn(first, "Hello", "Hello!")
    first.close()
    print(json.dumps(_MEASUREMENTS[name](engine)), flush=True)
    os._exit(0)  # the kernel takes all back at once


if __name__ == "__main__":
    main(sys.argv[1])
