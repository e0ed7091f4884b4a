"""One message, one line: JSON text to objects and back. Knows nothing of what they mean.

All JSON that an agent reads goes through `load`, which bounds what recursion would meet: how deep
a stack is differs between Wasm and native, and the same lines must give the same answers.
"""

import json
import re
from typing import Any, NoReturn

Message = dict[str, Any]

MAX_NESTING = 200  # brackets within brackets


class BadLine(ValueError):
    """The line is not a JSON object with a `type`."""


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{text[:20]} is too large a number")
    return number


_decoder = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)
_lenient_decoder = json.JSONDecoder(
    parse_constant=_refuse_constant, parse_float=_finite, strict=False
)
# No codec: of those, the Wasm module has but UTF-8's.
_surrogates = re.compile(r"[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]")
_bracket = re.compile(r"[\[\]{}]")
# What goes out is made of what came in, which is a tree: no need to look for circles.
_encoder = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))


def parse_line(line: str | bytes) -> Message:
    """Read one line. Raises `BadLine`, whose text says what is wrong with it."""
    try:
        text = line.decode() if isinstance(line, bytes) else line
        value = load(text)
    except UnicodeDecodeError as error:
        raise BadLine("the line is not UTF-8") from error
    except ValueError as error:
        raise BadLine(f"the line is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise BadLine("the line is not a JSON object")
    if not isinstance(value.get("type"), str):
        raise BadLine("the message has no type")
    return value


def load(text: str, *, allows_control: bool = False) -> Any:  # noqa: ANN401 - any JSON
    """Read JSON, with control characters in its strings if so wanted.

    Raises `ValueError` where it is none: also for NaN and infinity, and for brackets nested deeper
    than `MAX_NESTING`.
    """
    if _is_nested_too_deep(text):
        raise ValueError(f"brackets are nested more than {MAX_NESTING} deep")
    return (_lenient_decoder if allows_control else _decoder).decode(text)


def _is_nested_too_deep(text: str) -> bool:
    if text.count("[") + text.count("{") <= MAX_NESTING:
        return False
    depth = 0
    for bracket in _bracket.findall(_without_strings(text)):
        depth += 1 if bracket in "[{" else -1
        if depth > MAX_NESTING:
            return True
    return False


def _without_strings(text: str) -> str:
    """What stands outside of quotes. Plain string methods: this is done to whole histories."""
    if "\\" in text:
        text = text.replace("\\\\", "").replace('\\"', "")
    return "".join(text.split('"')[::2])


def encode(message: Message) -> str:
    """Write one message as a line without its newline. Lone surrogates become U+FFFD."""
    return without_surrogates(_encoder.encode(message))


def without_surrogates(text: str) -> str:
    """The text in a form that UTF-8 can carry: surrogate pairs joined, lone ones replaced."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _surrogates.sub(_scalar, text)
    return text


def _scalar(match: re.Match[str]) -> str:
    """What a surrogate pair stands for (the Unicode Standard, D91); for a lone one U+FFFD."""
    if len(match[0]) == 1:
        return "\ufffd"
    high, low = map(ord, match[0])
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
