"""Plain text as Discord has to be told it, so that it shows exactly that. Pure.

Only what would be taken for Markdown is escaped: each backslash counts towards a message's length.
Addresses of the web are left alone, since a backslash in one leads elsewhere.
"""

import re

_ADDRESS = re.compile(r"https?://[^\s<]+")
_SPOILER = re.compile(r"\|\|(?=[^\s|])[^|\n]*[^\s|]\|\||\|\|[^\s|]\|\|")
_KEPT = re.compile(f"{_ADDRESS.pattern}|{_SPOILER.pattern}")
_SPECIAL = re.compile(r"[\\*_`]|~(?=~)|(?<=~)~|\|(?=\|)|(?<=\|)\|")
_BLOCK_START = re.compile(r"(#{1,3} |-# |>>> |> |[-*+] )|(\d{1,9})([.)] )")


def escaped(text: str, *, in_link: bool = False) -> str:
    """The text with a backslash before what would be Markdown; `in_link` where brackets are."""
    pieces = []
    end = 0
    for kept in _KEPT.finditer(text):
        pieces.append(_escape(text[end : kept.start()], in_link=in_link))
        pieces.append(_spoiler(kept[0]) if kept[0].startswith("|") else kept[0])
        end = kept.end()
    pieces.append(_escape(text[end:], in_link=in_link))
    return "".join(pieces)


def at_line_start(text: str) -> str:
    """An escaped text that begins a line, so that it begins no heading, list or quote."""
    found = _BLOCK_START.match(text)
    if found is None:
        return text
    if found[1]:
        return f"\\{text}"
    return f"{found[2]}\\{text[found.end(2) :]}"


def inline_code(text: str) -> str:
    """Code within a line. Three backticks would begin a block, so no more than one stands alone."""
    text = re.sub(r"`(?=`)", "`\u200b", text)
    marks = "``" if "`" in text else "`"
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{marks}{pad}{text}{pad}{marks}"


def code_line(text: str) -> str:
    """A line of a block of code: three backticks in it would end the block."""
    return re.sub(r"`(?=``)|(?<=`)`(?=`)", "`\u200b", text)


def cut(text: str, limit: int) -> int:
    """The last place up to `limit` where an escaped text may be cut, by code points."""
    place = limit
    while place > 1 and _backslashes_before(text, place) % 2:
        place -= 1
    return place


def _escape(text: str, *, in_link: bool) -> str:
    escaped_text = _SPECIAL.sub(r"\\\g<0>", text)
    return escaped_text.replace("[", "\\[") if "](" in text or in_link else escaped_text


def _spoiler(text: str) -> str:
    return f"||{_escape(text[2:-2], in_link=False)}||"


def _backslashes_before(text: str, index: int) -> int:
    count = 0
    while count < index and text[index - 1 - count] == "\\":
        count += 1
    return count
