"""Which files go together, and what is said of all of them. Pure.

What a platform takes in one album is its own business: its adapter says of each file which sort it
is of, and how much goes into one. What people are shown is the same everywhere.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from adapters.base.parts import OutgoingFile


@dataclass(frozen=True, slots=True)
class Item:
    """A file on its way into an album."""

    file: OutgoingFile
    sort: str | None  # only files of one sort go together; None: it goes alone
    size_bytes: int


def together(
    items: Iterable[Item], most: int, most_bytes: int | None
) -> list[tuple[OutgoingFile, ...]]:
    """The files in their order, as many neighbours together as may go.

    `most_bytes` is for all files of one album; None where there is no such limit.
    """
    albums: list[list[Item]] = []
    for item in items:
        if albums and _fits(albums[-1], item, most, most_bytes):
            albums[-1].append(item)
        else:
            albums.append([item])
    return [tuple(item.file for item in album) for album in albums]


def caption_of(files: Sequence[OutgoingFile]) -> str:
    """What is said of files that are shown together, in Markdown; empty if nothing is.

    Where several have something said of them, each line begins with the number of its file.
    """
    said = [(number, file.caption) for number, file in enumerate(files, start=1) if file.caption]
    if len(said) < 2:
        return "".join(caption for _, caption in said)
    # Not as a list: Markdown would number that anew from its first item on.
    return "  \n".join(f"{number}\\. {' '.join(caption.split())}" for number, caption in said)


def _fits(album: Sequence[Item], item: Item, most: int, most_bytes: int | None) -> bool:
    total = sum(one.size_bytes for one in album) + item.size_bytes
    return (
        item.sort is not None
        and item.sort == album[-1].sort
        and len(album) < most
        and (most_bytes is None or total <= most_bytes)
    )
