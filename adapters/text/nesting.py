"""How deep a parsed text goes: whoever walks its tree does it by recursion, which has an end."""

from collections.abc import Sequence

from markdown_it.token import Token

DEEPEST = 60
"""The parser's limit on blocks (`maxNesting`), below which it leaves things out. It has none on
emphasis in emphasis: a few kilobytes of `**a ` are thousands of levels."""


def is_too_deep(tokens: Sequence[Token], deepest: int = DEEPEST) -> bool:
    """Whether something may be left out, or is better not walked through."""
    for token in tokens:
        depth = token.level
        if depth >= deepest - 1:
            return True
        for child in token.children or ():
            depth += child.nesting
            if depth >= deepest - 1:
                return True
    return False
