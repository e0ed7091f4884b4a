"""The messages of one reply on a platform, and the steps that make them what they should be.

Owns what is on the screen and how steps are carried out. What is wanted comes from `reply`; the
next step from `reconcile`; what a failure means from `persistence`.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

import structlog

from adapters.base import (
    Adapter,
    AdapterError,
    Address,
    Ambiguous,
    Part,
    RateLimited,
    TargetGone,
)
from gateway.delivery.gate import Gate
from gateway.delivery.ledger import Found, Ledger, NoLedger
from gateway.delivery.persistence import (
    BACKOFF_S,
    SHORT_TRIES,
    Again,
    Attempt,
    Outcome,
    decide,
)
from gateway.delivery.reconcile import Delete, Edit, Send, Shown, Step, next_step

LONG_WAIT_S = 120
"""A stated wait beyond this is worth a warning. It is kept all the same, by this chat alone."""

_UNREAD = Part("", payload=object())

_log = structlog.get_logger()


class Screen:
    """One reply's messages. Not for two callers at a time."""

    def __init__(
        self,
        adapter: Adapter,
        address: Address,
        gate: Gate,
        backoff_s: Sequence[float] = BACKOFF_S,
        ledger: Ledger | None = None,
    ) -> None:
        self._adapter = adapter
        self._gate = gate
        self._address = address
        self._backoff_s = backoff_s
        self._ledger: Ledger = ledger or NoLedger()
        self._shown: list[Shown | None] = _as_found(self._ledger.found)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been shown yet."""
        return not self._shown

    @property
    def is_uncertain(self) -> bool:
        """Whether a message may be there whose id nobody knows: it can't be edited."""
        return any(shown is not None and not shown.message_ids for shown in self._shown)

    async def preview(self, wanted: Sequence[Part], is_over: Callable[[], bool]) -> float:
        """Get nearer to the wanted parts, without insisting; stops between steps when `is_over`.

        Returns in how many seconds to go on, if the platform's rates leave no room for more now.
        Raises the `AdapterError` of the first step that fails.
        """
        while not is_over() and (step := next_step(self._shown, wanted)) is not None:
            if not isinstance(step, Delete) and (wait_s := self._gate.try_enter(self._address)):
                return wait_s
            await self._try(step)
        return 0

    async def amend(self, wanted: Sequence[Part]) -> None:
        """Change what is shown, each step tried once. Raises the first step's `AdapterError`."""
        while (step := next_step(self._shown, wanted)) is not None:
            if not isinstance(step, Delete):
                await self._gate.enter(self._address, step.part)
            await self._try(step)

    async def _try(self, step: Step) -> None:
        attempt = Attempt(step, self._is_reply(step))
        try:
            await self._carry_out(attempt)
        except TargetGone:
            self._forget_target(attempt)
            raise
        except Ambiguous:
            if isinstance(step, Send):
                self._record(step, ())
            raise

    async def show(self, wanted: Sequence[Part], text: str | None = None) -> Outcome:
        """Show the wanted parts, those of a final text, whatever it takes, each exactly once.

        Returns the worst that befell a part. Waits as long as the platform says.
        """
        worst = Outcome.SHOWN
        for found in self._ledger.found:
            if found.final is None or found.position >= min(len(wanted), len(self._shown)):
                continue
            # A final part of which nobody knows whether it arrived is never sent again by itself.
            if not found.message_ids or found.final == text:
                self._shown[found.position] = Shown(found.message_ids, wanted[found.position])
        while (step := next_step(self._shown, wanted)) is not None:
            # A preview that can't be taken away is not worth an hour.
            backoff_s = self._backoff_s if wanted else self._backoff_s[:SHORT_TRIES]
            outcome = await self._insist(step, backoff_s)
            if outcome is not Outcome.SHOWN:
                worst = outcome
                _log.error("part not shown", outcome=outcome, part=step.index, of=len(wanted))
            if outcome.ends_reply:
                break
        return worst

    async def _insist(self, step: Step, backoff_s: Sequence[float]) -> Outcome:
        attempt = Attempt(step, self._is_reply(step))
        while True:
            if not isinstance(attempt.step, Delete):
                await self._gate.enter(self._address, attempt.part)
            try:
                await self._carry_out(attempt)
            except AdapterError as error:
                verdict = decide(error, attempt, backoff_s)
                _log.info("step failed", step=type(attempt.step).__name__, error=str(error))
                if isinstance(verdict, Again):
                    if verdict.wait_s > LONG_WAIT_S:
                        _log.warning("long wait demanded by the platform", wait_s=verdict.wait_s)
                    if isinstance(error, TargetGone):
                        self._forget_target(attempt)
                    attempt = verdict.attempt
                    await asyncio.sleep(verdict.wait_s)
                    continue
                if not verdict.ends_reply:
                    self._record(step, ())
                return verdict
            return Outcome.SHOWN

    def _is_reply(self, step: Step) -> bool:
        return isinstance(step, Send) and step.index == 0 and self._address.reply_to is not None

    def _forget_target(self, attempt: Attempt) -> None:
        if isinstance(attempt.step, Send):
            self._address = replace(self._address, reply_to=None)
        elif isinstance(attempt.step, Edit):
            self._shown[attempt.step.index] = None

    async def _carry_out(self, attempt: Attempt) -> None:
        try:
            await self._do(attempt)
        except RateLimited as error:
            self._gate.hold(self._address, error.retry_after_s)
            raise

    async def _do(self, attempt: Attempt) -> None:
        address = self._address if attempt.is_reply else replace(self._address, reply_to=None)
        match attempt.step:
            case Send() as step:
                await self._send(step, address, attempt.part)
            case Edit(message_id=message_id) as step:
                await self._adapter.edit(address, message_id, attempt.part)
                self._record(step, (message_id,))
            case Delete(message_ids=message_ids) as step:
                for message_id in message_ids:  # cut off, all are deleted again, which is no error
                    await self._adapter.delete(address, message_id)
                await self._ledger.unsent(step.index)
                self._record(step, ())

    async def _send(self, step: Send, address: Address, part: Part) -> None:
        await self._ledger.sending(step.index)
        try:
            message_ids = await self._adapter.send(address, part)
        except Ambiguous:
            await self._ledger.unknown(step.index)
            raise
        except AdapterError:
            await self._ledger.unsent(step.index)
            raise
        self._record(step, message_ids)
        await self._ledger.sent(step.index, message_ids)

    def _record(self, step: Step, message_ids: tuple[str, ...]) -> None:
        """Note a step as done. What counts is the part that was wanted, not the form it took."""
        if isinstance(step, Delete):
            del self._shown[step.index]
        elif step.index < len(self._shown):
            self._shown[step.index] = Shown(message_ids, step.part)
        else:
            self._shown.append(Shown(message_ids, step.part))


def _as_found(found: Sequence[Found]) -> list[Shown | None]:
    """The screen as an earlier run has left it. What its messages show is not known: no wanted
    part equals it, so each is edited once more, which does no harm; but for what was sent as a part
    of the very text that is to be shown."""
    shown: list[Shown | None] = [None] * (max((f.position for f in found), default=-1) + 1)
    for one in found:
        shown[one.position] = Shown(one.message_ids, _UNREAD)
    return shown
