"""Names that a bot is called by in a group: words, and regular expressions between slashes.

Both are searched for in time that grows with the text only, whatever people write: words as they
stand, expressions by RE2, which has no backtracking (and so no look-around and no back-references).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Protocol

import re2
from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from config.section import SENTENCE


class _Pattern(Protocol):
    def search(self, text: str) -> object | None: ...


def _is_expression(name: str) -> bool:
    return len(name) > 2 and name.startswith("/") and name.endswith("/")


def _expression(name: str) -> _Pattern:
    """Raises `re2.error`."""
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    pattern: _Pattern = re2.compile(name[1:-1], options)
    return pattern


def _is_name(name: str) -> str:
    if not name.strip():
        raise PydanticCustomError(SENTENCE, "must not be empty.")
    if _is_expression(name):
        try:
            _expression(name)
        except re2.error:
            raise PydanticCustomError(
                SENTENCE, "must be a regular expression that RE2 understands, between slashes."
            ) from None
    return name


Name = Annotated[str, Field(min_length=1), AfterValidator(_is_name)]


@dataclass(frozen=True, slots=True)
class Names:
    """Checked names, ready to be looked for."""

    patterns: tuple[_Pattern, ...] = ()

    @classmethod
    def of(cls, names: Iterable[str]) -> "Names":
        """Names as the settings have them; they must have been checked."""
        chosen = tuple(names)
        expressions = [_expression(name) for name in chosen if _is_expression(name)]
        words = [re.escape(name.strip()) for name in chosen if not _is_expression(name)]
        # RE2's \b knows ASCII letters only; names may be in any script.
        whole = rf"(?<!\w)(?:{'|'.join(words)})(?!\w)"
        return cls((*([re.compile(whole, re.IGNORECASE)] if words else []), *expressions))

    def are_in(self, text: str) -> bool:
        """Whether somebody is called by one of them."""
        return any(pattern.search(text) is not None for pattern in self.patterns)
