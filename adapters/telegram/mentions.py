"""Names in a text that would notify their owners are made links: these lead there and tell nobody.

The server finds names in a text by itself, but not within what it is told to be a link or code
(TDLib, `merge_new_entities`). What is cut within a name by a style is a link up to there.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from adapters.base import Part
from adapters.telegram.rendering import entities_of
from adapters.telegram.styled import Entity, most_needed, utf16_offsets

# Names are of 4 characters or more; they end where words do (TDLib, `match_mentions`).
_NAME = re.compile(r"(?<!\w)@([A-Za-z0-9_]{4,32})(?!\w)")
# The beginning of an address, as in `medium.com/@carol`: the server takes the whole of it as one.
_ADDRESS = re.compile(r"(\w://|\w\.\w+(:\d+)?[/?#])\S*$")
_LONGEST_RUN = 300
_TAKEN = frozenset({"code", "pre", "text_link"})


def without_notice(part: Part) -> Part:
    """The part with each name as a link to its owner."""
    if "@" not in part.text:
        return part
    styles = entities_of(part)
    links = tuple(_links(part.text, styles))
    # The outer one of two that begin together comes first.
    entities = sorted(most_needed((*links, *styles)), key=lambda one: (one.offset, -one.length))
    return replace(part, payload=tuple(entities)) if links else part


def _links(text: str, styles: Sequence[Entity]) -> Iterator[Entity]:
    offsets = utf16_offsets(text)
    taken = [(one.offset, one.offset + one.length) for one in styles if one.type in _TAKEN]
    borders = {border for one in styles for border in (one.offset, one.offset + one.length)}
    for found in _NAME.finditer(text):
        start, end = offsets[found.start()], offsets[found.end()]
        if any(first < end and start < last for first, last in taken):
            continue
        if _ADDRESS.search(_run_before(text, found.start())):
            continue
        end = min((border for border in borders if start < border < end), default=end)
        yield Entity("text_link", start, end - start, url=f"https://t.me/{found[1]}")


def _run_before(text: str, place: int) -> str:
    """What stands right before it, up to the last white space: the end of a long one."""
    before = text[max(0, place - _LONGEST_RUN) : place].split()
    return before[-1] if before and not text[place - 1].isspace() else ""
