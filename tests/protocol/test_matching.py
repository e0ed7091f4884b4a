"""The transcripts' patterns notice what they are there to notice."""

from typing import Any

import pytest

from tests.protocol.transcripts import Exchange, Transcript, differences, play


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2, "c": 3}]}),
        ({"a": {"$any": True}}, {"a": None}),
        ({"a": {"$contains": "ell"}}, {"a": "hello"}),
        ({"a": {"$absent": True}}, {"b": 1}),
        ({}, {"a": 1}),
    ],
)
def test_what_matches(pattern: Any, value: Any) -> None:
    assert list(differences(pattern, value)) == []


@pytest.mark.parametrize(
    ("pattern", "value", "text"),
    [
        ({"a": 1}, {"a": 2}, "a is 2, not 1"),
        ({"a": 1}, {"a": True}, "a is True, not 1"),
        ({"a": 1}, {}, "a is missing"),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, "a.b is 2, not 1"),
        ({"a": {"$any": True}}, {}, "a is missing"),
        ({"a": {"$contains": "x"}}, {"a": "hello"}, "a lacks 'x'"),
        ({"a": {"$contains": "x"}}, {"a": 5}, "a lacks 'x'"),
        ({"a": {"$absent": True}}, {"a": None}, "a should not be there"),
        ([1, 2], [1], "ends before 2"),
        ([1], [1, 2], "has more: 2"),
        ({"a": [1]}, {"a": {"0": 1}}, "a is"),
    ],
)
def test_what_does_not_match(pattern: Any, value: Any, text: str) -> None:
    (found,) = differences(pattern, value)
    assert text in found


def test_a_failure_shows_the_conversation() -> None:
    transcript = Transcript(
        "name", "A title", (), frozenset({"status"}), (Exchange(b"{}", ({"type": "done"},)),)
    )
    answer = b'{"type":"status"}\n{"type":"error","message":"no"}\n'
    with pytest.raises(AssertionError) as failure:
        play(transcript, {b"{}\n": answer}.__getitem__)
    text = str(failure.value)
    assert "name: A title" in text
    assert "host  {}" in text
    assert 'agent {"type": "error"' in text
    assert "type is 'error', not 'done'" in text


def test_an_answer_that_should_not_have_come_is_noticed() -> None:
    transcript = Transcript("name", "A title", (), frozenset(), (Exchange(b"{}", ()),))
    with pytest.raises(AssertionError, match="has more"):
        play(transcript, {b"{}\n": b'{"type":"status"}\n'}.__getitem__)
