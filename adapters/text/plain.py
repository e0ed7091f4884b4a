"""The words of a parsed text without what they look like: of a cell, of a link.

What a platform does with them is its own business.
"""

from collections.abc import Sequence

from markdown_it.tree import SyntaxTreeNode


def plain_inline(nodes: Sequence[SyntaxTreeNode]) -> str:
    """The text alone, on one line."""
    pieces = []
    for node in nodes:
        if node.type in {"softbreak", "hardbreak"}:
            pieces.append(" ")
        elif node.children:
            pieces.append(plain_inline(node.children))
        elif node.type in {"text", "code_inline", "image"}:
            pieces.append(node.content)
    return "".join(pieces)
