"""The lines of a text, as the Markdown parser counts them."""


def lines_of(markdown: str) -> list[str]:
    """The lines that `Token.map` gives the numbers of.

    CommonMark (2.1) ends a line at a line feed, a carriage return or both; `str.splitlines` at
    eight other characters, too.
    """
    return markdown.replace("\r\n", "\n").replace("\r", "\n").split("\n")
