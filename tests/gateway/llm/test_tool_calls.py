"""Tool calls come out whole, whatever a server makes of index and id (case 44)."""

import json
from itertools import count
from typing import Any

import pytest

from gateway.llm.tool_calls import ToolCalls

Delta = dict[str, Any]


def delta(
    name: str | None = None,
    arguments: object = None,
    *,
    index: int | None = None,
    id: str | None = None,  # noqa: A002 - the API's word
) -> Delta:
    made: Delta = {"function": {"arguments": arguments}}
    if name is not None:
        made["function"]["name"] = name
    if index is not None:
        made["index"] = index
    if id is not None:
        made["id"] = id
    return made


def assembled(deltas: list[Delta]) -> list[tuple[str, str, str]]:
    numbers = count(1)
    calls = ToolCalls(new_id=lambda: f"new{next(numbers)}")
    for item in deltas:
        calls.feed([item])
    return [
        (call["id"], call["function"]["name"], call["function"]["arguments"])
        for call in calls.finish()
    ]


TWO = [("a", "read", '{"n":1}'), ("b", "write", '{"n":2}')]


@pytest.mark.parametrize(
    "deltas",
    [
        pytest.param(
            [
                delta("read", "", index=0, id="a"),
                delta(None, '{"n"', index=0),
                delta("write", "", index=1, id="b"),
                delta(None, '{"n":2}', index=1),
                delta(None, ":1}", index=0),
            ],
            id="as documented, interleaved",
        ),
        pytest.param(
            [
                delta("read", "", index=1, id="a"),
                delta(None, '{"n":1}', index=1),
                delta("write", '{"n":2}', index=2, id="b"),
            ],
            id="index starts at 1",
        ),
        pytest.param(
            [delta("read", '{"n":1}', index=0, id="a"), delta("write", '{"n":2}', index=0, id="b")],
            id="index always 0, whole calls",
        ),
        pytest.param(
            [
                delta("read", "", index=0, id="a"),
                delta(None, '{"n":1}', index=0),
                delta("write", "", index=0, id="b"),
                delta(None, '{"n":2}', index=0),
            ],
            id="index always 0, in pieces",
        ),
        pytest.param(
            [delta("read", '{"n"', id="a"), delta(None, ":1}"), delta("write", '{"n":2}', id="b")],
            id="no index",
        ),
        pytest.param(
            [
                delta("read", '{"n"', id="a"),
                delta("read", ":1}", id="a"),
                delta("write", '{"n":', id="b"),
                delta("write", "2}", id="b"),
            ],
            id="no index, id and name in every piece",
        ),
        pytest.param(
            [
                delta("read", "", index=0, id=""),
                delta(None, '{"n":1}', index=0, id="a"),
                delta("write", '{"n":2}', index=1),
                delta(None, "", index=1, id="b"),
            ],
            id="ids come late",
        ),
        pytest.param(
            [
                delta("read", "", index=0, id="a"),
                delta(None, '{"n"', index=0, id="x1"),
                delta(None, ":1}", index=0, id="x2"),
                delta("write", '{"n":2}', index=1, id="b"),
            ],
            id="a fresh id for every piece",
        ),
        pytest.param(
            [
                delta("read", "", index=0, id="a"),
                delta(None, '{"n":1}', index=1),
                delta("write", '{"n":2}', index=2, id="b"),
            ],
            id="an index that leads nowhere",
        ),
        pytest.param(
            [
                delta("read", '{"n":1}', index=0, id="a"),
                delta("write", '{"n":2}', index=1, id="b"),
                delta("read", '{"n":1}', index=0, id="a"),
                delta("write", "", index=1, id="b"),
            ],
            id="all of it once more at the end",
        ),
        pytest.param(
            [
                delta("re", "", index=0, id="a"),
                delta("ad", "", index=0),
                delta(None, '{"n":1}', index=0),
                delta("write", '{"n":2}', index=1, id="b"),
            ],
            id="a name in pieces",
        ),
    ],
)
def test_two_calls_come_out_as_two_calls(deltas: list[Delta]) -> None:
    assert assembled(deltas) == TWO


@pytest.mark.parametrize(
    "deltas",
    [
        pytest.param(
            [
                delta("read", '{"n":1}', index=0, id="same"),
                delta("read", '{"n":2}', index=1, id="same"),
            ],
            id="by index",
        ),
        pytest.param(
            [
                delta("read", '{"n":1}', index=0, id="same"),
                delta("read", '{"n":2}', index=0, id="same"),
            ],
            id="under one index",
        ),
        pytest.param(
            [delta("read", '{"n":1}', id="same"), delta("read", '{"n":2}', id="same")],
            id="without an index",
        ),
    ],
)
def test_an_id_given_twice_is_made_unique(deltas: list[Delta]) -> None:
    assert assembled(deltas) == [("same", "read", '{"n":1}'), ("new1", "read", '{"n":2}')]


@pytest.mark.parametrize("index", [0, None])
def test_calls_without_any_id_get_one_each(index: int | None) -> None:
    deltas = [delta("read", '{"n":1}', index=index, id=""), delta("write", '{"n":2}', index=index)]
    assert assembled(deltas) == [("new1", "read", '{"n":1}'), ("new2", "write", '{"n":2}')]


def test_a_call_without_arguments_is_not_mixed_with_the_next() -> None:
    deltas = [delta("list", None, index=0), delta("read", '{"n":1}', index=0)]
    assert assembled(deltas) == [("new1", "list", ""), ("new2", "read", '{"n":1}')]


def test_arguments_may_come_as_an_object() -> None:
    [(_, _, arguments)] = assembled([delta("note", {"text": "Grüße"}, index=0, id="a")])
    assert json.loads(arguments) == {"text": "Grüße"}


def test_fields_beside_the_standard_ones_stay_with_their_call() -> None:
    calls = ToolCalls()
    signature = {"google": {"thought_signature": "c2ln"}}
    calls.feed([{**delta("read", "{}", index=0, id="a"), "extra_content": signature}])
    assert calls.finish()[0]["extra_content"] == signature


@pytest.mark.parametrize("junk", [None, "x", {}, [None], ["x"], 3])
def test_what_is_no_tool_call_is_ignored(junk: object) -> None:
    calls = ToolCalls()
    calls.feed(junk)
    assert not calls.finish()
