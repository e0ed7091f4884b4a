"""Reads the arguments that a model wrote for a tool call, mending what can only mean one thing.

Mended: control characters in strings, code fences around, Python's None/True/False, trailing
commas, brackets left open, arguments encoded twice. Not mended: a text that ends inside a string,
for then nobody knows what is missing from it.
"""

import json
import re
from typing import Any

_fence = re.compile(r"\A\s*```[a-zA-Z]*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
_literals = {"None": "null", "True": "true", "False": "false"}
_closers = {"{": "}", "[": "]"}
_piece = re.compile(
    r'"(?:[^"\\]|\\.)*"'  # a whole string
    r'|"'  # a string that never ends
    r"|[{}\[\],]|\b(?:None|True|False)\b|[^\"{}\[\],\w]+|\w+",
    re.DOTALL,
)


def read_arguments(text: str) -> dict[str, Any] | None:
    """The arguments as an object, or None if the text can't be read as one."""
    fenced = _fence.match(text)
    text = (fenced[1] if fenced else text).strip()
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
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        return f"The arguments are not valid JSON: {error}."
    return f"The arguments must be a JSON object, not {type(value).__name__}."


def _load(text: str) -> Any:  # noqa: ANN401 - any JSON
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _mend(text: str) -> str | None:
    """The text with commas, brackets and literals put right; None if it ends inside a string."""
    out: list[str] = []
    open_brackets: list[str] = []
    for piece in _piece.findall(text):
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
