"""An event loop whose clock stands still while anything can be done, and jumps when all wait.

So hours of waiting are tested in milliseconds, to the exact second. Threads and sockets work as
ever; the clock does not jump while one of them is expected to call only if a timer is due.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from functools import partial
from typing import Any, TypeVar

_T = TypeVar("_T")


class _Selector(selectors.DefaultSelector):
    """Instead of waiting for a timer, lets it be due."""

    def __init__(self, patience_s: float) -> None:
        super().__init__()
        self.now_s = 0.0
        self._patience_s = patience_s

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        ready = super().select(self._patience_s)
        if not ready:
            self.now_s += timeout
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """See above."""

    def __init__(self, patience_s: float = 0) -> None:
        self._virtual = _Selector(patience_s)
        super().__init__(self._virtual)

    def time(self) -> float:
        """The virtual time, in seconds; it begins at 0."""
        return self._virtual.now_s


def run(work: Coroutine[Any, Any, _T], patience_s: float = 0) -> _T:
    """Run something in virtual time, from its beginning to its end.

    Where sockets are used, a little patience (real seconds before each jump of the clock) lets a
    busy machine bring what has been sent, before something gives up waiting for it.
    """
    with asyncio.Runner(loop_factory=partial(VirtualTimeLoop, patience_s)) as runner:
        return runner.run(work)
