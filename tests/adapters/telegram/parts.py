"""What holds for any part that is sent: all that Telegram asks of one message."""

from adapters.base import Part
from adapters.telegram.rendering import entities_of
from adapters.text.characters import is_blank
from tests.fakes.telegram import texts


def check_part(part: Part, limit_utf16: int) -> None:
    """The fake's own rules are the judge."""
    entities = [
        {"type": one.type, "offset": one.offset, "length": one.length, "url": one.url}
        for one in entities_of(part)
    ]
    assert not is_blank(part.text)
    assert texts.units(part.text) <= limit_utf16
    assert part.text == part.text.rstrip()
    assert texts.violations(entities) == []
    texts.accept(part.text, entities, "too long")
