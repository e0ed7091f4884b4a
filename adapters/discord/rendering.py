"""Markdown to the parts of a reply, each of which is one message on Discord.

A part's text is what is sent. Its payload says what stands around it: nothing, or a card in the
colour of its style.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from adapters.base import OutgoingFile, Part, Style
from adapters.base.albums import caption_of
from adapters.discord.lines import FENCE, LIMIT
from adapters.discord.markdown import parse
from adapters.discord.splitting import split

CURSOR = " ▉"


@dataclass(frozen=True, slots=True)
class Card:
    """The text stands in an embed with the colour of its style."""

    style: Style


def render(markdown: str, style: Style = Style.ANSWER, limit: int = LIMIT) -> Sequence[Part]:
    """The final form. No parts if there is nothing to see."""
    payload = None if style is Style.ANSWER else Card(style)
    return [Part(text, payload) for text in split(parse(markdown), limit)]


def preview(markdown: str, limit: int = LIMIT) -> Sequence[Part]:
    """The form while the text grows: the last part ends in a cursor if one fits."""
    texts = split(parse(markdown), limit)
    return [*map(Part, texts[:-1]), *(Part(_with_cursor(text, limit)) for text in texts[-1:])]


def render_album(files: tuple[OutgoingFile, ...]) -> Sequence[Part]:
    """Files that go together, under what is said of them: its end, if that is long."""
    *before, last = render(caption_of(files)) or [Part("")]
    return [*before, replace(last, files=files)]


def _with_cursor(text: str, limit: int) -> str:
    """The cursor stands in the code if that is what grows."""
    if len(text) + len(CURSOR) > limit:
        return text
    end = f"\n{FENCE}"
    return f"{text[: -len(end)]}{CURSOR}{end}" if text.endswith(end) else text + CURSOR
