"""A model server, providers that talk to it, and no waiting between tries."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import stamina

from config.models import ModelSettings
from gateway.llm.openai import OpenAIProvider
from tests.fakes.model_server import KEY, ModelServer


@pytest.fixture(autouse=True)
def _no_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=100, cap=True):
        yield


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    """A running model server that wants `KEY`."""
    fake = ModelServer(api_key=KEY)
    await fake.start()
    yield fake
    await fake.stop()


@pytest.fixture
def settings_for(server: ModelServer) -> Callable[..., ModelSettings]:
    """Settings that lead to the server."""

    def make(**changes: Any) -> ModelSettings:
        values: dict[str, Any] = {
            "provider": "openai",
            "name": "fake-model",
            "base_url": server.base_url,
            "api_key": KEY,
        }
        return ModelSettings.model_validate(values | changes)

    return make


@pytest.fixture
async def provider(
    settings_for: Callable[..., ModelSettings],
) -> AsyncIterator[OpenAIProvider]:
    """A provider that makes each call once."""
    made = OpenAIProvider(settings_for())
    yield made
    await made.close()
