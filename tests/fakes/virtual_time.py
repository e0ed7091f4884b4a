"""An event loop whose clock stands still while anything can be done, and jumps when all wait.

So hours of waiting are tested in milliseconds, to the exact second. Threads and sockets work as
ever; the clock does not jump while one of them is expected to call only if a timer is due.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")


class _Selector(selectors.DefaultSelector):
    """Instead of waiting for a timer, lets it be due."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        ready = super().select(0)
        if not ready:
            self.now_s += timeout
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """See above."""

    def __init__(self) -> None:
        self._virtual = _Selector()
        super().__init__(self._virtual)

    def time(self) -> float:
        """The virtual time, in seconds; it begins at 0."""
        return self._virtual.now_s


def run(work: Coroutine[Any, Any, _T]) -> _T:
    """Run something in virtual time, from its beginning to its end."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(work)
