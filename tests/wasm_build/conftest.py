"""What the tests of the build share: the built modules, one engine, and instances of the agent."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from wasmtime import Engine, Module

from tests.wasm_build import snapshot_host
from wasm_build import manifest

ROOT = Path(__file__).parents[2]
OUTPUT = ROOT / "dist" / "wasm"


@pytest.fixture(scope="session")
def built() -> Path:
    """The folder of the built modules; they must be there and be made from these sources."""
    if not (manifest.has_agent(ROOT) and manifest.has_sandbox(ROOT)):
        pytest.fail("dist/wasm is not built from these sources: run ./build.sh build first")
    return OUTPUT


@pytest.fixture(scope="session")
def engine() -> Engine:
    return Engine()


@pytest.fixture(scope="session")
def snapshot(built: Path, engine: Engine) -> Module:
    return Module(engine, (built / manifest.SNAPSHOT).read_bytes())


@pytest.fixture
def start_agent(engine: Engine, snapshot: Module) -> Callable[[], snapshot_host.Agent]:
    """Makes a fresh agent at each call."""
    return partial(snapshot_host.start_agent, engine, snapshot)
