"""What a turn tells whoever counts: where its time went, and how it ended."""

from collections import Counter
from collections.abc import AsyncIterator

import pytest

from gateway.metrics import Metrics, Phase
from gateway.runtime.native import NativeInstance, NativeRuntime
from tests.gateway.chats.small_gateway import SmallGateway, Start, is_settled


class Notes(Metrics):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.phases: Counter[str] = Counter()
        self.turns: list[str] = []
        self.delivered_: list[tuple[str, str]] = []

    def took(self, phase: Phase, seconds: float) -> None:
        assert seconds >= 0
        self.phases[phase] += 1

    def turn_ended(self, outcome: str, seconds: float) -> None:
        assert seconds >= 0
        self.turns.append(outcome)

    def delivered(self, platform: str, outcome: str) -> None:
        self.delivered_.append((platform, outcome))


class BrokenRuntime(NativeRuntime):
    """Its agents break at the first word."""

    def start(self, chat: str) -> NativeInstance:
        instance = super().start(chat)
        instance.close()
        return instance


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.fixture
async def gateway(start: Start, notes: Notes) -> AsyncIterator[SmallGateway]:
    async with start(metrics=notes) as running:
        yield running


async def ended(gateway: SmallGateway) -> None:
    """Wait until the chat has nothing to do: its turns have been counted by then."""
    await gateway.platform.until(is_settled)
    await gateway.chats.idle("telegram:dm:1")


async def test_an_answered_turn_tells_of_each_phase_once_and_of_two_steps(
    gateway: SmallGateway, notes: Notes
) -> None:
    gateway.model.enqueue(text="hello")
    await gateway.platform.say("hi")
    await gateway.platform.until_shown("hello")
    await ended(gateway)
    assert notes.turns == ["answered"]
    assert notes.phases == {"queue": 1, "wake": 1, "step": 2, "delivery": 1}
    assert notes.delivered_ == [("telegram", "shown")]


async def test_a_stopped_turn_is_interrupted(gateway: SmallGateway, notes: Notes) -> None:
    drip = gateway.model.enqueue(text="Once upon a time", gated=True)
    await gateway.platform.say("a story please")
    await drip.started.wait()
    await gateway.platform.say("/stop")
    await ended(gateway)
    assert notes.turns == ["interrupted"]


async def test_a_failed_model_call_is_the_models_error(gateway: SmallGateway, notes: Notes) -> None:
    gateway.model.enqueue(status=500, body={"error": {"message": "out of order"}})
    await gateway.platform.say("hi")
    await gateway.platform.until(lambda screen: bool(screen.messages))
    await ended(gateway)
    assert notes.turns == ["error"]


async def test_a_broken_agent_is_our_failure(start: Start, notes: Notes) -> None:
    async with start(metrics=notes, runtime=BrokenRuntime()) as gateway:
        await gateway.platform.say("hi")
        await gateway.platform.until(lambda screen: "lost my thread" in screen.last)
        await ended(gateway)
    assert notes.turns == ["failed"]
