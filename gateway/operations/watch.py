"""Watches over a gateway while it runs: puts health, metrics and systemd together.

The composition root opens it first and tells it what there is to watch; `serving` and `stopping`
mark the gateway's life for whoever asks.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

import structlog

from adapters.base import Adapter
from config.settings import HttpSettings
from gateway.chats.directory import Chats
from gateway.metrics import Metrics
from gateway.operations.loop_lag import measure_lag
from gateway.operations.readiness import NotReady, Readiness, heard_from
from gateway.operations.systemd import STORE, Systemd
from gateway.runtime.pool import AgentPool
from gateway.store.base import Store

_log = structlog.get_logger()


class Watch:
    """Made by `watching`."""

    def __init__(
        self,
        metrics: Metrics,
        readiness: Readiness,
        systemd: Systemd,
        address: str | None,
    ) -> None:
        self.metrics = metrics
        self.address = address  # of the HTTP port, if there is one
        self._readiness = readiness
        self._systemd = systemd
        self._tasks: list[asyncio.Task[None]] = []

    def store(self, store: Store) -> None:
        """The store has to answer."""
        self._readiness.add(STORE, lambda: store.memory("memory", ""))

    def agents(self, pool: AgentPool) -> None:
        """An agent has to start."""
        self._readiness.add("agents", pool.probe)
        self.metrics.watch_agents(pool.stats)

    def chats(self, chats: Chats) -> None:
        """How much there is to do."""
        self.metrics.watch_chats(chats.busy, chats.waiting)

    def platform(self, adapter: Adapter) -> None:
        """A platform has to be heard from."""
        self._readiness.add(adapter.name, heard_from(adapter.pulse))
        self.metrics.watch_platform(adapter.name, adapter.pulse.silent_s)

    def platform_lost(self, name: str, reason: str) -> None:
        """A platform was given up: there is no more hope until the next start."""

        async def check() -> None:
            raise NotReady(f"given up: {reason}")

        self._readiness.add(name, check)
        self._systemd.notify(STATUS=f"{name} given up: {reason}")

    async def reasons(self) -> Mapping[str, str]:
        """What is wrong, by its part; nothing if all is well."""
        return await self._readiness.reasons()

    def serving(self) -> None:
        """All is set up."""
        self._readiness.begin()
        self._systemd.notify(READY=1, STATUS="serving")
        self._tasks.append(asyncio.create_task(self._systemd.feed_watchdog(self._readiness)))
        if self.address is not None:
            self._tasks.append(asyncio.create_task(measure_lag(self.metrics)))

    def stopping(self) -> None:
        """The end begins: turns are being ended."""
        self._readiness.end()
        self._systemd.notify(STOPPING=1, STATUS="ending the turns that run")

    async def close(self) -> None:
        """End what it does by itself."""
        for task in self._tasks:
            task.cancel()
        for ended in await asyncio.gather(*self._tasks, return_exceptions=True):
            if isinstance(ended, Exception):
                _log.error("the watch had ended early", exc_info=ended)


@asynccontextmanager
async def watching(settings: HttpSettings, environ: Mapping[str, str]) -> AsyncIterator[Watch]:
    """Watch for as long as the context lasts. Raises `StartupError` if the port is taken."""
    readiness, systemd = Readiness(), Systemd(environ)
    metrics, address = Metrics(), None
    async with AsyncExitStack() as stack:
        if settings.port is not None:
            # An extra tenth to half of a second of loading, for those who ask for it.
            from gateway.operations.http_port import http_port  # noqa: PLC0415
            from gateway.operations.prometheus import PrometheusMetrics  # noqa: PLC0415

            metrics = PrometheusMetrics()
            address = await stack.enter_async_context(http_port(settings, readiness, metrics))
        watch = Watch(metrics, readiness, systemd, address)
        stack.push_async_callback(watch.close)
        yield watch
