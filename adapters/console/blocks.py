"""Where a growing Markdown text can be cut: before its last block, which may still change. Pure."""

from markdown_it import MarkdownIt

_parser = MarkdownIt()


def settled(markdown: str) -> int:
    """How many characters of a growing text are blocks that no further text can change."""
    starts = [token.map[0] for token in _parser.parse(markdown) if token.level == 0 and token.map]
    if not starts or starts[-1] == 0:
        return 0
    lines = markdown.splitlines(keepends=True)
    return len("".join(lines[: starts[-1]]))
