"""Who is asked when a model fails, and with which words."""

from typing import Any

import pytest

from config.models import ModelSettings
from gateway.llm.demo import DemoProvider
from gateway.llm.errors import ModelError
from gateway.llm.fallback import Link, falls_through, fitted, note_failure, order


def model(name: str, **values: Any) -> ModelSettings:
    return ModelSettings.model_validate({"name": name, **values})


def links() -> list[Link]:
    return [Link(model(name), DemoProvider()) for name in ("first", "second")]


@pytest.mark.parametrize(
    "code", ["auth", "not_found", "rate_limited", "unavailable", "timeout", "bad_response"]
)
def test_what_another_model_may_do_better_goes_on_to_it(code: str) -> None:
    assert falls_through(ModelError(code, ""))


@pytest.mark.parametrize("code", ["context_overflow", "bad_request", "budget", "never_heard_of"])
def test_what_would_fail_everywhere_does_not(code: str) -> None:
    assert not falls_through(ModelError(code, ""))


def test_what_is_too_long_for_a_summariser_goes_to_the_chats_own_model() -> None:
    assert falls_through(ModelError("context_overflow", ""), is_summariser=True)
    assert not falls_through(ModelError("bad_request", ""), is_summariser=True)


@pytest.mark.parametrize(("said", "rest_s"), [(None, 60), (5, 60), (90, 90), (1_000_000, 3_600)])
def test_a_model_with_too_many_requests_rests(said: float | None, rest_s: float) -> None:
    first, second = links()
    note_failure(first, ModelError("rate_limited", "", retry_after_s=said), now=100)
    assert order([first, second], 100 + rest_s - 1) == [second]
    assert order([first, second], 100 + rest_s) == [first, second]


def test_other_failures_leave_a_model_in_its_place() -> None:
    first, second = links()
    note_failure(first, ModelError("unavailable", ""), now=100)
    assert order([first, second], 100) == [first, second]


def test_if_all_rest_all_are_asked() -> None:
    first, second = links()
    for link in (first, second):
        note_failure(link, ModelError("rate_limited", ""), now=100)
    assert order([first, second], 101) == [first, second]


def test_a_request_goes_to_another_model_under_its_name_and_with_its_temperature() -> None:
    first = model("first", temperature=0.1, top_p=0.5, max_tokens=100)
    second = model("second", temperature=0.9)
    request = {"model": "first", "messages": [], "temperature": 0.1, "top_p": 0.5}
    assert fitted(request, first, first) == request
    assert fitted(request, first, second) == {
        "model": "second", "messages": [], "temperature": 0.9
    }  # fmt: skip


@pytest.mark.parametrize(("asked", "sent"), [(100, 50), (4_000, 4_000), (None, 50)])
def test_a_length_that_the_agent_asks_for_stays(asked: int | None, sent: int) -> None:
    first, second = model("first", max_tokens=100), model("second", max_tokens=50)
    request = {"messages": []} if asked is None else {"messages": [], "max_tokens": asked}
    assert fitted(request, first, second)["max_tokens"] == sent
