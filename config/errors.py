"""What can be wrong with the configuration, said to the person who wrote it.

    ConfigError             has `problems`, in the order of the file
    ├── ConfigUnreadable    the file is missing, is a folder, is not text …
    ├── ConfigSyntax        the text is not YAML
    └── ConfigInvalid       the YAML says something that can't be

No text in here repeats a value from the file or the environment: it could be a secret.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: where it stands and a sentence with the cure. Lines and columns count from 1."""

    file: str  # as the administrator would name it; or the name of an environment variable
    line: int | None
    column: int | None
    text: str

    def __str__(self) -> str:
        place = [self.file, *(str(n) for n in (self.line, self.column) if n is not None)]
        return f"{':'.join(place)}: {self.text}"


class ConfigError(Exception):
    """The configuration can't be used. `str()` gives one line for each problem."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(
            sorted(problems, key=lambda p: (p.file, p.line or 0, p.column or 0, p.text))
        )
        super().__init__("\n".join(map(str, self.problems)))


class ConfigUnreadable(ConfigError):
    """A file could not be read as text."""


class ConfigSyntax(ConfigError):
    """A file is text, but not YAML."""


class ConfigInvalid(ConfigError):
    """Keys or values are wrong, or something is missing."""
