"""Writing variables into the text of a `.env` file, and leaving everything else in it alone. Pure.

`config.environment` reads such files; both go by python-dotenv's parser.
"""

import io
from collections.abc import Mapping

from dotenv.parser import parse_stream


def with_variables(text: str, variables: Mapping[str, str]) -> str:
    """The text with these variables set: in the lines where they were, else at the end."""
    lines: list[str] = []
    missing = dict(variables)
    for binding in parse_stream(io.StringIO(text)):
        original = binding.original.string
        if binding.key is None or binding.key not in variables:
            lines.append(original)
        elif binding.key in missing:
            # Blank lines and comments before a statement belong to it.
            lead = original[: len(original) - len(original.lstrip())]
            lines.append(f"{lead}{_line(binding.key, missing.pop(binding.key))}")
    kept = "".join(lines)
    if kept and not kept.endswith("\n"):
        kept += "\n"
    return kept + "".join(_line(name, value) for name, value in missing.items())


def _line(name: str, value: str) -> str:
    if value.isascii() and all(c.isalnum() or c in "-_.:/+=@~" for c in value):
        return f"{name}={value}\n"
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"{name}='{escaped}'\n"
