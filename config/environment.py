"""The environment: the process's own variables, which always win, and those of a `.env` file.

Keeps where each was set, for error messages. What a variable means is `config.fallbacks`'s
business, and `${NAME}` that of `config.interpolation`.
"""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dotenv.parser import parse_stream

from config.errors import ConfigUnreadable, Problem
from config.files import read_text


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a variable was set."""

    file: str  # for problems: the `.env` file, or the words for the process's environment
    line: int | None
    folder: Path  # what a relative path in it is relative to


@dataclass(frozen=True, slots=True)
class Environment:
    """Variables with their origins."""

    values: Mapping[str, str]
    origins: Mapping[str, Origin]


def read_environment(dotenv: Path, name: str, environ: Mapping[str, str], cwd: Path) -> Environment:
    """The process's variables over those of a `.env` file, which problems call `name`.

    The file may be missing. Values are taken literally: nothing in them is replaced. Raises
    `ConfigUnreadable`.
    """
    values: dict[str, str] = {}
    origins: dict[str, Origin] = {}
    problems: list[Problem] = []
    text = read_text(dotenv, name, is_optional=True)
    for binding in parse_stream(io.StringIO(text)):
        # The statement begins behind the blank lines and comments before it.
        before = binding.original.string
        line = binding.original.line + before[: len(before) - len(before.lstrip())].count("\n")
        if binding.error:
            problems.append(Problem(name, line, 1, "Write this line as `NAME=value`."))
        elif binding.key is not None and binding.value is not None:
            values[binding.key] = binding.value
            origins[binding.key] = Origin(name, line, dotenv.parent)
    if problems:
        raise ConfigUnreadable(problems)
    for variable, value in environ.items():
        values[variable] = value
        origins[variable] = Origin(f"environment variable {variable}", None, cwd)
    return Environment(values, origins)
