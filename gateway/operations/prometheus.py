"""Metrics in Prometheus' form, in a registry of their own.

What happens is counted as it happens; what is (agents, queues) is looked up when somebody asks.
Imported only where the HTTP port is on: the client library takes a tenth of a second to load.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector
from prometheus_client.exposition import generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from agent_core import __version__
from gateway.metrics import Metrics, Phase
from gateway.operations import table
from gateway.operations.table import Metric
from gateway.runtime.pool import PoolStats
from gateway.store.usage import ModelCall

# The library's "latest" is 1.0.0, for those who ask for it; every Prometheus reads this one.
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class PrometheusMetrics(Metrics):
    """Counts, and tells in the text format."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._turns = self._counter(table.TURNS)
        self._turn_seconds = self._histogram(table.TURN_SECONDS)
        self._phases = self._histogram(table.PHASE_SECONDS)
        self._model_calls = self._counter(table.MODEL_CALLS)
        self._tokens = self._counter(table.MODEL_TOKENS)
        self._cost = self._counter(table.MODEL_COST)
        self._tool_calls = self._counter(table.TOOL_CALLS)
        self._tool_seconds = self._histogram(table.TOOL_SECONDS)
        self._events = self._counter(table.EVENTS)
        self._deliveries = self._counter(table.DELIVERIES)
        self._lag = self._histogram(table.LOOP_LAG)
        self._present = _Present()
        self._registry.register(self._present)
        # Memory, processor time, open files: on Linux only, from /proc, which is read on a thread.
        self._process = CollectorRegistry()
        ProcessCollector(registry=self._process)

    async def text(self) -> bytes:
        """Everything, as Prometheus reads it."""
        process = await asyncio.to_thread(generate_latest, self._process)
        return generate_latest(self._registry) + process

    def took(self, phase: Phase, seconds: float) -> None:
        """See `Metrics`."""
        self._phases.labels(phase).observe(seconds)

    def turn_ended(self, outcome: str, seconds: float) -> None:
        """See `Metrics`."""
        self._turns.labels(outcome).inc()
        self._turn_seconds.observe(seconds)

    def model_answered(self, provider: str) -> None:
        """See `Metrics`."""
        self._model_calls.labels(provider, "answered").inc()

    def model_used(self, call: ModelCall) -> None:
        """See `Metrics`."""
        for kind, count in (
            ("input", call.prompt_tokens),
            ("cached", call.cached_tokens),
            ("output", call.completion_tokens),
        ):
            self._tokens.labels(call.provider, call.model, kind).inc(count)
        self._cost.labels(call.provider, call.model).inc(call.cost)

    def model_failed(self, provider: str, code: str) -> None:
        """See `Metrics`."""
        self._model_calls.labels(provider, code).inc()

    def tool_ended(self, tool: str, outcome: str, seconds: float) -> None:
        """See `Metrics`."""
        self._tool_calls.labels(tool, outcome).inc()
        self._tool_seconds.labels(tool).observe(seconds)

    def event_met(self, platform: str, outcome: str) -> None:
        """See `Metrics`."""
        self._events.labels(platform, outcome).inc()

    def delivered(self, platform: str, outcome: str) -> None:
        """See `Metrics`."""
        self._deliveries.labels(platform, outcome).inc()

    def loop_lagged(self, seconds: float) -> None:
        """See `Metrics`."""
        self._lag.observe(seconds)

    def watch_agents(self, stats: Callable[[], PoolStats]) -> None:
        """See `Metrics`."""
        self._present.agents = stats

    def watch_chats(self, busy: Callable[[], int], waiting: Callable[[], int]) -> None:
        """See `Metrics`."""
        self._present.counts[table.BUSY_CHATS] = busy
        self._present.counts[table.WAITING_MESSAGES] = waiting

    def watch_platform(self, platform: str, silence_s: Callable[[], float | None]) -> None:
        """See `Metrics`."""
        self._present.silences[platform] = silence_s

    def _counter(self, metric: Metric) -> Counter:
        return Counter(metric.name, metric.text, metric.labels, registry=self._registry)

    def _histogram(self, metric: Metric) -> Histogram:
        return Histogram(
            metric.name,
            metric.text,
            metric.labels,
            buckets=metric.buckets,
            registry=self._registry,
        )


class _Present(Collector):
    """What is at this moment."""

    def __init__(self) -> None:
        self.agents: Callable[[], PoolStats] | None = None
        self.counts: dict[Metric, Callable[[], int]] = {}
        self.silences: dict[str, Callable[[], float | None]] = {}

    def collect(self) -> Iterator[Family]:
        yield _family(table.INFO, [((__version__,), 1)])
        for metric, count in self.counts.items():
            yield _family(metric, [((), count())])
        silences = [((name,), silence()) for name, silence in self.silences.items()]
        yield _family(table.PLATFORM_SILENCE, [(n, s) for n, s in silences if s is not None])
        if self.agents is not None:
            yield from _agents(self.agents())


def _agents(stats: PoolStats) -> Iterator[Family]:
    idle = stats.warm - stats.leased
    yield _family(table.AGENTS, [(("idle",), idle), (("leased",), stats.leased)])
    rows = (
        (table.AGENT_WAITERS, stats.waiting),
        (table.AGENT_JOBS, stats.running),
        (table.AGENT_BYTES, stats.memory_bytes),
        (table.AGENTS_STARTED, stats.started),
        (table.AGENTS_HIBERNATED, stats.hibernated),
        (table.AGENTS_FAILED, stats.failed),
    )
    for metric, value in rows:
        yield _family(metric, [((), value)])


def _family(metric: Metric, values: Iterable[tuple[tuple[str, ...], float]]) -> Family:
    kind = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
    family = kind(metric.name, metric.text, labels=metric.labels)
    for labels, value in values:
        family.add_metric(labels, value)
    return family
