"""Whether a gateway can serve, and if not, why: a few checks, each with little patience.

What is checked is handed in by the composition root. A check returns if all is well, and raises
an error whose text says what is not; it must leave nothing behind when it is cancelled.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

from adapters.base import AdapterError, Pulse
from gateway.errors import GatewayError

PATIENCE_S = 2.0

Check = Callable[[], Awaitable[object]]


class NotReady(GatewayError):
    """The reason in words."""


class Readiness:
    """The checks by name. Until `begin`, and from `end` on, nothing is ready."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._checks: dict[str, Check] = {}
        self._patience_s = patience_s
        self._state = "starting"

    def add(self, name: str, check: Check) -> None:
        """From now on this has to hold as well."""
        self._checks[name] = check

    def begin(self) -> None:
        """The gateway serves."""
        self._state = ""

    def end(self) -> None:
        """The gateway is being stopped."""
        self._state = "stopping"

    async def reasons(self) -> dict[str, str]:
        """Why it is not ready, by the name of the check; empty if it is."""
        if self._state:
            return {"gateway": self._state}
        found = await asyncio.gather(*map(self.failure, self._checks))
        return {name: text for name, text in zip(self._checks, found, strict=True) if text}

    async def failure(self, name: str) -> str | None:
        """What is wrong with one check; None if it holds."""
        try:
            async with asyncio.timeout(self._patience_s):
                await self._checks[name]()
        except TimeoutError:
            return f"no answer within {self._patience_s:g} s"
        except (GatewayError, AdapterError) as error:
            return str(error)
        return None


def heard_from(pulse: Pulse) -> Check:
    """A check that a platform has been heard from, and lately."""

    async def check() -> None:
        if text := silence(pulse, time.monotonic()):
            raise NotReady(text)

    return check


def silence(pulse: Pulse, now: float) -> str | None:
    """What is wrong with a pulse at a moment of the monotonic clock; None if nothing is."""
    if pulse.max_silence_s is None:
        return None
    if pulse.heard_at is None:
        return "not connected yet"
    silent_s = now - pulse.heard_at
    if silent_s > pulse.max_silence_s:
        return f"not heard from for {silent_s:.0f} s"
    return None
