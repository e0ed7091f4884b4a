"""`${NAME}` in a text → what the environment says.

    ${NAME}            the variable; it is an error if it is not set
    ${NAME:-default}   the variable, or the default if it is not set or empty
    $${                a plain `${`

What comes out is text, never YAML: nothing in a variable can become a key.
"""

import re
from collections.abc import Mapping

_REFERENCE = re.compile(r"\$\$\{|\$\{([^}]*)(\}?)")
_INSIDE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?", re.DOTALL)


class BadReference(Exception):
    """A `${…}` can't be replaced. The text is a sentence with the cure."""


def interpolate(text: str, environ: Mapping[str, str]) -> str:
    """Replace all references. Raises `BadReference` at the first that can't be."""

    def replace(found: re.Match[str]) -> str:
        if found[0] == "$${":
            return "${"
        inside = _INSIDE.fullmatch(found[1])
        if inside is None or not found[2]:
            raise BadReference(
                "`${` begins the name of an environment variable, as in `${NAME}`. "
                "Write `$${` if it is plain text."
            )
        name, default = inside[1], inside[2]
        value = environ.get(name)
        if default is not None:
            return value or default
        if value is None:
            raise BadReference(
                f"The environment variable {name} is not set. Set it, write it into `.env` beside "
                f"this file, or give a default: `${{{name}:-default}}`."
            )
        return value

    return _REFERENCE.sub(replace, text)


def escape(text: str) -> str:
    """The text that `interpolate` turns into this one."""
    return text.replace("${", "$${")
