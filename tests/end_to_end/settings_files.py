"""Pieces of a `hermes.yaml` for a gateway that is a process of its own."""

from tests.fakes.model_server import KEY, ModelServer


def model_section(model: ModelServer) -> str:
    """The section that has a model server of the tests answer."""
    return (
        f"model:\n  provider: openai\n  name: fake-model\n  base_url: {model.base_url}\n"
        f"  api_key: {KEY}\n"
    )
