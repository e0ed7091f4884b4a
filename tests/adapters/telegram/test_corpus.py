"""Some hundred answers as models write them: each is taken by Telegram, and nothing is lost."""

import html
import re
from collections.abc import Iterator
from urllib.parse import unquote

import pytest

from adapters.base import Part
from adapters.telegram.adapter import TelegramAdapter
from adapters.telegram.rendering import entities_of, preview, render
from tests.adapters.telegram.parts import check_part
from tests.adapters.telegram.serving import address_of
from tests.corpus.answers import Answer, read_answers
from tests.fakes.telegram import FakeTelegram, Person, texts

ANSWERS = read_answers()
THEMES = sorted({answer.theme for answer in ANSWERS})
_WORD = re.compile(r"[^\W_]{2,}")
# What Markdown does not mean to be read: breaks, pictures that are links, names of addresses.
_HIDDEN = re.compile(
    r"<br ?/?>|(?<=\[)!\[[^]]*\]\([^)]*\)|(?<=\])\[[^]]+\]|^\[[^]^]+\]: \S+ \".*\"$", re.MULTILINE
)


def of_theme(theme: str) -> Iterator[Answer]:
    return (answer for answer in ANSWERS if answer.theme == theme)


def to_be_seen(parts: list[Part]) -> str:
    """The texts, the addresses behind them, and the languages of code."""
    pieces: list[str] = []
    for part in parts:
        pieces.append(part.text)
        for entity in entities_of(part):
            pieces += [entity.url or "", unquote(entity.url or ""), entity.language or ""]
    return "\n".join(pieces)


def test_there_are_enough_answers_in_enough_languages() -> None:
    assert len(ANSWERS) >= 300
    scripts = ("[а-я]", "[א-ת]", "[ء-ي]", "[一-龥]", "[ぁ-ん]", "[가-힣]", "[ก-ฮ]", "[अ-ह]")
    for script in scripts:
        found = [answer for answer in ANSWERS if re.search(script, answer.markdown)]
        assert len(found) >= 3, script


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
        meant = html.unescape(_HIDDEN.sub(" ", answer.markdown))
        lost = [word for word in _WORD.findall(meant) if word not in seen]
        assert lost == [], answer.name


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
