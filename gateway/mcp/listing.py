"""Which tools of a server are taken, in words and schemas of bounded size.

Pure. A server's descriptions reach the model, so they are said to be its own words, and whatever is
invisible in them is taken out. Of its schemas only what describes arguments is kept: a pattern, for
one, could keep whoever checks arguments busy for ever.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from gateway.tools.untrusted import defused

MAX_TOOLS = 64
MAX_LISTED = 500
"""More of them are not even looked at."""
MAX_NAME_CHARS = 64  # of OpenAI's and Anthropic's APIs
MAX_DESCRIPTION_CHARS = 1_000
MAX_WORDS_CHARS = 300  # of one parameter's description
MAX_SCHEMA_CHARS = 12_000
MAX_SCHEMA_DEPTH = 16

_HASH_CHARS = 6
_PARAMETER = re.compile(r"[A-Za-z0-9_.-]{1,64}")  # of the keys in Anthropic's input_schema
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_JOINERS = "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"

_VALUES = frozenset(
    {
        *("type", "enum", "const", "default", "required", "format", "minimum", "maximum"),
        *("exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems"),
        *("maxItems", "uniqueItems"),
    }
)
_SCHEMAS = frozenset({"items", "additionalProperties"})
_LISTS = frozenset({"anyOf", "allOf", "oneOf", "prefixItems"})
_MAPS = frozenset({"properties", "$defs", "definitions"})


@dataclass(frozen=True, slots=True)
class Listed:
    """A tool as a server names it."""

    name: str
    description: str
    input_schema: Any


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool as the model is told of it."""

    name: str
    server: str
    tool: str  # the server's own name for it
    description: str
    parameters: dict[str, Any]

    @property
    def mark(self) -> str:
        """Some letters that are others when the server describes it in another way."""
        told = json.dumps([self.tool, self.description, self.parameters], sort_keys=True)
        return _marked(told)


def offered(server: str, allow: Iterable[str], listed: Iterable[Listed]) -> list[Offered]:
    """The tools that are taken, sorted: the order in which a server lists them may change.

    Takes up to a second where a server lists all that it may.
    """
    patterns = tuple(allow)
    allowed = [each for each in listed if any(fnmatchcase(each.name, one) for one in patterns)]
    found: dict[str, Offered] = {}
    for each in sorted(allowed[:MAX_LISTED], key=lambda one: one.name):
        name = tool_name(server, each.name)
        if len(found) == MAX_TOOLS:
            break
        if name not in found and (parameters := bounded(each.input_schema)) is not None:
            words = plain(each.description, MAX_DESCRIPTION_CHARS)
            description = f"Described by the MCP server {server}, in its own words: {words or '-'}"
            found[name] = Offered(name, server, each.name, description, parameters)
    return list(found.values())


def tool_name(server: str, tool: str) -> str:
    """`mcp_<server>_<tool>`, as model servers take names; two tools never get the same by that."""
    name = f"mcp_{server}_{tool}"
    safe = _NOT_IN_A_NAME.sub("_", name)
    if safe == name and len(name) <= MAX_NAME_CHARS:
        return name
    mark = _marked(f"{server}\0{tool}")
    return f"{safe[: MAX_NAME_CHARS - _HASH_CHARS - 1]}_{mark}"


def _marked(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_HASH_CHARS]


def plain(text: str, limit: int) -> str:
    """A server's words on one line: nothing invisible, nothing that looks like one of our marks."""
    seen = "".join(
        character
        for character in " ".join(text[: limit * 4].split())
        if character in _JOINERS or not unicodedata.category(character).startswith("C")
    )
    safe = defused(seen)
    return safe if len(safe) <= limit else f"{safe[: limit - 1]}…"


def bounded(schema: Any) -> dict[str, Any] | None:  # noqa: ANN401 - somebody else's JSON
    """The part of a schema that describes arguments; None if it is too large or no object's."""
    if not isinstance(schema, Mapping) or schema.get("type", "object") != "object":
        return None
    try:
        top = {key: value for key, value in schema.items() if key not in _LISTS}
        kept: dict[str, Any] = {"type": "object", "properties": {}} | _kept(top, 0)
        if len(json.dumps(kept)) > MAX_SCHEMA_CHARS:
            return None
        # Model servers refuse a whole request for one tool that is described against the rules.
        Draft202012Validator.check_schema(kept)
        _check_references(kept, kept)
    except (_NotTaken, SchemaError, RecursionError):
        return None
    return kept if all(_PARAMETER.fullmatch(name) for name in kept["properties"]) else None


class _NotTaken(Exception):
    """Nobody needs such a schema."""


def _check_references(part: Any, whole: Any) -> None:  # noqa: ANN401 - any JSON
    """That each `$ref` leads somewhere. Raises `_NotTaken`."""
    if isinstance(part, dict):
        target = whole
        for step in str(part.get("$ref", "#")).removeprefix("#").split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(target, dict) or name not in target:
                raise _NotTaken
            target = target[name]
    for inner in (
        part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    ):
        _check_references(inner, whole)


def _kept(schema: Any, depth: int) -> Any:  # noqa: ANN401 - any JSON
    if depth > MAX_SCHEMA_DEPTH:
        raise _NotTaken
    if not isinstance(schema, Mapping):
        return schema if isinstance(schema, bool) else {}
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _VALUES:
            if _is_plain(value):  # what is left out, the server checks itself
                kept[key] = value
        elif key in _SCHEMAS:
            kept[key] = _kept(value, depth + 1)
        elif key in _LISTS and isinstance(value, list):
            kept[key] = [_kept(item, depth + 1) for item in value]
        elif key in _MAPS and isinstance(value, Mapping):
            kept[key] = {
                str(name): _kept(item, depth + 1) for name, item in value.items() if _is_plain(name)
            }
        elif key == "$ref" and isinstance(value, str) and value.startswith("#"):
            kept[key] = value
        elif key == "description" and isinstance(value, str):
            kept[key] = plain(value, MAX_WORDS_CHARS)
    return kept


def _is_plain(value: Any) -> bool:  # noqa: ANN401 - any JSON
    """Whether no string in it, which has to stay as it is, says more than a description could."""
    if isinstance(value, Mapping):
        return all(_is_plain(part) for item in value.items() for part in item)
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return not isinstance(value, str) or plain(value, len(value)) == value
