"""From a method's signature to the JSON schema of its parameters and to the check of arguments.

pydantic does both, so they can't disagree. The schema is made plainer than pydantic's own: no
titles, no definitions elsewhere, and what may be left out is not said to be null as well. Every
word of it is paid for in each request.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

_OWN_PARAMETERS = 2  # self and the context
_DEFINITION = "#/$defs/"


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of a tool."""

    schema: dict[str, Any]
    model: type[BaseModel]

    def read(self, text: str) -> dict[str, Any]:
        """Checked arguments from a JSON text, defaults filled in.

        Raises `ValueError` with a sentence for the model.
        """
        try:
            checked = self.model.model_validate_json(text or "{}")
        except ValidationError as error:
            raise ValueError(_sentence(error)) from error
        return {name: getattr(checked, name) for name in self.model.model_fields}


def signature_of(method: Callable[..., Any]) -> Signature:
    """The parameters behind `self` and the context."""
    hints = get_type_hints(method, include_extras=True)
    fields: dict[str, Any] = {}
    for parameter in list(inspect.signature(method).parameters.values())[_OWN_PARAMETERS:]:
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[parameter.name] = (hints[parameter.name], default)
    config = ConfigDict(extra="forbid", hide_input_in_errors=True)
    model = create_model(method.__name__, __config__=config, **fields)
    return Signature(plain_schema(model.model_json_schema()), model)


def plain_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema of pydantic's, in as few words as say the same."""
    definitions = schema.get("$defs", {})
    plain: dict[str, Any] = _plain(
        {name: value for name, value in schema.items() if name != "$defs"}, definitions
    )
    plain.setdefault("properties", {})
    return plain


def _plain(schema: Any, definitions: dict[str, Any]) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(schema, list):
        return [_plain(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        referred = definitions[schema["$ref"].removeprefix(_DEFINITION)]
        beside = {name: value for name, value in schema.items() if name != "$ref"}
        return _plain({**referred, **beside}, definitions)
    kept = {name: value for name, value in schema.items() if name != "title"}
    if isinstance(properties := kept.get("properties"), dict):
        kept["properties"] = {name: _plain(of, definitions) for name, of in properties.items()}
    for name in ("items", "anyOf", "prefixItems", "additionalProperties"):
        if name in kept:
            kept[name] = _plain(kept[name], definitions)
    return _without_null(kept)


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """`X or null, default null` is X that may be left out."""
    options = schema.get("anyOf")
    if not isinstance(options, list) or {"type": "null"} not in options:
        return schema
    left = [option for option in options if option != {"type": "null"}]
    rest = {name: value for name, value in schema.items() if name != "anyOf"}
    if rest.get("default", ...) is None:
        del rest["default"]
    return {**left[0], **rest} if len(left) == 1 else {**rest, "anyOf": left}


def _sentence(error: ValidationError) -> str:
    """What is wrong, for a model; at most five things."""
    found = []
    for problem in error.errors(include_url=False, include_input=False)[:5]:
        place = ".".join(map(str, problem["loc"]))
        message = problem["msg"].removeprefix("Value error, ")
        found.append(f"`{place}`: {message}" if place else message)
    return "; ".join(found) + "."
