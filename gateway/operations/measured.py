"""A provider, and a ledger of model calls, that note what passes through. They wrap any other."""

import asyncio
import time

from gateway.llm.errors import ModelError
from gateway.llm.provider import ChatCompletion, ChatRequest, Provider, TextSink
from gateway.metrics import Metrics
from gateway.store.usage import ModelCall, UsageStore


class MeasuredProvider:
    """A `Provider`: what it does is the other's business."""

    def __init__(self, provider: Provider, metrics: Metrics) -> None:
        self.name = provider.name
        self._provider = provider
        self._metrics = metrics

    async def complete(self, request: ChatRequest, on_text: TextSink) -> ChatCompletion:
        """Make a call, with a watch in hand."""
        started = time.perf_counter()
        first: float | None = None

        def show(text: str | None) -> None:
            nonlocal first
            if text and first is None:
                first = time.perf_counter()
            on_text(text)

        try:
            completion = await self._provider.complete(request, show)
        except ModelError as error:
            self._metrics.model_failed(self.name, error.code)
            raise
        except asyncio.CancelledError:
            self._metrics.model_failed(self.name, "cancelled")
            raise
        ended = time.perf_counter()
        self._metrics.took("first_token", (first or ended) - started)
        self._metrics.took("model", ended - started)
        self._metrics.model_answered(self.name)
        return completion

    async def close(self) -> None:
        """Close the provider."""
        await self._provider.close()


class MeasuredUsage:
    """A `UsageStore`: what it keeps is the other's business."""

    def __init__(self, usage: UsageStore, metrics: Metrics) -> None:
        self.usage = usage.usage
        self.usage_by_model = usage.usage_by_model
        self.prune = usage.prune
        self._usage = usage
        self._metrics = metrics

    async def record(self, call: ModelCall) -> None:
        """Add a row, and count it: the money is spent even if the row can't be written."""
        self._metrics.model_used(call)
        await self._usage.record(call)
