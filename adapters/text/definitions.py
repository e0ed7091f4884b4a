"""What stands at the end of a text and is looked up from within it: footnotes, addresses of links.

Models write `[^1]: a source` and `[2]: https://…` whether or not anything leads there; what nothing
leads to is text like any other. How it looks is the platforms' business.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, reference
from markdown_it.token import Token


def with_footnotes(parser: MarkdownIt) -> MarkdownIt:
    """The same parser; a footnote is a paragraph to it, not the definition of a link."""
    parser.block.ruler.at("reference", _reference)
    return parser


def unused_definitions(tokens: Sequence[Token], env: Mapping[str, Any]) -> Iterator[range]:
    """The lines of link definitions that no link leads to: nothing else would show them."""
    used = {
        token.attrs.get("href") or token.attrs.get("src")
        for block in tokens
        for token in block.children or ()
    }
    for found in env.get("references", {}).values():
        if found["href"] not in used:
            first, end = found["map"]
            yield range(first, end)


def _reference(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """A link's definition; a footnote looks like one, and would not be shown."""
    start = state.bMarks[start_line] + state.tShift[start_line]
    if state.src.startswith("[^", start):
        return False
    return reference(state, start_line, end_line, silent)
