"""What makes a gateway not ready, and how that is said."""

import asyncio

import pytest

from adapters.base import Pulse, Unreachable
from gateway.operations.readiness import NotReady, Readiness, heard_from, silence
from gateway.store.errors import StoreFull


async def fine() -> None:
    """A check that holds."""


@pytest.mark.parametrize(
    ("max_silence_s", "heard_at", "said"),
    [
        (80, None, "not connected yet"),
        (80, 1_000.0, None),
        (80, 920.0, None),
        (80, 900.0, "not heard from for 100 s"),
        (None, None, None),
        (None, 0.0, None),
    ],
)
def test_a_platform_must_have_been_heard_from_lately(
    max_silence_s: float | None, heard_at: float | None, said: str | None
) -> None:
    assert silence(Pulse(max_silence_s, heard_at), now=1_000.0) == said


async def test_a_pulse_that_beats_is_well() -> None:
    pulse = Pulse(max_silence_s=80)
    with pytest.raises(NotReady, match="not connected"):
        await heard_from(pulse)()
    pulse.beat()
    await heard_from(pulse)()
    silent_s = pulse.silent_s()
    assert silent_s is not None
    assert silent_s >= 0


async def test_a_gateway_is_not_ready_before_it_serves_and_when_it_stops() -> None:
    readiness = Readiness()
    readiness.add("store", fine)
    assert await readiness.reasons() == {"gateway": "starting"}
    readiness.begin()
    assert await readiness.reasons() == {}
    readiness.end()
    assert await readiness.reasons() == {"gateway": "stopping"}


async def test_all_that_is_wrong_is_said_at_once() -> None:
    async def full() -> None:
        raise StoreFull("There is no room left.")

    async def away() -> None:
        raise Unreachable("no route")

    async def hangs() -> None:
        await asyncio.Event().wait()

    readiness = Readiness(patience_s=0.01)
    for name, check in {"store": full, "agents": hangs, "telegram": away, "console": fine}.items():
        readiness.add(name, check)
    readiness.begin()
    assert await readiness.reasons() == {
        "store": "There is no room left.",
        "agents": "no answer within 0.01 s",
        "telegram": "no route",
    }


async def test_a_defect_of_a_check_is_not_taken_for_a_reason() -> None:
    async def broken() -> None:
        raise ZeroDivisionError

    readiness = Readiness()
    readiness.add("broken", broken)
    readiness.begin()
    with pytest.raises(ZeroDivisionError):
        await readiness.reasons()
