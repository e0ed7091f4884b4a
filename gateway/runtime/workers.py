"""The few threads on which agents run, so that the event loop never waits for one."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

_T = TypeVar("_T")

THREAD_NAME_PREFIX = "agent-step"


class Workers:
    """A thread pool that knows what it has still to do."""

    def __init__(self, threads: int) -> None:
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=THREAD_NAME_PREFIX)
        self._jobs: set[Future[Any]] = set()

    def submit(self, work: Callable[[], _T]) -> Future[_T]:
        """Begin `work` as soon as a thread is free; first come, first served."""
        # What is logged on the thread belongs to whoever asked: the context carries the ids.
        job = self._executor.submit(copy_context().run, work)
        self._jobs.add(job)
        job.add_done_callback(self._jobs.discard)
        return job

    async def run(self, work: Callable[[], _T]) -> _T:
        """Do `work` and return what it returns."""
        return await asyncio.wrap_future(self.submit(work))

    def running(self) -> int:
        """How much is being done at this moment, what waits for a thread not counted."""
        return sum(job.running() for job in tuple(self._jobs))

    async def wait_idle(self) -> None:
        """Until nothing is left to do; how it ends is not told here."""
        while self._jobs:
            jobs = [asyncio.wrap_future(job) for job in tuple(self._jobs)]
            await asyncio.gather(*jobs, return_exceptions=True)

    async def close(self) -> None:
        """Finish what was begun and end the threads."""
        await self.wait_idle()
        await asyncio.to_thread(self._executor.shutdown)
