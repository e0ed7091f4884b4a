"""The clock of an engine: one thread that raises the epoch at an even pace until it is closed.

Deadlines are counted in ticks, so an engine needs one thread however many agents it runs, and no
watchdog of one step can end another.
"""

import math
import threading
from collections.abc import Callable

_SHORTEST_S = 0.005
_LONGEST_S = 0.5
_TICKS_PER_DEADLINE = 20


class Ticker:
    """Calls `tick` every `interval_s` seconds, from a thread of its own."""

    def __init__(self, tick: Callable[[], None], interval_s: float) -> None:
        self._tick = tick
        self._interval_s = interval_s
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="agent-epochs", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._closed.wait(self._interval_s):
            self._tick()

    def close(self) -> None:
        """Stop and wait until the thread has ended. Closing twice is fine."""
        self._closed.set()
        self._thread.join()


def tick_interval_s(timeout_s: float) -> float:
    """A pace at which a time-out is kept to about a twentieth, without waking often for it."""
    return min(_LONGEST_S, max(_SHORTEST_S, timeout_s / _TICKS_PER_DEADLINE))


def deadline_ticks(timeout_s: float, interval_s: float) -> int:
    """The ticks of a deadline: never less than the time-out, at most one tick more."""
    # The tick under way counts as one but may be almost over.
    return math.ceil(timeout_s / interval_s) + 1
