"""Our JSON Schema against the jsonschema library, and against schemas of strangers."""

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.schema import coerce, problems

names = st.sampled_from(["a", "b", "x-c", "ä"])
scalars = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, 1.0, 2.5, "", "a", "ab"])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
type_names = st.sampled_from(["object", "array", "string", "boolean", "null", "number", "integer"])
bounds = st.integers(0, 3)


def objects_of(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": type_names | st.lists(type_names, min_size=1, max_size=2, unique=True),
            "enum": st.lists(values, min_size=1, max_size=3),
            "const": values,
            "required": st.lists(names, max_size=2, unique=True),
            "properties": st.dictionaries(names, inner, max_size=3),
            "patternProperties": st.dictionaries(st.just("^x-"), inner, max_size=1),
            "additionalProperties": st.booleans() | inner,
            "items": inner,
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "minimum": bounds,
            "maximum": bounds,
            "exclusiveMinimum": bounds,
            "exclusiveMaximum": bounds,
            "minLength": bounds,
            "maxLength": bounds,
            "minItems": bounds,
            "maxItems": bounds,
            "pattern": st.sampled_from(["^a", "b$"]),
            "description": st.just("not checked"),
        },
    )


schemas = st.recursive(st.just({}) | objects_of(st.booleans()), objects_of, max_leaves=4)


def is_valid(value: Any, schema: Any) -> bool:
    return bool(jsonschema.Draft202012Validator(schema).is_valid(value))


@given(values, schemas)
def test_it_judges_as_the_library_does(value: Any, schema: dict[str, Any]) -> None:
    assert (problems(value, schema) == []) == is_valid(value, schema)


@given(values, schemas, schemas, schemas)
def test_what_it_does_not_know_never_refuses_a_valid_value(
    value: Any, one: dict[str, Any], two: dict[str, Any], three: dict[str, Any]
) -> None:
    schema = {"oneOf": [one, two], "not": three, "if": one, "then": two, "dependentSchemas": {}}
    if is_valid(value, schema):
        assert problems(value, schema) == []


@given(values, schemas)
def test_definitions_are_followed(value: Any, inner: dict[str, Any]) -> None:
    schema = {
        "$defs": {"a/b": inner},
        "anyOf": [{"$ref": "#/$defs/a~1b"}, {"items": {"$ref": "#/$defs/a~1b"}, "type": "array"}],
    }
    assert (problems(value, schema) == []) == is_valid(value, schema)


@given(st.dictionaries(st.sampled_from(
    ["type", "enum", "required", "properties", "additionalProperties", "items", "prefixItems",
     "anyOf", "oneOf", "allOf", "$ref", "minimum", "maxLength", "minItems", "pattern",
     "patternProperties"]), values | st.sampled_from(["#", "#/a", "[", "(?P<", "a{99999999999}"])),
    values)  # fmt: skip
def test_no_schema_makes_it_fail(schema: dict[str, Any], value: Any) -> None:
    assert isinstance(problems(value, schema), list)
    coerce(value, schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"allOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}},
    ],
)
def test_a_schema_that_refers_to_itself_ends(schema: dict[str, Any]) -> None:
    value: dict[str, Any] = {}
    for _ in range(50):
        value = {"a": value}
    assert problems(value, schema) == []


def test_true_is_not_one() -> None:
    assert problems(True, {"enum": [1]})
    assert problems(1, {"const": True})
    assert problems([True], {"const": [1]})
    assert problems(True, {"type": "integer"})
    assert not problems(1.0, {"enum": [1]})


def test_a_problem_tells_where_it_is() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"type": "integer", "minimum": 1}}},
        "required": ["b"],
        "additionalProperties": False,
    }
    assert problems({"a": [1, 0, "x"], "c": 1}, schema) == [
        "b is missing",
        "a[1] must be at least 1",
        "a[2] must be an integer",
        "c is not a parameter (there are: a)",
    ]


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        ("5", {"type": "integer"}, 5),
        ("5.5", {"type": "integer"}, "5.5"),
        ("5.5", {"type": "number"}, 5.5),
        ("1e999", {"type": "number"}, "1e999"),
        ("true", {"type": "boolean"}, True),
        ("[1]", {"type": "array"}, [1]),
        ("5", {"type": "string"}, "5"),
        ("5", {"type": ["integer", "null"]}, "5"),
        ({"n": ["1", "x"]}, {"properties": {"n": {"items": {"type": "integer"}}}}, {"n": [1, "x"]}),
    ],
)
def test_a_value_becomes_what_it_was_meant_to_be(
    value: Any, schema: dict[str, Any], expected: Any
) -> None:
    assert coerce(value, schema) == expected
