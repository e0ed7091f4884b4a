"""Which files are text, and what stands in them. Pure.

By what is in them, not by what they are called: a name may say anything.
"""

MAX_BYTES_PER_CHAR = 4
_CONTROLS = frozenset(map(chr, range(32))) - set("\t\n\r\f") | {"\x7f"}
_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def text_in(content: bytes) -> str | None:
    """The text that a file holds; None if it is something else, or empty."""
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return None
    if not text.strip() or _CONTROLS.intersection(text):
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n")
