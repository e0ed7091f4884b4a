"""Arguments that can only mean one thing are mended; what is cut off is never guessed."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.tool_arguments import explain, read_arguments

values = st.recursive(
    st.none() | st.booleans() | st.integers(-10**9, 10**9) | st.floats(-1e9, 1e9)
    | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner,
                                                                max_size=3),
    max_leaves=8,
)  # fmt: skip
objects = st.dictionaries(st.text(max_size=5), values, max_size=4)
escaped_control = re.compile(r"\\u00[01][0-9a-f]|\\[nrt]")


@given(objects, st.booleans())
def test_an_object_is_read_as_it_is(given_object: dict[str, Any], is_ascii: bool) -> None:
    assert read_arguments(json.dumps(given_object, ensure_ascii=is_ascii)) == given_object


@given(objects)
def test_missing_brackets_at_the_end_are_put_back(given_object: dict[str, Any]) -> None:
    text = json.dumps(given_object)
    assert read_arguments(text.rstrip("}]") or "{") == given_object


@given(objects)
def test_trailing_commas_are_dropped(given_object: dict[str, Any]) -> None:
    text = json.dumps(given_object, indent=1)
    # Python writes a line per item; only brackets that close something non-empty follow a newline.
    damaged = re.sub(r"(?<=[^\[{,\s])(\n\s*[}\]])", r",\1", text)
    assert read_arguments(damaged) == given_object


@given(objects)
def test_raw_control_characters_in_strings_are_taken(given_object: dict[str, Any]) -> None:
    def unescaped(match: re.Match[str]) -> str:
        return str(json.loads(f'"{match[0]}"'))

    text = json.dumps(given_object)
    if "\\\\" in text:
        return  # an escaped backslash before an n is no newline
    assert read_arguments(escaped_control.sub(unescaped, text)) == given_object


@given(objects)
def test_arguments_encoded_twice_and_fenced_are_read(given_object: dict[str, Any]) -> None:
    text = json.dumps(given_object)
    assert read_arguments(json.dumps(text)) == given_object
    assert read_arguments(f"```json\n{text}\n```") == given_object
    assert read_arguments(f"```\n{text}\n```") == given_object


@given(objects, st.data())
def test_a_text_cut_inside_a_string_is_never_accepted(
    given_object: dict[str, Any], data: st.DataObject
) -> None:
    text = json.dumps({**given_object, "last": "value"})
    inside = [i for i in range(1, len(text)) if is_inside_string(text[:i])]
    assert read_arguments(text[: data.draw(st.sampled_from(inside))]) is None


def is_inside_string(text: str) -> bool:
    return (
        re.sub(r"\\.", "", text.removesuffix("\\") if text.endswith("\\") else text).count('"') % 2
        == 1
    )


@given(st.text() | st.lists(st.sampled_from('{}[]":,\\ nul1'), max_size=30).map("".join))
def test_any_text_is_an_object_or_nothing(text: str) -> None:
    assert isinstance(read_arguments(text), dict | None)
    assert explain(text).startswith("The arguments")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("None", {}),
        ("null", {}),
        ('{"a": None, "b": True, "c": [False,],}', {"a": None, "b": True, "c": [False]}),
        ('{"a": "None, True,}"', {"a": "None, True,}"}),
        ('{"a": [1, 2}', {"a": [1, 2]}),
        ('{"a": 1}}', {"a": 1}),
        ("[1]", None),
        ("5", None),
        ('{"a": NaN}', None),
        ('{"a": 1e999}', None),
        ('{"a" 1}', None),
        ("{'a': 1}", None),
        ("[" * 100_000, None),
        ('{"a":' * 300 + "1", None),
    ],
)
def test_examples(text: str, expected: dict[str, Any] | None) -> None:
    assert read_arguments(text) == expected


def test_a_megabyte_is_mended_without_a_megabyte_of_stack() -> None:
    text = json.dumps({"a": 'x\\"' * 300_000})[:-1] + ",}"
    assert read_arguments(text) == {"a": 'x\\"' * 300_000}
