"""What to do when a part that must be shown could not be shown. Pure.

| error                | what follows                                                      |
|----------------------|-------------------------------------------------------------------|
| RateLimited          | the same after the stated wait                                    |
| Unreachable          | the same after a growing pause, a bounded number of times         |
| Ambiguous, new       | nothing: it may be there, and twice is worse than a log line      |
| Ambiguous, edit      | as Unreachable: an edit that was already made changes nothing     |
| TargetGone, edit     | a new message in its place                                        |
| TargetGone, new      | the same without the reply reference                              |
| Rejected             | the plain text, then a new message with it, then given up         |
| Rejected, with files | a sentence in their place                                         |
| ChatGone             | given up, for the whole reply                                     |
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from adapters.base import (
    AdapterError,
    Ambiguous,
    ChatGone,
    Part,
    RateLimited,
    Rejected,
    TargetGone,
)
from gateway.delivery.reconcile import Delete, Edit, Send, Step

BACKOFF_S: tuple[float, ...] = (0.5, 1, 2, 4, 8, 15, 30, *(60,) * 59)
"""Pauses before the next try of what did not arrive: an hour in all. An answer is worth that: it
has been paid for, and whoever asked has no other way to it."""

SHORT_TRIES = 7
"""So many of them, a minute, where somebody waits for how it ends, or nobody for the text."""

MAX_FLOODS = 10
"""So many stated waits in a row, for one part, are taken as a refusal."""


class Outcome(StrEnum):
    """How far a reply got."""

    SHOWN = "shown"
    UNKNOWN = "unknown"  # sent, and nobody knows whether it arrived
    REFUSED = "refused"  # the platform doesn't take this content
    UNREACHED = "unreached"  # the platform can't be reached
    GONE = "gone"  # the bot can't write to this chat any more

    @property
    def may_be_seen(self) -> bool:
        """Whether the person has it, as far as anyone knows."""
        return self in {Outcome.SHOWN, Outcome.UNKNOWN}

    @property
    def ends_reply(self) -> bool:
        """Whether the other parts would fare no better."""
        return self in {Outcome.UNREACHED, Outcome.GONE}


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of a step: in which form, and what came before it."""

    step: Step
    is_reply: bool  # a reply reference goes with it
    form: Part | None = None  # another form of the part than the wanted one
    failures: int = 0
    floods: int = 0

    @property
    def part(self) -> Part:
        """What is sent."""
        if self.form is not None:
            return self.form
        return Part("") if isinstance(self.step, Delete) else self.step.part


@dataclass(frozen=True, slots=True)
class Again:
    """Try this, after a pause."""

    attempt: Attempt
    wait_s: float = 0


def decide(
    error: AdapterError, attempt: Attempt, backoff_s: Sequence[float] = BACKOFF_S
) -> Again | Outcome:
    """What follows from a failed attempt: another one, or how it ended."""
    match error:
        case RateLimited(retry_after_s=wait_s):
            flooded = replace(attempt, floods=attempt.floods + 1)
            return Again(flooded, wait_s) if attempt.floods < MAX_FLOODS else Outcome.UNREACHED
        case ChatGone():
            return Outcome.GONE
        case Rejected():
            return _after_rejection(error, attempt)
        case Ambiguous() if isinstance(attempt.step, Send):
            return Outcome.UNKNOWN
        case _ if attempt.failures < len(backoff_s):
            wait_s = backoff_s[attempt.failures]
            return Again(replace(attempt, failures=attempt.failures + 1), wait_s)
        case _:
            return Outcome.UNREACHED


def _after_rejection(error: Rejected, attempt: Attempt) -> Again | Outcome:
    step = attempt.step
    if isinstance(step, Delete):
        return Outcome.REFUSED
    if isinstance(error, TargetGone) and isinstance(step, Edit):
        return Again(replace(attempt, step=Send(step.index, step.part)))
    if isinstance(error, TargetGone) and attempt.is_reply:
        return Again(replace(attempt, is_reply=False))
    if (form := _other_form(attempt.part)) is not None:
        return Again(replace(attempt, form=form))
    if isinstance(step, Edit):
        return Again(replace(attempt, step=Send(step.index, step.part)))
    return Outcome.REFUSED


def _other_form(part: Part) -> Part | None:
    """Another form of a part that was refused; None if there is none left."""
    if part.files:
        *others, last = (file.name for file in part.files)
        names = f"{', '.join(others)} and {last}" if others else last
        what = "they are" if others else "it is"
        return Part(f"I could not send {names}: {what} refused.", buttons=part.buttons)
    return None if part.payload is None else replace(part, payload=None)
