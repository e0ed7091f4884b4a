"""What follows when a part could not be shown."""

from dataclasses import replace
from pathlib import Path

import pytest

from adapters.base import (
    AdapterError,
    Ambiguous,
    ChatGone,
    MediaKind,
    OutgoingFile,
    Part,
    RateLimited,
    Rejected,
    TargetGone,
    Unreachable,
)
from gateway.delivery.persistence import (
    BACKOFF_S,
    Again,
    Attempt,
    Outcome,
    decide,
)
from gateway.delivery.reconcile import Delete, Edit, Send

FORMATTED = Part("hello", payload="bold")
PLAIN = Part("hello")
NEW = Attempt(Send(0, FORMATTED), is_reply=False)
CHANGE = Attempt(Edit(0, FORMATTED, "m1"), is_reply=False)
REPLY = replace(NEW, is_reply=True)


def test_a_stated_wait_is_kept() -> None:
    assert decide(RateLimited(21), NEW) == Again(replace(NEW, floods=1), wait_s=21)


def test_a_platform_that_only_ever_says_wait_is_given_up() -> None:
    verdict: Again | Outcome = Again(NEW)
    waits = 0
    while isinstance(verdict, Again):
        verdict = decide(RateLimited(1), verdict.attempt)
        waits += 1
    assert (verdict, waits) == (Outcome.UNREACHED, 11)


@pytest.mark.parametrize("attempt", [NEW, CHANGE])
def test_what_did_not_arrive_is_tried_again_with_growing_pauses(attempt: Attempt) -> None:
    pauses = []
    verdict: Again | Outcome = Again(attempt)
    while isinstance(verdict, Again):
        verdict = decide(Unreachable("refused"), verdict.attempt)
        if isinstance(verdict, Again):
            pauses.append(verdict.wait_s)
    assert verdict is Outcome.UNREACHED
    assert pauses == list(BACKOFF_S) == sorted(BACKOFF_S)


def test_a_file_that_is_refused_becomes_a_sentence_and_not_another_file() -> None:
    file = OutgoingFile(Path("/outbox/cats.png"), MediaKind.IMAGE, "cats.png")
    verdict = decide(Rejected("too large"), Attempt(Send(1, Part("Cats", files=(file,))), False))
    assert isinstance(verdict, Again)
    assert verdict.attempt.part == Part("I could not send cats.png: it is refused.")
    assert decide(Rejected("nor that"), verdict.attempt) is Outcome.REFUSED


def test_a_message_that_may_have_arrived_is_not_sent_again() -> None:
    assert decide(Ambiguous("timed out"), NEW) is Outcome.UNKNOWN


def test_an_edit_that_may_have_arrived_is_made_again() -> None:
    again = Again(replace(CHANGE, failures=1), BACKOFF_S[0])
    assert decide(Ambiguous("timed out"), CHANGE) == again


def test_a_deleted_target_of_an_edit_becomes_a_new_message() -> None:
    assert decide(TargetGone("deleted"), CHANGE) == Again(replace(CHANGE, step=Send(0, FORMATTED)))


def test_a_deleted_question_is_answered_without_the_reference() -> None:
    assert decide(TargetGone("deleted"), REPLY) == Again(replace(REPLY, is_reply=False))


def test_refused_formatting_falls_back_to_the_plain_text() -> None:
    verdict = decide(Rejected("can't parse entities"), NEW)
    assert isinstance(verdict, Again)
    assert verdict.attempt.part == PLAIN


def test_a_refused_plain_edit_becomes_a_new_message() -> None:
    plain_edit = replace(CHANGE, form=PLAIN)
    verdict = decide(Rejected("can't be edited"), plain_edit)
    assert isinstance(verdict, Again)
    assert (verdict.attempt.step, verdict.attempt.part) == (Send(0, FORMATTED), PLAIN)


@pytest.mark.parametrize(
    ("error", "attempt", "outcome"),
    [
        (Rejected("no"), replace(NEW, form=PLAIN), Outcome.REFUSED),
        (Rejected("no"), Attempt(Delete(0, ("m1",)), is_reply=False), Outcome.REFUSED),
        (ChatGone("blocked"), NEW, Outcome.GONE),
        (ChatGone("blocked"), CHANGE, Outcome.GONE),
    ],
)
def test_what_is_hopeless_is_given_up(
    error: AdapterError, attempt: Attempt, outcome: Outcome
) -> None:
    assert decide(error, attempt) is outcome


@pytest.mark.parametrize(
    "error", [RateLimited(0), Unreachable("x"), Ambiguous("x"), Rejected("x"), TargetGone("x")]
)
@pytest.mark.parametrize("first", [NEW, CHANGE, REPLY, Attempt(Delete(0, ("m",)), is_reply=False)])
def test_no_error_is_repeated_for_ever(error: AdapterError, first: Attempt) -> None:
    verdict: Again | Outcome = Again(first)
    for _ in range(len(BACKOFF_S) + 50):
        if isinstance(verdict, Outcome):
            return
        verdict = decide(error, verdict.attempt)
    pytest.fail("still trying")
