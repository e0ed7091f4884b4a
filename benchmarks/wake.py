"""How long a hibernated chat takes to be back, with its history."""

import time
from statistics import median

from benchmarks.conversation import init, of_type, past
from benchmarks.figure import Figure, figure
from gateway.runtime.engine import Engine

_WAKES = 100
_MESSAGES = 100
_CHARS = 400


def measure() -> list[Figure]:
    """Median of starting an agent and telling it a hundred messages."""
    engine = Engine()
    line = init("wake", past(_MESSAGES, _CHARS))
    times = []
    for _ in range(_WAKES):
        began = time.perf_counter()
        agent = engine.start("wake")
        answered = agent.step([line])
        times.append(time.perf_counter() - began)
        assert of_type(answered, "ready")
        agent.close()
    engine.close()
    return [
        figure(
            f"wake a hibernated chat with {_MESSAGES} messages of history",
            median(times) * 1_000,
            "ms",
            "<=",
            10,
        ),
        figure("the init line that this takes", len(line) / 1_000, "KB"),
    ]
