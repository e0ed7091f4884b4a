"""The order of the calls of one turn: beside each other where that is safe, else as they came.

A call that is safe to run beside others waits only for those before it that are not; any other
waits for all before it. So nobody can tell the outcome from that of one after the other.
"""

import asyncio
from types import TracebackType


class Place:
    """A call's place; as a context it is entered when the call's turn has come."""

    def __init__(self, line: "Line", *, is_parallel: bool) -> None:
        self.is_parallel = is_parallel
        self._line = line
        self._is_left = asyncio.Event()
        self._before = [place for place in line.places if not (is_parallel and place.is_parallel)]
        line.places.append(self)

    async def __aenter__(self) -> None:
        try:
            for place in self._before:
                await place._is_left.wait()
        except BaseException:
            self._leave()
            raise
        self._before.clear()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._leave()

    def _leave(self) -> None:
        self._line.places.remove(self)
        self._is_left.set()


class Line:
    """The calls that have not ended."""

    def __init__(self) -> None:
        self.places: list[Place] = []

    def take(self, *, is_parallel: bool) -> Place:
        """The place behind all that are there now."""
        return Place(self, is_parallel=is_parallel)
