"""Lines to messages and back, the same on every stack."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.wire import MAX_NESTING, BadLine, encode, load, parse_line

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)  # fmt: skip


@given(json_values)
def test_what_is_written_is_read_back(value: object) -> None:
    message = {"type": "x", "value": value}
    assert parse_line(encode(message)) == message
    assert "\n" not in encode(message)


@given(st.text(st.characters(categories=("Cs", "L", "So")), max_size=20))
def test_a_line_can_always_be_utf_8(text: str) -> None:
    written = json.loads(encode({"type": "x", "value": text}).encode())
    expected = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert written["value"] == expected


@given(st.lists(st.sampled_from('[]{}"\\,x '), max_size=60).map("".join))
def test_reading_fails_in_one_way_only(text: str) -> None:
    try:
        value = load(text)
    except ValueError:
        return
    assert value == json.loads(text)


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_nesting_ends_at_its_limit(opening: str) -> None:
    brackets = sum(opening.count(bracket) for bracket in "[{")
    closing = "".join({"[": "]", "{": "}"}.get(c, "") for c in reversed(opening))

    def nested(times: int) -> str:
        return opening * times + "1" + closing * times

    load(nested(MAX_NESTING // brackets))
    with pytest.raises(ValueError, match="nested"):
        load(nested(MAX_NESTING // brackets + 1))


def test_brackets_within_strings_are_no_nesting() -> None:
    text = json.dumps(['["' * 500, "\\" * 301, {"a": "[" * 500}])
    assert load(text) == json.loads(text)
    assert load(json.dumps([["x"]] * 1_000)) == [["x"]] * 1_000


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_numbers_that_no_json_can_hold_are_refused(number: str) -> None:
    with pytest.raises(BadLine, match="not JSON"):
        parse_line('{"type":"x","value":%s}' % number)  # noqa: UP031 - braces


def test_a_string_that_never_ends_is_read_once() -> None:
    # Quadratic, this would take minutes.
    with pytest.raises(ValueError, match=r"nested|Unterminated"):
        load("[" * 201 + '"' + '\\"' * 500_000)
