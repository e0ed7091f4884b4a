"""Questions to the person."""

import json
from typing import Any

import pytest

from agent_core.tools.clarify import answer_for_model, read_question


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"question": " Which? "}, ("Which?", None)),
        ({"question": "Which?", "choices": []}, ("Which?", None)),
        ({"question": "Which?", "choices": ["a", " a ", "", "b"]}, ("Which?", ["a", "b"])),
        ({"question": "Which?", "choices": list("abcdef")}, ("Which?", list("abcd"))),
        ({"question": "Which?", "choices": [{"label": "a"}, {"value": 2}, {}, None, 3]},
         ("Which?", ["a", "2", "3"])),
        ({"question": "Which?", "choices": "a, b"}, ("Which?", None)),
        ({"question": 5}, ("", None)),
        ({}, ("", None)),
    ],
)  # fmt: skip
def test_a_question_is_read(arguments: dict[str, Any], expected: tuple[str, Any]) -> None:
    assert read_question(arguments) == expected


@pytest.mark.parametrize(
    ("outcome", "response", "note"),
    [("answered", "b", None), ("timeout", None, "in time"), ("undeliverable", None, "be shown")],
)
def test_the_model_hears_what_came_of_it(
    outcome: str, response: str | None, note: str | None
) -> None:
    text = answer_for_model("Which?", ["a", "b"], response="b", outcome=outcome)
    answer = json.loads(text)
    assert answer["user_response"] == response
    assert note is None or note in answer["note"]
    assert answer["choices_offered"] == ["a", "b"]
