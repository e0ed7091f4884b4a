"""A server of the Messages API, and providers that talk to it."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from config.models import ModelSettings
from gateway.llm.anthropic import AnthropicProvider
from tests.fakes.messages import KEY, MessagesServer


@pytest.fixture
async def messages_server() -> AsyncIterator[MessagesServer]:
    """A running server that wants `KEY`."""
    server = MessagesServer()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def claude(
    messages_server: MessagesServer,
) -> AsyncIterator[Callable[..., AnthropicProvider]]:
    """Make providers for the server, with settings of the test's own."""
    made: list[AnthropicProvider] = []

    def make(**changes: Any) -> AnthropicProvider:
        values = {
            "provider": "anthropic",
            "name": "fake-model",
            "base_url": messages_server.base_url,
            "api_key": KEY,
        }
        made.append(AnthropicProvider(ModelSettings.model_validate(values | changes)))
        return made[-1]

    yield make
    for provider in made:
        await provider.close()
