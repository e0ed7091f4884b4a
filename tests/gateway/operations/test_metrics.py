"""What is counted, told in the text format, and explained in the docs."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from config.models import ModelSettings
from gateway.llm.errors import ModelError
from gateway.llm.providers import make_provider
from gateway.operations.measured import MeasuredProvider, MeasuredUsage
from gateway.operations.prometheus import PrometheusMetrics
from gateway.operations.reference import PAGE, page
from gateway.operations.table import METRICS
from gateway.runtime.pool import PoolStats
from gateway.store.sqlite import FILE_NAME, SqliteStore
from gateway.store.usage import ModelCall
from tests.fakes.model_server import KEY, ModelServer

REQUEST = {"messages": [{"role": "user", "content": "hi"}]}
STATS = PoolStats(
    warm=5,
    leased=2,
    waiting=1,
    running=3,
    memory_bytes=4_096,
    started=9,
    hibernated=4,
    failed=1,
)


async def values(metrics: PrometheusMetrics) -> dict[str, float]:
    """Every sample, under its name and labels as the text format writes them."""
    found = {}
    for family in text_string_to_metric_families((await metrics.text()).decode()):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}"] = sample.value
    return found


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    server = ModelServer(api_key=KEY)
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def provider(
    model: ModelServer, metrics: PrometheusMetrics
) -> AsyncIterator[MeasuredProvider]:
    settings = ModelSettings.model_validate(
        {
            "provider": "openai",
            "name": "fake-model",
            "base_url": model.base_url,
            "api_key": KEY,
            "tries": 1,
        }
    )
    measured = MeasuredProvider(make_provider(settings), metrics)
    yield measured
    await measured.close()


@pytest.fixture
def metrics() -> PrometheusMetrics:
    return PrometheusMetrics()


async def test_turns_phases_and_deliveries_are_counted(metrics: PrometheusMetrics) -> None:
    metrics.took("wake", 0.002)
    metrics.took("wake", 0.2)
    metrics.turn_ended("answered", 3.0)
    metrics.delivered("telegram", "shown")
    metrics.tool_ended("read_file", "done", 0.2)
    metrics.event_met("telegram", "stranger")
    metrics.loop_lagged(0.003)
    found = await values(metrics)
    assert found["hermes_phase_seconds_count{phase=wake}"] == 2
    assert found["hermes_phase_seconds_bucket{le=0.0025,phase=wake}"] == 1
    assert found["hermes_turns_total{outcome=answered}"] == 1
    assert found["hermes_turn_seconds_sum{}"] == 3.0
    assert found["hermes_deliveries_total{outcome=shown,platform=telegram}"] == 1
    assert found["hermes_tool_calls_total{outcome=done,tool=read_file}"] == 1
    assert found["hermes_tool_seconds_sum{tool=read_file}"] == 0.2
    assert found["hermes_events_total{outcome=stranger,platform=telegram}"] == 1
    assert found["hermes_event_loop_lag_seconds_bucket{le=0.005}"] == 1


async def test_what_is_at_the_moment_is_looked_up_when_somebody_asks(
    metrics: PrometheusMetrics,
) -> None:
    assert "hermes_busy_chats{}" not in await values(metrics)
    metrics.watch_agents(lambda: STATS)
    metrics.watch_chats(lambda: 2, lambda: 7)
    metrics.watch_platform("telegram", lambda: 1.5)
    metrics.watch_platform("discord", lambda: None)
    found = await values(metrics)
    assert found["hermes_agents{state=idle}"] == 3
    assert found["hermes_agents{state=leased}"] == 2
    assert found["hermes_agent_memory_bytes{}"] == 4_096
    assert found["hermes_agents_hibernated_total{}"] == 4
    assert found["hermes_busy_chats{}"] == 2
    assert found["hermes_waiting_messages{}"] == 7
    assert found["hermes_platform_silence_seconds{platform=telegram}"] == 1.5
    assert "hermes_platform_silence_seconds{platform=discord}" not in found


async def test_every_metric_in_the_text_is_in_the_table_and_the_other_way_round(
    metrics: PrometheusMetrics,
) -> None:
    metrics.watch_agents(lambda: STATS)
    metrics.watch_chats(lambda: 0, lambda: 0)
    metrics.watch_platform("telegram", lambda: 0.0)
    text = (await metrics.text()).decode()
    told = {
        (family.name + ("_total" if family.type == "counter" else ""), family.type)
        for family in text_string_to_metric_families(text)
        if family.name.startswith("hermes_") and not family.name.endswith("_created")
    }
    assert told == {(metric.name, metric.kind) for metric in METRICS}


def test_the_table_in_the_docs_is_up_to_date() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text == page(text), "run: python -m gateway.operations.reference"
    assert Path(PAGE).name == "operations.md"


async def test_an_answered_call_is_measured_with_its_tokens(
    model: ModelServer, provider: MeasuredProvider, metrics: PrometheusMetrics
) -> None:
    model.enqueue(text="hello")
    shown: list[str | None] = []
    completion = await provider.complete(REQUEST, shown.append)
    assert completion["choices"][0]["message"]["content"] == "hello"
    assert "".join(piece or "" for piece in shown) == "hello"
    found = await values(metrics)
    assert found["hermes_model_calls_total{outcome=answered,provider=openai}"] == 1
    assert (
        found["hermes_phase_seconds_sum{phase=first_token}"]
        <= found["hermes_phase_seconds_sum{phase=model}"]
    )


async def test_a_failed_call_is_counted_under_its_code(
    model: ModelServer, provider: MeasuredProvider, metrics: PrometheusMetrics
) -> None:
    model.enqueue(status=401, body={"error": {"message": "no"}})
    with pytest.raises(ModelError):
        await provider.complete(REQUEST, lambda _: None)
    found = await values(metrics)
    assert found["hermes_model_calls_total{outcome=auth,provider=openai}"] == 1
    assert "hermes_phase_seconds_count{phase=model}" not in found


async def test_what_calls_cost_is_counted_as_the_ledger_has_it(
    metrics: PrometheusMetrics, tmp_path: Path
) -> None:
    call = ModelCall(
        day="2031-05-06",
        chat="console",
        person="console:local",
        provider="openai",
        model="m",
        purpose="turn",
        prompt_tokens=100,
        cached_tokens=64,
        completion_tokens=7,
        reasoning_tokens=0,
        cost=0.25,
        outcome="ok",
    )
    async with await SqliteStore.open(
        tmp_path / FILE_NAME, now=lambda: datetime(2031, 5, 6, tzinfo=UTC)
    ) as store:
        ledger = MeasuredUsage(store.usage, metrics)
        await ledger.record(call)
        await ledger.record(call)
        assert (await ledger.usage("chat", "console")).cost == 0.5
        assert [name for name, _ in await ledger.usage_by_model("console")] == ["m"]
    found = await values(metrics)
    assert found["hermes_model_tokens_total{kind=input,model=m,provider=openai}"] == 200
    assert found["hermes_model_tokens_total{kind=cached,model=m,provider=openai}"] == 128
    assert found["hermes_model_tokens_total{kind=output,model=m,provider=openai}"] == 14
    assert found["hermes_model_cost_total{model=m,provider=openai}"] == 0.5
