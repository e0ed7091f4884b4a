"""Not only the transcripts: any conversation goes the same way in Wasm and natively."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_core import Agent
from agent_core.__main__ import feed
from agent_core.wire import Message, encode
from gateway.runtime.artefact import load_artefact
from gateway.runtime.engine import Engine, EngineSettings
from tests.agent_core.host import Host
from tests.agent_core.test_any_conversation import configs, converse, levels


@pytest.fixture(scope="module")
def engine(code_folder: Path) -> Iterator[Engine]:
    engine = Engine(load_artefact(), EngineSettings(cache_folder=code_folder))
    yield engine
    engine.close()


@pytest.mark.timeout(180)  # the module may have to be compiled first
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(st.data(), configs, levels)
def test_wasm_and_native_answer_the_same(
    engine: Engine, data: st.DataObject, config: Message, level: int
) -> None:
    host = Host()
    host.init(config, level=level)
    converse(host, data)
    lines = [encode(message) for message in host.fed]
    agent = Agent()
    instance = engine.start("any")
    try:
        for line in lines:
            native = feed(agent, line.encode()).decode().split("\n")[:-1]
            assert instance.step([line]) == native
    finally:
        instance.close()
