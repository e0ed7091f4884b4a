"""What a text loses without its styles, written into it: code as code, where a link leads. Pure.

People's clients take the backticks off and hide addresses behind words; a model would see neither.
Other styles say nothing that the words don't.
"""

from collections.abc import Sequence
from dataclasses import replace

from telegram.constants import MessageEntityType

from adapters.telegram.inbound.entities import Found, command

_FENCE = "```"


def marked_up(text: str, found: Sequence[Found]) -> tuple[str, list[Found]]:
    """The text with marks, and the entities where they are in it. Commands stay as they are."""
    if command(found) is not None:
        return text, list(found)
    # Ends come before beginnings; of several ends that of a link last: it is around the code.
    ordered = sorted(
        (place, place == one.start, one.type == MessageEntityType.TEXT_LINK, mark)
        for one in found
        for place, mark in _marks(text, one)
    )
    marks = [(place, mark) for place, *_, mark in ordered]
    pieces, done = [], 0
    for place, mark in marks:
        pieces += [text[done:place], mark]
        done = place
    pieces.append(text[done:])

    def moved(place: int, *, is_end: bool) -> int:
        before = (mark for at, mark in marks if at < place or (at == place and not is_end))
        return place + sum(map(len, before))

    return "".join(pieces), [
        replace(one, start=moved(one.start, is_end=False), end=moved(one.end, is_end=True))
        for one in found
    ]


def _marks(text: str, one: Found) -> list[tuple[int, str]]:
    """What is to be put where, in code points."""
    if one.type == MessageEntityType.TEXT_LINK and one.url and one.url != one.text:
        return [(one.end, f" ({one.url})")]
    if one.type == MessageEntityType.CODE and "`" not in one.text:
        return [(one.start, "`"), (one.end, "`")]
    if one.type == MessageEntityType.PRE and _FENCE not in one.text:
        before = "" if one.start == 0 or text[one.start - 1] == "\n" else "\n"
        after = "" if one.end == len(text) or text[one.end] == "\n" else "\n"
        last = "" if one.text.endswith("\n") else "\n"
        return [
            (one.start, f"{before}{_FENCE}{one.language or ''}\n"),
            (one.end, f"{last}{_FENCE}{after}"),
        ]
    return []
