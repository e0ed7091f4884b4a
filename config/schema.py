"""The settings as a JSON Schema, for editors that complete, explain and check YAML while one types.

Generated from the same `Kind`s that our own checking uses, and as lenient as it is: `yes`, `"42"`
and `${NAME}` are no mistakes. What depends on several settings, on the environment or on the disk
it can't say; `hermes-gateway check` does. Written by `python -m config.reference`.
"""

import json
from collections.abc import Callable
from pathlib import Path as FilePath
from typing import Any

from config.coercion import FLAGS
from config.dumping import plain
from config.fallbacks import FALLBACKS, Path
from config.kinds import Kind, KindName, fields_of
from config.section import Section
from config.settings import Settings

FILE = FilePath(__file__).with_name("hermes.schema.json")

Schema = dict[str, Any]

# Patterns are searched for (not anchored), in the regular expressions of JavaScript.
_NOTHING: Schema = {"type": ["null", "string"], "pattern": r"^\s*$"}
_REFERENCE: Schema = {"type": "string", "pattern": r"\$\{"}
_NAMES: Schema = {"pattern": r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$"}
_WHOLE = r"[-+]?[0-9][0-9_]*"
_SEVERAL: dict[KindName, Schema] = {  # `42, 43`: a list in one text
    "text": {"type": ["string", "number", "boolean"]},
    "whole": {"type": "string", "pattern": rf"^\s*({_WHOLE}\s*)?(,\s*({_WHOLE}\s*)?)*$"},
}
_LIMITS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
}


def schema() -> Schema:
    """The whole schema, in draft 7: the one that editors know best."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "hermes.yaml, the settings of hermes-gateway",
        **_section(Settings, ()),
        "definitions": {
            name: _section(section, ()) for name, section in sorted(_repeated(Settings).items())
        },
    }


def schema_text() -> str:
    """The text of `hermes.schema.json`."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _repeated(section: type[Section]) -> dict[str, type[Section]]:
    """The groups that stand in lists, or where nothing may stand as well."""
    found: dict[str, type[Section]] = {}
    for kind in fields_of(section).values():
        part = kind.item or kind.of
        inner = kind.section or (part.section if part else None)
        if inner is not None:
            if kind.is_optional or part is not None:
                found[inner.__name__] = inner
            found |= _repeated(inner)
    return found


def _section(section: type[Section], path: Path) -> Schema:
    properties = {}
    for name, kind in fields_of(section).items():
        field = section.model_fields[name]
        text = field.description or (kind.section.__doc__ if kind.section else "") or ""
        if (*path, name) in FALLBACKS:
            text += f" If it is left out: {FALLBACKS[(*path, name)]}."
        properties[name] = {"description": text, **_setting(kind, (*path, name))}
        if kind.section is None:
            default = field.get_default(call_default_factory=True)
            properties[name]["default"] = plain(default)
    return {
        "type": ["object", "null"],
        "additionalProperties": False,
        "properties": properties,
    }


def _setting(kind: Kind, path: Path) -> Schema:
    if kind.section is not None:
        # No variable stands for what is in one that need not be there: it has no path of its own.
        return _defined(kind.section) if kind.is_optional else _section(kind.section, path)
    if kind.of is not None:
        of = _defined(kind.of.section) if kind.of.section else _one(kind.of)
        return {"type": ["object", "null"], "additionalProperties": of, "propertyNames": _NAMES}
    if kind.item is None:
        return _one(kind)
    if kind.item.section is not None:
        return {"anyOf": [{"type": "array", "items": _defined(kind.item.section)}, _NOTHING]}
    item = _one(kind.item)
    ways = [{"type": "array", "items": item}, item, _SEVERAL.get(kind.item.name, _REFERENCE)]
    return {"anyOf": [*ways, _NOTHING]}


def _defined(section: type[Section]) -> Schema:
    return {"allOf": [{"$ref": f"#/definitions/{section.__name__}"}]}


def _one(kind: Kind) -> Schema:
    ways = _WAYS[kind.name](kind)
    if kind.is_optional:
        ways.append(_NOTHING)
    return ways[0] if len(ways) == 1 else {"anyOf": ways}


def _flag(_: Kind) -> list[Schema]:
    words = "|".join("".join(f"[{c.upper()}{c}]" for c in word) for word in FLAGS)
    return [{"type": "boolean"}, {"type": "string", "pattern": rf"^\s*({words})\s*$"}, _REFERENCE]


def _whole(kind: Kind) -> list[Schema]:
    quoted = {"type": "string", "pattern": rf"^\s*{_WHOLE}\s*$"}
    return [{"type": "integer", **_limited(kind)}, quoted, _REFERENCE]


def _number(kind: Kind) -> list[Schema]:
    pattern = r"^\s*[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9]*)?)([eE][-+]?[0-9]+)?\s*$"
    quoted = {"type": "string", "pattern": pattern}
    return [{"type": "number", **_limited(kind)}, quoted, _REFERENCE]


def _limited(kind: Kind) -> Schema:
    return {_LIMITS[name]: value for name, value in kind.limits}


def _text(_: Kind) -> list[Schema]:
    return [{"type": "string", "pattern": r"\S"}]


def _secret(_: Kind) -> list[Schema]:
    return [{"type": "string", "pattern": r"^\s*[!-~]+\s*$"}, _REFERENCE]


def _hidden(_: Kind) -> list[Schema]:
    return [{"type": "string", "pattern": r"\S"}]


def _address(_: Kind) -> list[Schema]:
    # No name and no password before the host: they would end up in a log.
    pattern = r"^\s*[Hh][Tt][Tt][Pp][Ss]?://[^\s/?#@]+([/?#]\S*)?\s*$"
    return [{"type": "string", "pattern": pattern}, _REFERENCE]


def _choice(kind: Kind) -> list[Schema]:
    return [{"enum": list(kind.choices)}, _REFERENCE]


_WAYS: dict[KindName, Callable[[Kind], list[Schema]]] = {
    "flag": _flag,
    "whole": _whole,
    "number": _number,
    "text": _text,
    "folder": _text,
    "secret": _secret,
    "hidden": _hidden,
    "address": _address,
    "choice": _choice,
}
