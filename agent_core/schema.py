"""JSON Schema, as far as tools and the protocol use it. Pure; raises nothing on bad values, nor on
bad schemas, which come from strangers too.

Covers type, enum, const, required, properties, patternProperties, additionalProperties, items,
prefixItems, anyOf, allOf, local $ref, and the bounds on numbers, strings and arrays. A keyword that
is not known or not well-formed does not restrict (JSON Schema Core 2020-12, section 4.3.1), so no
valid call is ever refused; for the same reason oneOf is taken as anyOf: where forms seem to overlap
they may differ in a keyword that is not known here.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from agent_core.wire import load

Schema = dict[str, Any]

MAX_DEPTH = 64  # a `$ref` may point at itself …
MAX_BRANCHES = 10_000  # … twice: what lies behind so many references and options is let pass

_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    "integer": lambda v: (
        (isinstance(v, int) and not isinstance(v, bool))
        or (isinstance(v, float) and v.is_integer())
    ),
}


def _matches(value: str, pattern: object) -> bool:
    try:
        return re.search(str(pattern), value) is not None
    except (re.error, OverflowError, RecursionError):
        return True  # a pattern in another dialect doesn't restrict


# Keyword → the type that its own value must have, the type that it bounds, how.
_BOUNDS: tuple[tuple[str, str, str, Callable[[Any, Any], bool], str], ...] = (
    ("minimum", "number", "number", lambda v, b: v >= b, "must be at least {}"),
    ("maximum", "number", "number", lambda v, b: v <= b, "must be at most {}"),
    ("exclusiveMinimum", "number", "number", lambda v, b: v > b, "must be more than {}"),
    ("exclusiveMaximum", "number", "number", lambda v, b: v < b, "must be less than {}"),
    ("minLength", "number", "string", lambda v, b: len(v) >= b, "must have at least {} characters"),
    ("maxLength", "number", "string", lambda v, b: len(v) <= b, "must have at most {} characters"),
    ("minItems", "number", "array", lambda v, b: len(v) >= b, "must have at least {} items"),
    ("maxItems", "number", "array", lambda v, b: len(v) <= b, "must have at most {} items"),
    ("pattern", "string", "string", _matches, "must match {}"),
)


class _Branches:
    """How many references and options may still be followed."""

    def __init__(self) -> None:
        self.left = MAX_BRANCHES

    def take(self) -> bool:
        self.left -= 1
        return self.left >= 0


# What JSON is read as; numbers take a closer look.
_PLAIN_CLASSES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
_NUMBERS = ("number", "integer")

# Keywords that `_plainly_fits` checks, and those that restrict nothing.
_PLAIN = frozenset(
    {"type", "required", "properties", "items", "anyOf", "description", "title", "default"}
)


class _Within(NamedTuple):
    """Where the checker stands: in which schema, and how deep."""

    root: Schema
    branches: _Branches
    depth: int = 0


def problems(value: Any, schema: Schema) -> list[str]:  # noqa: ANN401 - any JSON
    """What is wrong with `value`, one sentence each, with the path to it; empty if nothing is."""
    if _plainly_fits(value, schema):
        return []
    return list(_problems(value, schema, "", _Within(schema, _Branches())))


def coerce(value: Any, schema: Schema) -> Any:  # noqa: ANN401 - any JSON
    """The value as the schema's type, where a model plainly meant it: "5" for 5, "[1]" for [1]."""
    wanted = schema.get("type")
    if isinstance(value, dict) and isinstance(schema.get("properties"), dict):
        known = schema["properties"]
        return {k: coerce(v, known[k]) if _is_schema(known.get(k)) else v for k, v in value.items()}
    if isinstance(value, list) and _is_schema(schema.get("items")):
        return [coerce(item, schema["items"]) for item in value]
    if isinstance(value, str) and wanted in ("integer", "number", "boolean", "array", "object"):
        try:
            read = load(value)
        except ValueError:
            return value
        return read if _TYPES[wanted](read) else value
    return value


def _plainly_fits(value: Any, schema: Any, depth: int = 0) -> bool:  # noqa: ANN401 - any JSON
    """Whether a value fits by the common keywords alone; False also if that is not so plain.

    Nearly all that is checked is right, and half of an agent's start went into finding that out.
    """
    if not isinstance(schema, dict) or depth > MAX_DEPTH or not _PLAIN.issuperset(schema):
        return False
    if "type" in schema and not _is_plainly_of(value, schema["type"]):
        return False
    if isinstance(value, dict):
        return _object_plainly_fits(value, schema, depth)
    if isinstance(value, list) and "items" in schema and "anyOf" not in schema:
        return all(_plainly_fits(item, schema["items"], depth + 1) for item in value)
    options = schema.get("anyOf")
    if isinstance(options, list) and "items" not in schema:
        return any(_plainly_fits(value, option, depth + 1) for option in options)
    return options is None


def _is_plainly_of(value: object, wanted: object) -> bool:
    kind = value.__class__
    for name in wanted if isinstance(wanted, list) else (wanted,):
        if not isinstance(name, str):
            return False
        if _PLAIN_CLASSES.get(name) is kind or (name in _NUMBERS and _TYPES[name](value)):
            return True
    return False


def _object_plainly_fits(value: Schema, schema: Schema, depth: int) -> bool:
    required, properties = schema.get("required", ()), schema.get("properties", {})
    if not isinstance(required, list | tuple) or not isinstance(properties, dict):
        return False
    for name in required:
        if not isinstance(name, str) or name not in value:
            return False
    for name, item in value.items():
        if name in properties and not _plainly_fits(item, properties[name], depth + 1):
            return False
    return "anyOf" not in schema


def _is_schema(value: object) -> bool:
    return isinstance(value, dict)


def _problems(value: Any, schema: Any, path: str, within: _Within) -> Iterator[str]:  # noqa: ANN401 - any JSON
    if schema is False:
        yield f"{path or 'the value'} is not allowed"
    if not isinstance(schema, dict) or within.depth > MAX_DEPTH:
        return
    within = _Within(within.root, within.branches, within.depth + 1)
    if isinstance(schema.get("$ref"), str) and within.branches.take():
        yield from _problems(value, _resolve(schema["$ref"], within.root), path, within)
    where = path or "the value"
    wrong_type = _wrong_type(value, schema.get("type"))
    if wrong_type:
        yield f"{where} must be {wrong_type}"
        return
    options = schema.get("enum")
    if isinstance(options, list) and not any(_is_equal(value, option) for option in options):
        yield f"{where} must be one of {', '.join(json.dumps(v) for v in options)}"
    if "const" in schema and not _is_equal(value, schema["const"]):
        yield f"{where} must be {json.dumps(schema['const'])}"
    for keyword, bound_kind, kind, holds, text in _BOUNDS:
        if keyword not in schema or not _TYPES[kind](value):
            continue
        bound = schema[keyword]
        if _TYPES[bound_kind](bound) and not holds(value, bound):
            yield f"{where} {text.format(bound)}"
    if isinstance(value, dict):
        yield from _object_problems(value, schema, path, within)
    if isinstance(value, list):
        yield from _item_problems(value, schema, path, within)
    yield from _combined_problems(value, schema, path, within)


def _wrong_type(value: object, wanted: object) -> str:
    """What the value should have been, or nothing if it is."""
    names = wanted if isinstance(wanted, list) else [wanted]
    known = [name for name in names if isinstance(name, str) and name in _TYPES]
    if not known or any(_TYPES[name](value) for name in known):
        return ""
    return " or ".join(("an " if name[0] in "aio" else "a ") + name for name in known)


def _object_problems(value: Schema, schema: Schema, path: str, within: _Within) -> Iterator[str]:
    prefix = f"{path}." if path else ""
    for name in _list(schema.get("required")):
        if isinstance(name, str) and name not in value:
            yield f"{prefix}{name} is missing"
    properties, patterns = _dict(schema.get("properties")), _dict(schema.get("patternProperties"))
    others = schema.get("additionalProperties")
    for name, item in value.items():
        fitting = [part for pattern, part in patterns.items() if _matches(name, pattern)]
        if name in properties:
            fitting.append(properties[name])
        if not fitting and others is False:
            yield f"{prefix}{name} is not a parameter (there are: {', '.join(properties)})"
        elif not fitting:
            fitting.append(others)
        for part in fitting:
            yield from _problems(item, part, f"{prefix}{name}", within)


def _item_problems(value: list[Any], schema: Schema, path: str, within: _Within) -> Iterator[str]:
    first = _list(schema.get("prefixItems"))
    for index, item in enumerate(value):
        part = first[index] if index < len(first) else schema.get("items")
        yield from _problems(item, part, f"{path}[{index}]", within)


def _combined_problems(value: Any, schema: Schema, path: str, within: _Within) -> Iterator[str]:  # noqa: ANN401 - any JSON
    for part in _list(schema.get("allOf")):
        if within.branches.take():
            yield from _problems(value, part, path, within)
    for keyword in ("anyOf", "oneOf"):
        tried: list[list[str]] = []
        for option in _list(schema.get(keyword)):
            is_checked = within.branches.take()
            tried.append(list(_problems(value, option, path, within)) if is_checked else [])
            if not tried[-1]:
                break
        if tried and tried[-1]:
            yield min(tried, key=len)[0]


def _resolve(reference: str, root: Schema) -> Any:  # noqa: ANN401 - any JSON
    """The schema that a local `#/...` reference names; one that can't be found doesn't restrict."""
    node: Any = root
    for step in reference.removeprefix("#").split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(node, dict) or name not in node:
            return {}
        node = node[name]
    return node


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_equal(one: object, other: object) -> bool:
    """Equality of JSON values, where true is not 1 (it is for Python)."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_equal(one[k], other[k]) for k in one)
    return one == other
