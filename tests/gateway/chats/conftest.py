"""A gateway in small for each test, and the servers around it."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import structlog

from config.settings import LoggingSettings
from gateway import logs
from tests.fakes.model_server import KEY, ModelServer
from tests.fakes.transcription_server import TranscriptionServer
from tests.gateway.chats.running import Parts, running, settings_of
from tests.gateway.chats.small_gateway import SmallGateway, Start

_PARTS = frozenset(field.name for field in fields(Parts))


@pytest.fixture(autouse=True)
def logging_as_in_production() -> Iterator[None]:
    """Tracebacks, too, are written by what a real gateway uses."""
    logs.configure(LoggingSettings(level="debug"))
    yield
    structlog.reset_defaults()


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    server = ModelServer(api_key=KEY)
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def ears() -> AsyncIterator[TranscriptionServer]:
    """A server that writes down what is spoken."""
    server = TranscriptionServer()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
def start(model: ModelServer, tmp_path: Path) -> Start:
    """Start a gateway on the test's own data folder; a second start finds what the first left.

    What is chosen are `Parts` and settings (`settings_of`), by their names.
    """

    def started(**chosen: Any) -> AbstractAsyncContextManager[SmallGateway]:
        given = {name: chosen.pop(name) for name in _PARTS & chosen.keys()}
        usual: dict[str, Any] = {"folder": tmp_path, "has_time": "schedule" in chosen}
        parts = Parts(**usual | given)
        return running(settings_of(model, parts.folder, chosen), parts, model)

    return started


@pytest.fixture
async def gateway(start: Start) -> AsyncIterator[SmallGateway]:
    """One gateway, with the settings that most tests want."""
    async with start() as running:
        yield running
