"""What kind of value each setting takes, read off the types in `config.settings`.

The one place that looks at annotations: checking, error texts, the example file and the reference
all speak of a `Kind`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types
from pydantic import HttpUrl, SecretStr
from pydantic.fields import FieldInfo

from config.section import HiddenText, Section

KindName = Literal[
    "section",
    "list",
    "map",
    "text",
    "secret",
    "hidden",
    "flag",
    "whole",
    "number",
    "choice",
    "address",
    "folder",
]

_NAMES: dict[Any, KindName] = {
    str: "text",
    SecretStr: "secret",
    HiddenText: "hidden",
    bool: "flag",
    int: "whole",
    float: "number",
    HttpUrl: "address",
    Path: "folder",
}

_WORDS: dict[KindName, str] = {
    "section": "a group of settings, indented below it",
    "list": "a list",
    "map": "names, indented below it",
    "text": "text",
    "secret": "text",
    "hidden": "text",
    "flag": "true or false",
    "whole": "a whole number",
    "number": "a number",
    "choice": "one of",
    "address": "an address that starts with http:// or https://",
    "folder": "the path of a folder",
}

_LIMITS = {
    annotated_types.Ge: "ge",
    annotated_types.Gt: "gt",
    annotated_types.Le: "le",
    annotated_types.Lt: "lt",
}

_LIMIT_WORDS = {
    "ge": "at least {:,}",
    "gt": "greater than {:,}",
    "le": "at most {:,}",
    "lt": "less than {:,}",
}


@dataclass(frozen=True, slots=True)
class Kind:
    """What one setting takes."""

    name: KindName
    is_optional: bool = False  # may be null: unset
    choices: tuple[str, ...] = ()
    limits: tuple[tuple[str, float], ...] = ()  # ("ge", 1), ("lt", 2), …
    item: "Kind | None" = None  # of a list
    of: "Kind | None" = None  # of a map: what each name stands for
    section: type[Section] | None = None

    @property
    def bounds(self) -> tuple[str, ...]:
        """The limits in words."""
        return tuple(_LIMIT_WORDS[name].format(value) for name, value in self.limits)

    def __str__(self) -> str:
        """The kind in words that complete "must be …"."""
        if self.name == "choice":
            return f"one of {', '.join(self.choices)}"
        if self.item is not None:
            return f"a list, each item {self.item}"
        if self.of is not None:
            return f"{_WORDS['map']}, each with {self.of}"
        return ", ".join(filter(None, [_WORDS[self.name], " and ".join(self.bounds)]))


def _limits(metadata: tuple[Any, ...] | list[Any]) -> tuple[tuple[str, float], ...]:
    found: list[tuple[str, float]] = []
    for item in metadata:
        if isinstance(item, FieldInfo):
            found += _limits(item.metadata)
        for cls, name in _LIMITS.items():
            if isinstance(item, cls):
                found.append((name, getattr(item, name)))
    return tuple(found)


def kind_of(annotation: Any, metadata: tuple[Any, ...] | list[Any] = ()) -> Kind:  # noqa: ANN401 - annotations have no common type
    """The kind behind an annotation. A type that isn't in the table is a mistake of ours."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return kind_of(arguments[0], [*arguments[1:], *metadata])
    if origin in {Union, UnionType}:
        (inner,) = (a for a in arguments if a is not NoneType)
        return replace(kind_of(inner, metadata), is_optional=True)
    if origin is Literal:
        return Kind("choice", choices=arguments)
    if origin in {tuple, dict}:
        part = kind_of(arguments[0] if origin is tuple else arguments[1])
        return Kind("list", item=part) if origin is tuple else Kind("map", of=part)
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return Kind("section", section=annotation)
    return Kind(_NAMES[annotation], limits=_limits(metadata))


def fields_of(section: type[Section]) -> dict[str, Kind]:
    """The settings of a section, in the order in which they are explained."""
    return {
        name: kind_of(field.annotation, field.metadata)
        for name, field in section.model_fields.items()
    }


def all_paths(section: type[Section], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The path of every key below a section, sections included: `("telegram", "token")`, …

    Not those in lists, and in sections that need not be there: they repeat another's.
    """
    for name, kind in fields_of(section).items():
        yield (*above, name)
        if kind.section is not None and not kind.is_optional:
            yield from all_paths(kind.section, (*above, name))
