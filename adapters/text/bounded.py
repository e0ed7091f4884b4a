"""markdown-it made to take time in proportion to the text, whatever the text is.

Two of its rules look ahead again and again: brackets that never close, and lines that may or may
not belong to every one of the quotes around them. Both are held to a budget here, beyond which
such markup is text like any other. How Markdown is shown is the platforms' business.
"""

from types import SimpleNamespace
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.helpers import parseLinkDestination, parseLinkTitle
from markdown_it.rules_block import StateBlock, blockquote
from markdown_it.rules_inline import StateInline

_DEEPEST_QUOTE = 5  # one within another; what is quoted deeper is text with a `>` before it
_STEPS_PER_CHARACTER = 2  # spent on looking for the ends of brackets
_STEPS_AT_LEAST = 2_000

_STEPS_LEFT = "steps left for brackets"  # keys of the `env` that goes along with a parse
_QUOTES_AROUND = "quotes around"
_ENDS_BLOCKS = ["paragraph", "reference", "blockquote", "list"]  # as markdown-it has it


def bounded(parser: MarkdownIt) -> MarkdownIt:
    """The same parser, with the two rules replaced."""
    parser.block.ruler.at("blockquote", _quote, {"alt": _ENDS_BLOCKS})
    helpers: Any = SimpleNamespace(  # a module, where it comes from; only its functions count
        parseLinkLabel=_end_of_label,
        parseLinkDestination=parseLinkDestination,
        parseLinkTitle=parseLinkTitle,
    )
    parser.helpers = helpers
    return parser


def _quote(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    depth: int = state.env.get(_QUOTES_AROUND, 0)
    if depth >= _DEEPEST_QUOTE:
        return False
    state.env[_QUOTES_AROUND] = depth + 1
    try:
        return blockquote(state, start_line, end_line, silent)
    finally:
        state.env[_QUOTES_AROUND] = depth


def _end_of_label(state: StateInline, start: int, disable_nested: bool = False) -> int:
    """The index of the bracket that closes the one at `start`; -1 if there is none.

    What parseLinkLabel does (CommonMark, "Links"): code and other inlines within are passed over
    whole. With `disable_nested`, a link within makes it none.
    """
    before = state.pos
    left: int = state.env.setdefault(
        _STEPS_LEFT, _STEPS_AT_LEAST + _STEPS_PER_CHARACTER * len(state.src)
    )
    state.pos, depth, end = start + 1, 1, -1
    while state.pos < state.posMax and left > 0:
        left -= 1
        character, place = state.src[state.pos], state.pos
        if character == "]":
            depth -= 1
            if depth == 0:
                end = place
                break
        state.md.inline.skipToken(state)
        left = min(left, state.env[_STEPS_LEFT])
        if character == "[":
            if state.pos == place + 1:
                depth += 1
            elif disable_nested:
                break
    state.env[_STEPS_LEFT] = left
    state.pos = before
    return end
