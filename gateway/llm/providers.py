"""The table of model APIs. A new one is a class with the methods of `Provider`, and a line here."""

from collections.abc import Callable, Mapping

from config.models import ModelSettings
from gateway.llm.anthropic import AnthropicProvider
from gateway.llm.demo import DemoProvider
from gateway.llm.openai import OpenAIProvider
from gateway.llm.provider import Provider
from gateway.llm.retry import Retrying

PROVIDERS: Mapping[str, Callable[[ModelSettings], Provider]] = {
    "demo": lambda _: DemoProvider(),
    "openai": OpenAIProvider,
    "anthropic": AnthropicProvider,
}


def make_provider(settings: ModelSettings) -> Provider:
    """The provider that the settings name, with retries around it."""
    return Retrying(PROVIDERS[settings.provider](settings), settings)
