"""What is still to be done until a screen shows the wanted parts. Pure.

This is the one mechanism of delivery: previews, final texts, splitting and the end of a button are
all the same question, asked again after every step. What to do when a step fails is decided in
`persistence`, and doing it is the work of `screen`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from adapters.base import Part


@dataclass(frozen=True, slots=True)
class Shown:
    """A part on the screen. Without an id nobody knows whether it is there."""

    message_ids: tuple[str, ...]  # one, but for albums
    part: Part


@dataclass(frozen=True, slots=True)
class Send:
    """Show the part at `index` as new."""

    index: int
    part: Part


@dataclass(frozen=True, slots=True)
class Edit:
    """Turn the message at `index` into this part."""

    index: int
    part: Part
    message_id: str


@dataclass(frozen=True, slots=True)
class Delete:
    """Take away the part at `index`; it is the last one."""

    index: int
    message_ids: tuple[str, ...]


Step = Send | Edit | Delete


def next_step(shown: Sequence[Shown | None], wanted: Sequence[Part]) -> Step | None:
    """The first thing to do, in the order of the text; None if the screen is right.

    `None` in `shown` stands for a message that was there and was deleted by somebody. A text can't
    be edited into a file, or a file into anything.
    """
    for index, part in enumerate(wanted):
        there = shown[index] if index < len(shown) else None
        if there is None:
            return Send(index, part)
        if there.part == part:
            continue
        if not there.message_ids:
            return Send(index, part)
        if not there.part.files and not part.files and len(there.message_ids) == 1:
            return Edit(index, part, there.message_ids[0])
        return _delete_last(shown)  # from the end on, so that what is sent anew comes in its order
    if len(shown) > len(wanted):
        return _delete_last(shown)
    return None


def _delete_last(shown: Sequence[Shown | None]) -> Delete:
    surplus = shown[-1]
    return Delete(len(shown) - 1, surplus.message_ids if surplus else ())
