"""Some hundred answers as models write them: each is taken by Discord, and nothing is lost."""

from collections.abc import Sequence
from urllib.parse import unquote

import pytest

from adapters.base import Part
from adapters.discord.rendering import preview, render
from tests.adapters.discord.reading import read
from tests.adapters.discord.world import listening
from tests.corpus.answers import THEMES, of_theme
from tests.fakes.discord.checks import check_message


def to_be_seen(parts: Sequence[Part]) -> str:
    """The texts as the client reads them, the addresses behind them, and the languages of code."""
    pieces: list[str] = []
    for part in parts:
        found = read(part.text)
        addresses = [url for _, url in found.links]
        pieces += [found.text, *addresses, *map(unquote, addresses)]
        pieces += [language for language, _ in found.code]
    return "\n".join(pieces)


@pytest.mark.parametrize("theme", THEMES)
async def test_discord_takes_every_answer_as_it_is(theme: str) -> None:
    async with listening() as world:
        for answer in of_theme(theme):
            parts = world.adapter.render(answer.markdown)
            assert parts, answer.name
            for part in parts:
                await world.adapter.send(world.here, part)
                sent = world.channel.last_message
                assert sent is not None
                assert sent.content == part.text, answer.name


@pytest.mark.parametrize("theme", THEMES)
def test_every_word_of_an_answer_is_to_be_seen(theme: str) -> None:
    for answer in of_theme(theme):
        seen = to_be_seen(render(answer.markdown))
        assert answer.lost_in(seen) == [], answer.name


@pytest.mark.parametrize("theme", THEMES)
def test_an_answer_is_taken_at_every_length_and_under_every_limit(theme: str) -> None:
    """While it grows, or cut off, or cut into shorter messages. The fake's rules are the judge."""
    for answer in of_theme(theme):
        for quarter in range(1, 5):
            for part in preview(answer.markdown[: len(answer.markdown) * quarter // 4]):
                check_message({"content": part.text}, has_files=False)
        for limit in (100, 500, 1024):
            for part in render(answer.markdown, limit=limit):
                assert len(part.text) <= limit, answer.name
                check_message({"content": part.text}, has_files=False)
