"""Engines with small agents, the real snapshot, and the pools around them."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from gateway.runtime.artefact import Artefact, artefact_folder, load_artefact
from gateway.runtime.engine import Engine, EngineSettings
from gateway.runtime.errors import ArtefactError
from gateway.runtime.pool import AgentPool
from tests.gateway.runtime import wat_agents

MIB = 1_048_576

MakePool = Callable[..., AgentPool]


@pytest.fixture
def cache_folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def settings(cache_folder: Path) -> EngineSettings:
    return EngineSettings(agent_memory_bytes=8 * MIB, step_timeout_s=0.3, cache_folder=cache_folder)


@pytest.fixture
def obedient(tmp_path: Path) -> Artefact:
    return wat_agents.artefact(tmp_path, wat_agents.OBEDIENT)


@pytest.fixture
def engine(obedient: Artefact, settings: EngineSettings) -> Iterator[Engine]:
    """An engine whose agents do as their lines say, with little time and memory."""
    engine = Engine(obedient, settings)
    yield engine
    engine.close()


@pytest.fixture
async def make_pool(engine: Engine) -> AsyncIterator[MakePool]:
    """Pools of obedient agents, closed at the end."""
    pools: list[AgentPool] = []

    def make(max_agents: int = 10, memory_budget_bytes: int = 1_000 * MIB) -> AgentPool:
        pools.append(
            AgentPool(
                engine, max_agents=max_agents, memory_budget_bytes=memory_budget_bytes, threads=2
            )
        )
        return pools[-1]

    yield make
    for pool in pools:
        await pool.close()


@pytest.fixture(scope="session")
def snapshot() -> Artefact:
    """The real agent. Its compiled code is kept where the gateway itself keeps it."""
    try:
        return load_artefact()
    except ArtefactError as error:
        pytest.fail(f"these tests need the agent's Wasm in {artefact_folder()}: {error}")


@pytest.fixture(scope="session")
def real_engine(snapshot: Artefact) -> Iterator[Engine]:
    engine = Engine(snapshot)
    yield engine
    engine.close()
