"""One reply: a text that grows on the screen, and is put there for good exactly once.

A reply belongs to one turn. Once it is finished nothing changes it any more: text that comes late
is dropped. Until there is text a line may say what is being done; it turns into the text like any
preview. The pace of edits is `pace`'s, the messages are `screen`'s, drafts are `drafts`'.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import structlog

from adapters.base import Adapter, AdapterError, Address, Button, Part, RateLimited, Rejected, Style
from gateway.delivery.composing import FileSource, compose, growing, render
from gateway.delivery.drafts import RENEWED_AFTER_S, Draft
from gateway.delivery.gate import Gates
from gateway.delivery.ledger import Ledger, NoLedger
from gateway.delivery.pace import Pace
from gateway.delivery.persistence import BACKOFF_S, Outcome
from gateway.delivery.screen import Screen
from gateway.metrics import Metrics

_log = structlog.get_logger()

Buttons = tuple[tuple[Button, ...], ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """A text in Markdown with something to choose from under it."""

    text: str
    buttons: Buttons


Said = str | Offer
"""What is said at once: Markdown, with buttons or without."""


@dataclass(frozen=True, slots=True)
class DeliverySettings:
    """What holds for every reply."""

    is_streaming: bool = True
    first_edit_chars: int = 24
    backoff_s: tuple[float, ...] = BACKOFF_S
    metrics: Metrics = field(default_factory=Metrics)
    gates: Gates = field(default_factory=Gates)
    activity_after_s: float = 1.0  # tools that are through sooner are not worth a line


def with_buttons(parts: Sequence[Part], buttons: Buttons) -> list[Part]:
    """The parts with buttons under the last one that can have any: files shown together can't.

    Where there are only such, the last is taken apart.
    """
    shown = list(parts)
    if not shown or not buttons:
        return shown
    if all(len(part.files) > 1 for part in shown):
        shown[-1:] = _apart(shown[-1])
    last = max(place for place, part in enumerate(shown) if len(part.files) <= 1)
    shown[last] = replace(shown[last], buttons=buttons)
    return shown


def _apart(part: Part) -> list[Part]:
    """A part with several files as parts with one each; the text stays with the first."""
    first, *others = part.files
    return [replace(part, files=(first,)), *(Part("", files=(file,)) for file in others)]


class Reply:
    """A reply on its way to one address."""

    def __init__(
        self,
        adapter: Adapter,
        address: Address,
        settings: DeliverySettings,
        growing_buttons: Buttons = (),  # under the text while it grows
        *,
        ledger: Ledger | None = None,
        files: FileSource | None = None,
    ) -> None:
        self.text = ""  # as streamed so far, on the screen or not yet
        self._kept = ""  # what was there when the present stream started
        self._status = ""
        self._adapter = adapter
        self._settings = settings
        self._growing_buttons = growing_buttons
        self._ledger: Ledger = ledger or NoLedger()
        self._files = files
        gate = settings.gates.of(adapter)
        self._screen = Screen(adapter, address, gate, settings.backoff_s, self._ledger)
        self._draft = Draft(adapter, address, gate)
        if self._ledger.found:  # what an earlier run has left as a message goes on as one
            self._draft.give_up()
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

    def tell(self, status: str) -> None:
        """Say in a line of Markdown what is being done; seen for as long as there is no text."""
        if not self._is_closed.is_set() and status != self._status:
            self._status = status
            self._has_grown.set()

    async def stream(self) -> None:
        """Keep the screen up with the growing text; returns when the reply is closed.

        A failed edit is no harm: the final text is shown whatever happened before.
        """
        pace = Pace(self._adapter.edit_interval_s)
        while not pace.is_hopeless and not self._screen.is_uncertain:
            await self._wait_for_more()
            self._has_grown.clear()
            if self._is_closed.is_set():
                return
            if text := self._growing:
                pace, wait_s = await self._preview(text, pace)
                if wait_s:
                    self._has_grown.set()  # there is more to show than the platform has taken
                await self._pause(max(pace.pause_s, wait_s))

    async def finish(
        self, markdown: str, buttons: Buttons = (), style: Style = Style.ANSWER
    ) -> Outcome:
        """Show the final text, once. Whatever was previewed turns into it."""
        self._close()
        begun = time.perf_counter()
        async with self._screen_in_use:
            self._ledger.finish(markdown)
            parts = await compose(self._adapter, markdown, self._files, style)
            outcome = await self._screen.show(with_buttons(parts, buttons), markdown)
        metrics = self._settings.metrics
        metrics.took("delivery", time.perf_counter() - begun)
        metrics.delivered(self._adapter.name, outcome)
        return outcome

    async def amend(
        self, markdown: str, style: Style = Style.ANSWER, buttons: Buttons = ()
    ) -> None:
        """Change a finished text, if that can be done at once: nothing hangs on it."""
        async with self._screen_in_use:
            try:
                parts = await render(self._adapter, markdown, style)
                await self._screen.amend(with_buttons(parts, buttons))
            except AdapterError as error:
                _log.info("message not amended", error=str(error))

    async def withdraw(self) -> Outcome:
        """Take away what was previewed: there is no final text."""
        self._close()
        async with self._screen_in_use:
            return await self._screen.show([])

    @property
    def _growing(self) -> str:
        """What is worth showing now; empty if nothing is."""
        if not self._settings.is_streaming or not self.text.strip():
            return self._status
        is_seen = self._draft.is_shown or not self._screen.is_empty
        return self.text if is_seen or len(self.text) >= self._settings.first_edit_chars else ""

    def _close(self) -> None:
        self._is_closed.set()
        self._has_grown.set()

    async def _preview(self, text: str, pace: Pace) -> tuple[Pace, float]:
        """The pace from now on, and the seconds to wait for the platform's rates."""
        # The lock lets a preview that is under way end before the final text: cutting it off
        # would leave a message on the screen whose id nobody knows.
        async with self._screen_in_use:
            try:
                parts = await growing(self._adapter, text, has_files=self._files is not None)
                wait_s = await self._show_growing(parts)
            except RateLimited as error:
                _log.info("edits slowed down", wait_s=error.retry_after_s)
                return pace.after_flood(error.retry_after_s), 0
            except AdapterError as error:
                _log.info("edit failed", error=str(error))
                return pace.after_failure(), 0
            return pace.after_success(), wait_s

    async def _show_growing(self, parts: Sequence[Part]) -> float:
        is_over = self._is_closed.is_set
        parts = with_buttons(parts, self._growing_buttons)
        if self._draft.is_possible:
            if wait_s := await self._screen.preview(parts[:-1], is_over):
                return wait_s
            try:
                return await self._draft.show(parts[-1:])
            except Rejected as error:
                _log.info("no drafts here", error=str(error))
                self._draft.give_up()
        return await self._screen.preview(parts, is_over)

    async def _wait_for_more(self) -> None:
        """Wait for something to show; what is shown as a draft has to be shown again in time."""
        if not self._draft.is_shown:
            await self._has_grown.wait()
            return
        try:
            async with asyncio.timeout(RENEWED_AFTER_S):
                await self._has_grown.wait()
        except TimeoutError:
            self._draft.renew()

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._is_closed.wait()
        except TimeoutError:
            return


async def say(
    adapter: Adapter, address: Address, settings: DeliverySettings, said: Said
) -> Outcome:
    """Show a text that is whole from the start."""
    offer = Offer(said, ()) if isinstance(said, str) else said
    return await Reply(adapter, address, settings).finish(offer.text, offer.buttons)
