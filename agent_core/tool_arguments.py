"""Reads the arguments that a model wrote for a tool call, mending what can only mean one thing.

Mended: control characters in strings, code fences around, Python's None/True/False, trailing
commas, brackets left open, arguments encoded twice. Not mended: a text that ends inside a string,
for then nobody knows what is missing from it.
"""

import re
from typing import Any

from agent_core.wire import load

_FENCE = "```"
_literals = {"None": "null", "True": "true", "False": "false"}
_closers = {"{": "}", "[": "]"}
_piece = re.compile(
    r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'  # a whole string
    r'|"'  # a string that never ends
    r"|[{}\[\],]|\b(?:None|True|False)\b|[^\"{}\[\],\w]+|\w+",
    re.DOTALL,
)


def read_arguments(text: str) -> dict[str, Any] | None:
    """The arguments as an object, or None if the text can't be read as one."""
    text = _unfenced(text.strip())
    if text in ("", "None", "null"):
        return {}
    value = _load(text)
    if value is None:
        mended = _mend(text)
        value = None if mended is None else _load(mended)
    if isinstance(value, str):  # encoded twice
        value = _load(value)
    return value if isinstance(value, dict) else None


def explain(text: str) -> str:
    """What is wrong with arguments that could not be read, in one sentence for the model."""
    try:
        value = load(text, allows_control=True)
    except ValueError as error:
        return f"The arguments are not valid JSON: {error}."
    return f"The arguments must be a JSON object, not {type(value).__name__}."


def _load(text: str) -> Any:  # noqa: ANN401 - any JSON
    try:
        return load(text, allows_control=True)
    except ValueError:
        return None


def _unfenced(text: str) -> str:
    """What stands between code fences, if the text begins and ends with them."""
    language, newline, rest = text.removeprefix(_FENCE).partition("\n")
    is_fenced = text.startswith(_FENCE) and rest.endswith(_FENCE) and newline
    if is_fenced and (language.strip().isalpha() or not language.strip()):
        return rest.removesuffix(_FENCE).strip()
    return text


def _mend(text: str) -> str | None:
    """The text with commas, brackets and literals put right; None if it ends inside a string."""
    out: list[str] = []
    open_brackets: list[str] = []
    for match in _piece.finditer(text):
        piece = match[0]
        if piece == '"':
            return None
        if piece in _closers:
            open_brackets.append(piece)
        elif piece in ("}", "]"):
            _drop_trailing_comma(out)
            while open_brackets and _closers[open_brackets[-1]] != piece:
                out.append(_closers[open_brackets.pop()])
            if not open_brackets:
                continue  # a closing bracket too many
            open_brackets.pop()
        out.append(_literals.get(piece, piece))
    _drop_trailing_comma(out)
    out.extend(_closers[bracket] for bracket in reversed(open_brackets))
    return "".join(out)


def _drop_trailing_comma(out: list[str]) -> None:
    while out and (out[-1] == "," or not out[-1].strip()):
        if out.pop() == ",":
            return
