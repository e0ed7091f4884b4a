"""One reply: a text that grows on the screen, and is put there for good exactly once.

A reply belongs to one turn. Once it is finished nothing changes it any more: text that comes late
is dropped. The pace of edits is `pace`'s, the messages are `screen`'s.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import structlog

from adapters.base import Adapter, AdapterError, Address, Button, Part, RateLimited
from gateway.delivery.gate import Gates
from gateway.delivery.ledger import Ledger, NoLedger
from gateway.delivery.pace import Pace
from gateway.delivery.persistence import BACKOFF_S, Outcome
from gateway.delivery.screen import Screen
from gateway.metrics import Metrics

_log = structlog.get_logger()

Buttons = tuple[tuple[Button, ...], ...]


@dataclass(frozen=True, slots=True)
class DeliverySettings:
    """What holds for every reply."""

    is_streaming: bool = True
    first_edit_chars: int = 24
    backoff_s: tuple[float, ...] = BACKOFF_S
    metrics: Metrics = field(default_factory=Metrics)
    gates: Gates = field(default_factory=Gates)


def with_buttons(parts: Sequence[Part], buttons: Buttons) -> list[Part]:
    """The parts with buttons under the last one."""
    if not parts or not buttons:
        return list(parts)
    return [*parts[:-1], replace(parts[-1], buttons=buttons)]


class Reply:
    """A reply on its way to one address."""

    def __init__(
        self,
        adapter: Adapter,
        address: Address,
        settings: DeliverySettings,
        growing_buttons: Buttons = (),  # under the text while it grows
        ledger: Ledger | None = None,
    ) -> None:
        self.text = ""  # as streamed so far, on the screen or not yet
        self._kept = ""  # what was there when the present stream started
        self._adapter = adapter
        self._settings = settings
        self._growing_buttons = growing_buttons
        self._ledger: Ledger = ledger or NoLedger()
        gate = settings.gates.of(adapter)
        self._screen = Screen(adapter, address, gate, settings.backoff_s, self._ledger)
        self._screen_in_use = asyncio.Lock()
        self._has_grown = asyncio.Event()
        self._is_closed = asyncio.Event()

    def begin(self, *, continues: bool) -> None:
        """Another stream starts: it goes on with the text, or takes its place."""
        if not self._is_closed.is_set():
            self._kept = self.text if continues else ""
            self.text = self._kept

    def grow(self, piece: str | None) -> None:
        """More text has arrived; `None` takes back what this stream has brought (`TextSink`)."""
        if self._is_closed.is_set():
            return
        if piece is None:
            self.text = self._kept
        elif piece:
            self.text += piece
            self._has_grown.set()

    async def stream(self) -> None:
        """Keep the screen up with the growing text; returns when the reply is closed.

        A failed edit is no harm: the final text is shown whatever happened before.
        """
        if not self._settings.is_streaming:
            return
        pace = Pace(self._adapter.edit_interval_s)
        while not pace.is_hopeless and not self._screen.is_uncertain:
            await self._has_grown.wait()
            self._has_grown.clear()
            if self._is_closed.is_set():
                return
            if self._is_worth_showing:
                pace, wait_s = await self._preview(pace)
                if wait_s:
                    self._has_grown.set()  # there is more to show than the platform has taken
                await self._pause(max(pace.pause_s, wait_s))

    async def finish(self, markdown: str, buttons: Buttons = ()) -> Outcome:
        """Show the final text, once. Whatever was previewed turns into it."""
        self._close()
        begun = time.perf_counter()
        async with self._screen_in_use:
            self._ledger.finish(markdown)
            parts = self._adapter.render(markdown)
            outcome = await self._screen.show(with_buttons(parts, buttons))
        metrics = self._settings.metrics
        metrics.took("delivery", time.perf_counter() - begun)
        metrics.delivered(self._adapter.name, outcome)
        return outcome

    async def amend(self, markdown: str) -> None:
        """Change a finished text, if that can be done at once: nothing hangs on it."""
        async with self._screen_in_use:
            try:
                await self._screen.amend(self._adapter.render(markdown))
            except AdapterError as error:
                _log.info("message not amended", error=str(error))

    async def withdraw(self) -> Outcome:
        """Take away what was previewed: there is no final text."""
        self._close()
        async with self._screen_in_use:
            return await self._screen.show([])

    @property
    def _is_worth_showing(self) -> bool:
        if self._screen.is_empty:
            return len(self.text) >= self._settings.first_edit_chars
        return bool(self.text.strip())  # a stream that was begun anew has nothing to show yet

    def _close(self) -> None:
        self._is_closed.set()
        self._has_grown.set()

    async def _preview(self, pace: Pace) -> tuple[Pace, float]:
        """The pace from now on, and the seconds to wait for the platform's rates."""
        # The lock lets a preview that is under way end before the final text: cutting it off
        # would leave a message on the screen whose id nobody knows.
        async with self._screen_in_use:
            parts = with_buttons(self._adapter.preview(self.text), self._growing_buttons)
            try:
                wait_s = await self._screen.preview(parts, self._is_closed.is_set)
            except RateLimited as error:
                _log.info("edits slowed down", wait_s=error.retry_after_s)
                return pace.after_flood(error.retry_after_s), 0
            except AdapterError as error:
                _log.info("edit failed", error=str(error))
                return pace.after_failure(), 0
            return pace.after_success(), wait_s

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._is_closed.wait()
        except TimeoutError:
            return


async def say(
    adapter: Adapter, address: Address, settings: DeliverySettings, markdown: str
) -> Outcome:
    """Show a text that is whole from the start."""
    return await Reply(adapter, address, settings).finish(markdown)
