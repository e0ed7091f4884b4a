"""What holds for every test: the event loop is never blocked, and a slow machine is no failure."""

from collections.abc import Iterator

import pytest
from blockbuster import BlockBuster, blockbuster_ctx
from hypothesis import settings

settings.register_profile("ours", deadline=None)
settings.load_profile("ours")


@pytest.fixture(autouse=True)
def blockbuster() -> Iterator[BlockBuster]:
    """A blocking call on the event loop, from our own code, fails the test."""
    with blockbuster_ctx(["agent_core", "config", "adapters", "gateway"]) as blockers:
        yield blockers
