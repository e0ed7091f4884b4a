"""Markdown to the parts of a reply, each of which Telegram takes as it is.

Nothing is escaped, ever: a part is plain text, and its payload the entities that style it.
Parsing and cutting are done in markdown.py and splitting.py.
"""

from collections.abc import Sequence
from dataclasses import replace

from adapters.base import OutgoingFile, Part
from adapters.base.albums import caption_of
from adapters.telegram.markdown import parse
from adapters.telegram.splitting import split
from adapters.telegram.styled import Entity, Styled, to_entities, utf16_length

LIMIT_UTF16 = 4096  # of a message after entities parsing (Bot API, sendMessage)
CAPTION_LIMIT_UTF16 = 1024  # of a file's text (Bot API, sendPhoto)
CURSOR = " ▉"


def render(markdown: str, limit_utf16: int = LIMIT_UTF16) -> Sequence[Part]:
    """The final form. No parts if there is nothing to see."""
    return [_formatted(styled) for styled in split(parse(markdown), limit_utf16)]


def preview(markdown: str, limit_utf16: int = LIMIT_UTF16) -> Sequence[Part]:
    """The form while the text grows: the last part is plain and ends in a cursor if one fits."""
    parts = split(parse(markdown), limit_utf16)
    return [*map(_formatted, parts[:-1]), *(_growing(part, limit_utf16) for part in parts[-1:])]


def render_album(files: tuple[OutgoingFile, ...]) -> Sequence[Part]:
    """Files that go together, and what is said of them: below if it doesn't fit under them."""
    said = render(caption_of(files))
    if not said:
        return [Part("", files=files)]
    if len(said) == 1 and fits_caption(said[0]):
        return [replace(said[0], files=files)]
    return [Part("", files=files), *said]


def fits_caption(part: Part) -> bool:
    """Whether a file can carry this text."""
    return utf16_length(part.text) <= CAPTION_LIMIT_UTF16


def entities_of(part: Part) -> tuple[Entity, ...]:
    """The payload of a part. A part made by hand, without one, is plain text."""
    if part.payload is None:
        return ()
    if isinstance(part.payload, tuple):
        return part.payload
    raise TypeError(f"not a part for Telegram: its payload is {type(part.payload).__name__}")


def _formatted(styled: Styled) -> Part:
    return Part(text=styled.text, payload=to_entities(styled.text, styled.spans))


def _growing(styled: Styled, limit_utf16: int) -> Part:
    has_room = utf16_length(styled.text) + utf16_length(CURSOR) <= limit_utf16
    return Part(text=styled.text + CURSOR if has_room else styled.text, payload=())
