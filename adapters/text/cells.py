"""What stands in a parsed table: its cells, also those that are too many, their words and links.

What becomes of them is decided in tables.py and by the platforms.
"""

import re
from collections.abc import Sequence

from markdown_it.tree import SyntaxTreeNode

from adapters.text.plain import plain_inline

Cell = SyntaxTreeNode | str
"""As it was parsed, or as it was written if it is beyond the table's columns."""

_CELL_ENDS = re.compile(r"(?<!\\)\|")


def cells_of(table: SyntaxTreeNode, lines: Sequence[str]) -> list[list[Cell]]:
    """Row by row, the header first. `lines` are those of the whole text."""
    return [
        [*row.children, *_too_many(row, lines)]
        for section in table.children
        for row in section.children
    ]


def texts_of(rows: Sequence[Sequence[Cell]]) -> list[list[str]]:
    """The words of the cells; all rows are equally long."""
    columns = max(map(len, rows))
    return [[*map(_text_of, row), *[""] * (columns - len(row))] for row in rows]


def has_link(table: SyntaxTreeNode) -> bool:
    """Whether there are addresses in it, which nobody could follow from within code."""
    return any(
        node.type == "image" or (node.type == "link" and node.info != "auto")
        for node in table.walk()
    )


def _too_many(row: SyntaxTreeNode, lines: Sequence[str]) -> list[str]:
    """What a row has beyond the table's columns, which is no part of the table (GFM)."""
    if not row.map:
        return []
    line = lines[row.map[0]].strip().removesuffix("|")
    found = _CELL_ENDS.split(line.lstrip(" \t>").removeprefix("|"))
    return [text.strip() for text in found[len(row.children) :]]


def _text_of(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell
    return "".join(plain_inline(child.children) for child in cell.children)
