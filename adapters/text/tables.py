"""A table as something that can be read on a telephone.

A narrow one is drawn with aligned columns, to be shown in a fixed width; a wide one becomes a
list of rows, each cell behind the name of its column. Cells come in as plain text, one line each;
a platform's own renderer finds them and puts the result into the message.
"""

import unicodedata
from collections.abc import Sequence

WIDEST_GRID = 40  # columns of fixed-width text that a telephone shows without folding
_GAP = " | "

Row = Sequence[str]


def is_narrow(rows: Sequence[Row]) -> bool:
    """Whether the columns fit beside each other."""
    widths = _column_widths(rows)
    return sum(widths) + len(_GAP) * (len(widths) - 1) <= WIDEST_GRID


def grid(rows: Sequence[Row]) -> str:
    """Aligned columns, with a rule under the first row."""
    widths = _column_widths(rows)
    lines = [
        _GAP.join(
            cell + " " * (width - display_width(cell))
            for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "-+-".join("-" * width for width in widths))
    return "\n".join(lines)


def display_width(text: str) -> int:
    """How many columns of fixed-width text this takes; East Asian characters and emoji take two."""
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def _column_widths(rows: Sequence[Row]) -> list[int]:
    return [max(map(display_width, column)) for column in zip(*rows, strict=True)]
