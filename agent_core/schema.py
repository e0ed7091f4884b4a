"""JSON Schema, as far as tools and the protocol use it. Pure; raises nothing on bad values.

Covers type, enum, const, required, properties, additionalProperties, items, anyOf, oneOf, allOf,
local $ref, and the bounds on numbers, strings and arrays. A keyword that is not known here does
not restrict (JSON Schema Core 2020-12, section 4.3.1), so no valid call is ever refused.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Schema = dict[str, Any]

MAX_DEPTH = 64  # schemas come from strangers too, and a `$ref` may point at itself

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
    except re.error:
        return True  # a pattern in another dialect doesn't restrict


_BOUNDS: tuple[tuple[str, str, Callable[[Any, Any], bool], str], ...] = (
    ("minimum", "number", lambda v, b: v >= b, "must be at least {}"),
    ("maximum", "number", lambda v, b: v <= b, "must be at most {}"),
    ("exclusiveMinimum", "number", lambda v, b: v > b, "must be more than {}"),
    ("exclusiveMaximum", "number", lambda v, b: v < b, "must be less than {}"),
    ("minLength", "string", lambda v, b: len(v) >= b, "must have at least {} characters"),
    ("maxLength", "string", lambda v, b: len(v) <= b, "must have at most {} characters"),
    ("minItems", "array", lambda v, b: len(v) >= b, "must have at least {} items"),
    ("maxItems", "array", lambda v, b: len(v) <= b, "must have at most {} items"),
    ("pattern", "string", _matches, "must match {}"),
)


class _Within(NamedTuple):
    """Where the checker stands: in which schema, and how deep."""

    root: Schema
    depth: int = 0


def problems(value: Any, schema: Schema) -> list[str]:  # noqa: ANN401 - any JSON
    """What is wrong with `value`, one sentence each, with the path to it; empty if nothing is."""
    return list(_problems(value, schema, "", _Within(schema)))


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
            read = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return read if _TYPES[wanted](read) else value
    return value


def _is_schema(value: object) -> bool:
    return isinstance(value, dict)


def _problems(value: Any, schema: Any, path: str, within: _Within) -> Iterator[str]:  # noqa: ANN401 - any JSON
    if schema is False:
        yield f"{path or 'the value'} is not allowed"
    if not isinstance(schema, dict) or within.depth > MAX_DEPTH:
        return
    within = _Within(within.root, within.depth + 1)
    if isinstance(schema.get("$ref"), str):
        yield from _problems(value, _resolve(schema["$ref"], within.root), path, within)
    where = path or "the value"
    wrong_type = _wrong_type(value, schema.get("type"))
    if wrong_type:
        yield f"{where} must be {wrong_type}"
        return
    if isinstance(schema.get("enum"), list) and value not in schema["enum"]:
        yield f"{where} must be one of {', '.join(json.dumps(v) for v in schema['enum'])}"
    if "const" in schema and value != schema["const"]:
        yield f"{where} must be {json.dumps(schema['const'])}"
    for keyword, kind, holds, text in _BOUNDS:
        if keyword in schema and _TYPES[kind](value) and not holds(value, schema[keyword]):
            yield f"{where} {text.format(schema[keyword])}"
    if isinstance(value, dict):
        yield from _object_problems(value, schema, path, within)
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from _problems(item, schema["items"], f"{path}[{index}]", within)
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
    for name in schema.get("required") or ():
        if name not in value:
            yield f"{prefix}{name} is missing"
    properties = schema.get("properties") or {}
    for name, item in value.items():
        if name in properties:
            yield from _problems(item, properties[name], f"{prefix}{name}", within)
        elif schema.get("additionalProperties") is False:
            yield f"{prefix}{name} is not a parameter (there are: {', '.join(properties)})"
        elif isinstance(schema.get("additionalProperties"), dict):
            yield from _problems(item, schema["additionalProperties"], f"{prefix}{name}", within)


def _combined_problems(value: Any, schema: Schema, path: str, within: _Within) -> Iterator[str]:  # noqa: ANN401 - any JSON
    for part in schema.get("allOf") or ():
        yield from _problems(value, part, path, within)
    for keyword in ("anyOf", "oneOf"):
        options = schema.get(keyword)
        if not options:
            continue
        tried = [list(_problems(value, option, path, within)) for option in options]
        fitting = sum(not found for found in tried)
        if fitting == 0:
            yield min(tried, key=len)[0]
        elif fitting > 1 and keyword == "oneOf":
            yield f"{path or 'the value'} fits more than one of the allowed forms"


def _resolve(reference: str, root: Schema) -> Any:  # noqa: ANN401 - any JSON
    """The schema that a local `#/...` reference names; one that can't be found doesn't restrict."""
    node: Any = root
    for step in reference.removeprefix("#").split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(node, dict) or name not in node:
            return {}
        node = node[name]
    return node
