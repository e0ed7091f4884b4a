"""One measured figure, and how a list of them is shown or written."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.table import Table

Bound = Literal["<=", ">="]


@dataclass(frozen=True, slots=True)
class Figure:
    """`reach` is e.g. "<= 3"; None for a figure that explains another one, and then it holds."""

    name: str
    value: float
    unit: str
    reach: str | None
    holds: bool


def figure(
    name: str, value: float, unit: str, bound: Bound | None = None, reach: float = 0
) -> Figure:
    """A figure of three significant digits, compared with what it is to reach."""
    if bound is None:
        return Figure(name, rounded(value), unit, None, holds=True)
    holds = value <= reach if bound == "<=" else value >= reach
    return Figure(name, rounded(value), unit, f"{bound} {reach:g}", holds)


def rounded(value: float) -> float:
    """Three significant digits; a benchmark has no more."""
    return float(f"{value:.3g}") if abs(value) < 1_000 else round(value)


def write(path: Path, figures: Sequence[Figure]) -> None:
    """As a JSON list of `{name, value, unit, reach, holds}`."""
    path.write_text(json.dumps([asdict(each) for each in figures], indent=2) + "\n")


def show(figures: Sequence[Figure]) -> None:
    """As a table on stdout."""
    table = Table("figure", "value", "unit", "reach", "holds")
    for each in figures:
        holds = "" if each.reach is None else "yes" if each.holds else "NO"
        name = each.name if each.reach else f"  {each.name}"
        table.add_row(name, f"{each.value:g}", each.unit, each.reach or "", holds)
    Console().print(table)
