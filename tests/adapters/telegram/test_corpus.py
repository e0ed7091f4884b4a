"""Some hundred answers as models write them: each is taken by Telegram, and nothing is lost."""

from urllib.parse import unquote

import pytest

from adapters.base import Part
from adapters.telegram.adapter import TelegramAdapter
from adapters.telegram.rendering import entities_of, preview, render
from tests.adapters.telegram.parts import check_part
from tests.adapters.telegram.serving import address_of
from tests.corpus.answers import THEMES, of_theme
from tests.fakes.telegram import FakeTelegram, Person, texts


def to_be_seen(parts: list[Part]) -> str:
    """The texts, the addresses behind them, and the languages of code."""
    pieces: list[str] = []
    for part in parts:
        pieces.append(part.text)
        for entity in entities_of(part):
            pieces += [entity.url or "", unquote(entity.url or ""), entity.language or ""]
    return "\n".join(pieces)


@pytest.mark.parametrize("theme", THEMES)
async def test_telegram_takes_every_answer_as_it_is(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, theme: str
) -> None:
    for answer in of_theme(theme):
        parts = list(adapter.render(answer.markdown))
        assert parts, answer.name
        for part in parts:
            await adapter.send(address_of(ada), part)
            # The server takes out what turns the direction of writing.
            taken, _ = texts.accept(part.text, [], "too long")
            assert fake.replies(ada)[-1].text == taken, answer.name
    assert {call.outcome for call in fake.calls} == {"ok"}


@pytest.mark.parametrize("theme", THEMES)
def test_every_word_of_an_answer_is_to_be_seen(theme: str) -> None:
    for answer in of_theme(theme):
        seen = to_be_seen(list(render(answer.markdown)))
        assert answer.lost_in(seen) == [], answer.name


@pytest.mark.parametrize("theme", THEMES)
def test_an_answer_is_taken_at_every_length_and_under_every_limit(theme: str) -> None:
    """While it grows, or cut off, or cut into captions."""
    for answer in of_theme(theme):
        for quarter in range(1, 5):
            for part in preview(answer.markdown[: len(answer.markdown) * quarter // 4]):
                check_part(part, 4096)
        for limit in (20, 160, 1024):
            for part in render(answer.markdown, limit):
                check_part(part, limit)
