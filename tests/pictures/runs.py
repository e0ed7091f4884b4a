"""A message's text as stretches of one look each, cut into lines that fit a bubble. Pure.

Entities are the Bot API's, in UTF-16 units. How wide a stretch is says whoever draws it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tests.fakes.telegram.world import Json

QUOTES = {"blockquote", "expandable_blockquote"}


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one look: the kinds of the entities around it."""

    text: str
    kinds: frozenset[str] = frozenset()

    @property
    def is_block(self) -> bool:
        """Whether it is code on lines of its own, which no line of prose shares."""
        return "pre" in self.kinds


Line = Sequence[Run]
Measure = Callable[[Run], float]


def runs_of(text: str, entities: Sequence[Json]) -> list[Run]:
    """The text cut wherever an entity begins or ends."""
    units = text.encode("utf-16-le")
    cuts = {0, len(units) // 2}
    for entity in entities:
        cuts |= {entity["offset"], entity["offset"] + entity["length"]}
    ordered = sorted(cuts)
    return [
        Run(units[2 * start : 2 * end].decode("utf-16-le"), _kinds_at(start, entities))
        for start, end in pairwise(ordered)
    ]


def lines_of(runs: Sequence[Run], width: float, measure: Measure) -> list[list[Run]]:
    """Lines of at most that width: cut between words, and within one that is too long."""
    lines: list[list[Run]] = [[]]
    used = 0.0
    for word in _words(runs):
        if word.text == "\n":
            lines.append([])
            used = 0.0
            continue
        for piece in _pieces(word, width, measure):
            size = measure(piece)
            if used and used + size > width:
                lines.append([])
                used = 0.0
                if not word.is_block and not piece.text.strip():
                    continue
            lines[-1].append(piece)
            used += size
    return [list(_joined(line)) for line in lines]


def _kinds_at(place: int, entities: Sequence[Json]) -> frozenset[str]:
    return frozenset(
        entity["type"]
        for entity in entities
        if entity["offset"] <= place < entity["offset"] + entity["length"]
    )


def _words(runs: Sequence[Run]) -> Iterator[Run]:
    """Words, the spaces between them, and line ends."""
    for run in runs:
        for number, line in enumerate(run.text.split("\n")):
            if number:
                yield Run("\n", run.kinds)
            if run.is_block:
                yield Run(line, run.kinds)
                continue
            for place, word in enumerate(line.split(" ")):
                if place:
                    yield Run(" ", run.kinds)
                if word:
                    yield Run(word, run.kinds)


def _pieces(word: Run, width: float, measure: Measure) -> Iterator[Run]:
    rest = word.text
    while rest:
        end = len(rest)
        while end > 1 and measure(Run(rest[:end], word.kinds)) > width:
            end -= 1
        yield Run(rest[:end], word.kinds)
        rest = rest[end:]


def _joined(line: Line) -> Iterator[Run]:
    """Neighbours of the same look as one."""
    pending: Run | None = None
    for run in line:
        if pending is not None and pending.kinds == run.kinds:
            pending = Run(pending.text + run.text, run.kinds)
            continue
        if pending is not None:
            yield pending
        pending = run
    if pending is not None:
        yield pending
