"""What live agents cost in memory, from processes that measure it (live_agents.py)."""

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.figure import Figure, figure

_MS = 1_000
_MB = 1_000_000
_GB = 1_000_000_000
_MANY = 5_000  # as live_agents.py starts

Found = dict[str, float]


def measure() -> list[Figure]:
    """Private memory per agent after one turn and after twenty."""
    one, twenty = _in_process("one_turn"), _in_process("twenty_turns")
    return [
        figure("private memory per live agent after 1 turn", one["at_rest"] / _MB, "MB", "<=", 0.7),
        figure("before it was put to rest", one["busy"] / _MB, "MB"),
        figure("as the pool counts it", one["counted"] / _MB, "MB"),
        figure(
            "private memory per live agent after 20 turns of 1 KB",
            twenty["at_rest"] / _MB,
            "MB",
            "<=",
            2,
        ),
        figure("before it was put to rest, after 20", twenty["busy"] / _MB, "MB"),
        figure("as the pool counts it, after 20", twenty["counted"] / _MB, "MB"),
        figure("to put an agent to rest", one["rest_s"] * _MS, "ms"),
        figure("a turn of an agent that had rested", one["turn_after_rest_s"] * _MS, "ms"),
        figure("a turn of one that had not", one["turn_s"] * _MS, "ms"),
    ]


def measure_many() -> list[Figure]:
    """Thousands of live agents in one process, each after a turn, then all stepped again."""
    found = _in_process("many")
    return [
        figure(f"{_MANY:,} live agents, each after a turn", found["all"] / _GB, "GB", "<=", 4),
        figure("of them, stepped again with success", found["stepped"], "agents", ">=", _MANY),
        figure("to start them all and have a turn of each", found["started_s"], "s"),
        figure("to step them all again", found["stepped_s"], "s"),
        figure("kernel mappings per agent", found["mappings"], "mappings"),
    ]


def _in_process(name: str) -> Found:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.live_agents", name],
        stdout=subprocess.PIPE,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    found: Found = json.loads(done.stdout)
    return found
