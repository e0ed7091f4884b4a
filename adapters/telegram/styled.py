"""Text with styled spans, counted the way Telegram counts.

Spans are in code points here, because Python slices so; `to_entities` turns them into Telegram's
UTF-16 units at the very end. What text there is comes from markdown.py, where it is cut is
splitting.py's business.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from adapters.text.characters import is_blank

MOST_ENTITIES = 100  # of a message; what the server does with more is no error, but a loss

QUOTES = frozenset({"blockquote", "expandable_blockquote"})
_NEEDED_KINDS = QUOTES | {"pre", "text_link", "spoiler"}  # they say something by themselves


@dataclass(frozen=True, slots=True)
class Span:
    """A styled stretch of text, `start` and `end` in code points."""

    kind: str  # a MessageEntity type of the Bot API
    start: int
    end: int
    value: str | None = None  # the address of a text_link, the language of a pre


@dataclass(frozen=True, slots=True)
class Styled:
    """A parsed text. Spans are nested, never crossing. `atoms` are ranges not to be cut."""

    text: str
    spans: tuple[Span, ...] = ()
    atoms: tuple[tuple[int, int], ...] = ()  # list markers with the space after them


@dataclass(frozen=True, slots=True)
class Entity:
    """A MessageEntity as sent: offset and length in UTF-16 units (Bot API, MessageEntity)."""

    type: str
    offset: int
    length: int
    url: str | None = None
    language: str | None = None


def utf16_length(text: str) -> int:
    """Length in UTF-16 units, as Telegram's limits are counted."""
    return len(text) + sum(character > "\uffff" for character in text)


def to_entities(text: str, spans: Iterable[Span]) -> tuple[Entity, ...]:
    """The spans, in UTF-16 units, without those over nothing visible."""
    offsets = utf16_offsets(text)
    entities = [
        Entity(
            type=span.kind,
            offset=offsets[span.start],
            length=offsets[span.end] - offsets[span.start],
            url=span.value if span.kind == "text_link" else None,
            language=span.value if span.kind == "pre" else None,
        )
        for span in spans
        if not is_blank(text[span.start : span.end])
    ]
    return most_needed(entities)


def most_needed(entities: Sequence[Entity]) -> tuple[Entity, ...]:
    """As many as a message may have: Telegram forgets those after the hundredth.

    Left out are the least needed; of these, and of the others, the last.
    """
    if len(entities) <= MOST_ENTITIES:
        return tuple(entities)
    ranked = sorted(range(len(entities)), key=lambda one: entities[one].type not in _NEEDED_KINDS)
    return tuple(entities[one] for one in sorted(ranked[:MOST_ENTITIES]))


def utf16_offsets(text: str) -> Sequence[int]:
    """For each index into `text`, and for its end, how many UTF-16 units come before it."""
    if not text or max(text) <= "\uffff":
        return range(len(text) + 1)
    offsets = [0] * (len(text) + 1)
    units = 0
    for index, character in enumerate(text):
        offsets[index] = units
        units += 2 if character > "\uffff" else 1
    offsets[-1] = units
    return offsets
