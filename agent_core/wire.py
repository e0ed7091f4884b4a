"""One message, one line: JSON text to objects and back. Knows nothing of what they mean."""

import json
from typing import Any, NoReturn

Message = dict[str, Any]


class BadLine(ValueError):
    """The line is not a JSON object with a `type`."""


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_decoder = json.JSONDecoder(parse_constant=_refuse_constant)
_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def parse_line(line: str | bytes) -> Message:
    """Read one line. Raises `BadLine`, whose text says what is wrong with it."""
    try:
        text = line.decode() if isinstance(line, bytes) else line
        value = _decoder.decode(text)
    except UnicodeDecodeError as error:
        raise BadLine("the line is not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise BadLine(f"the line is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise BadLine("the line is not a JSON object")
    if not isinstance(value.get("type"), str):
        raise BadLine("the message has no type")
    return value


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
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
