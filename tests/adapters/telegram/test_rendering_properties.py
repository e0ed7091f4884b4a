"""What holds for any Markdown: limits, order, completeness, legal entities, time in proportion."""

import sys
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.base import Part
from adapters.telegram.rendering import entities_of, preview, render
from adapters.telegram.styled import utf16_length
from adapters.text.characters import is_blank
from tests.adapters.telegram.generated import (
    ANY_LENGTH,
    CODE_LINES,
    FENCE,
    LIMIT,
    MARKDOWN_AND_LIMIT,
    followed,
)
from tests.adapters.telegram.parts import check_part
from tests.fakes.telegram import texts


def _visible(text: str) -> str:
    """Without what may be lost at a cut; a joiner alone would be an empty message."""
    return "".join(character for character in text if not is_blank(character))


@settings(max_examples=100, deadline=None)
@given(case=MARKDOWN_AND_LIMIT)
def test_every_part_is_one_that_telegram_takes(case: tuple[str, int]) -> None:
    markdown, limit = case
    for part in (*render(markdown, limit), *preview(markdown, limit)):
        check_part(part, limit)


@settings(max_examples=100, deadline=None)
@given(case=MARKDOWN_AND_LIMIT)
def test_all_text_arrives_once_and_in_order_wherever_it_is_cut(case: tuple[str, int]) -> None:
    markdown, limit = case
    whole = "".join(part.text for part in render(markdown, 10_000_000))
    parts = "".join(part.text for part in render(markdown, limit))
    assert _visible(parts) == _visible(whole)


@settings(max_examples=100, deadline=None)
@given(case=MARKDOWN_AND_LIMIT)
def test_every_word_arrives_once_and_in_order_whatever_it_stands_in(case: tuple[str, int]) -> None:
    markdown, limit = case
    text = "".join(part.text for part in render(markdown, limit))
    assert followed(_visible(text)) == followed(markdown)


@settings(max_examples=200, deadline=None)
@given(words=st.lists(st.text("abcäöü界👍", min_size=1, max_size=9), max_size=200), limit=LIMIT)
def test_plain_words_arrive_as_they_were_written(words: list[str], limit: int) -> None:
    parts = render(" ".join(words), limit)
    assert _visible("".join(part.text for part in parts)) == "".join(words)


@settings(max_examples=200, deadline=None)
@given(fence=FENCE, lines=CODE_LINES, limit=st.sampled_from([600, 1000, 4096]))
def test_code_keeps_every_line_its_indentation_and_its_language(
    fence: str, lines: list[str], limit: int
) -> None:
    expected = [line.expandtabs(4).rstrip() for line in lines if line.strip()]
    parts = render("\n".join([f"before\n\n{fence}python", *lines, fence, "", "after"]), limit)
    code = [one for part in parts for one in _code(part)]
    assert [line.rstrip() for one in code for line in one.split("\n") if line.strip()] == expected
    kinds = {one.language for part in parts for one in entities_of(part) if one.type == "pre"}
    assert kinds == ({"python"} if expected else set())


def _code(part: Part) -> list[str]:
    units = part.text.encode("utf-16-le")
    return [
        units[2 * one.offset : 2 * (one.offset + one.length)].decode("utf-16-le")
        for one in entities_of(part)
        if one.type == "pre"
    ]


@settings(max_examples=200, deadline=None)
@given(
    markdown=st.text(st.sampled_from("*_`~[]()!<>|#->1. \n\ta👍\u200d\u0301\\&;:"), max_size=300),
    limit=LIMIT,
)
def test_no_arrangement_of_markup_breaks_anything(markdown: str, limit: int) -> None:
    for part in (*render(markdown, limit), *preview(markdown, limit)):
        check_part(part, limit)


@settings(max_examples=200, deadline=None)
@given(address=st.text("htps:/.@a1-_[]%?#&=界 \\", max_size=30))
def test_no_address_in_a_link_makes_a_message_that_is_refused(address: str) -> None:
    for start in ("", "http://", "https://a.b", "https://", "mailto:", "tg://"):
        for part in render(f"see [this]({start}{address}) or [that](<{start}{address}>)"):
            check_part(part, 4096)


@settings(max_examples=100, deadline=None)
@given(markdown=st.text(max_size=300))
def test_any_text_at_all_can_be_rendered(markdown: str) -> None:
    for part in render(markdown, 50):
        assert utf16_length(part.text) <= 50
        part.text.encode()


HOSTILE = {  # each is repeated, and makes some parser look ahead for ever
    "brackets": "[",
    "pictures": "![",
    "half a link": "[a](",
    "links in links": "[a [b](c) ",
    "emphasis": "*a*",
    "open emphasis": "**a _b ",
    "code that opens": "`a ``b ",
    "spoilers that open": "||a ",
    "dollars": "$a_ ",
    "a formula that opens": "\\(a ",
    "formula lines": "$$a\n",
    "formula lines in quotes": "> \\[\n",
    "lines that a quote may hold": ">>>>>>>>>a\nb\n",
    "quotes in quotes": "> ",
    "definitions": "[a]: b\n",
    "footnotes": "[^1]: a[^2]\n",
    "a table": "|a|b|\n|-|-|\n",
    "rows too long": "|a|\n|-|\n|c|d|e|\n",
    "lists in lists": "- - 1. a\n",
    "half a break": "<br <br",
    "combining marks": "a\u0301\u0301",
    "joined emoji": "👩\u200d",
}


def _steps(markdown: str) -> int:
    """How many functions rendering calls; unlike seconds they are the same on every machine."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        render(markdown)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_rendering_takes_time_in_proportion_to_the_text(piece: str) -> None:
    once, twice = (_steps(piece * (length // len(piece))) for length in (3_000, 6_000))
    assert twice < 2.5 * once


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_sixty_thousand_characters_of_anything_are_taken(piece: str) -> None:
    parts = render(piece * (60_000 // len(piece)))
    assert parts
    assert all(0 < texts.units(part.text) <= 4096 for part in parts)


@settings(max_examples=20, deadline=None)
@given(markdown=ANY_LENGTH)
def test_answers_of_up_to_sixty_thousand_characters_arrive_whole(markdown: str) -> None:
    parts = render(markdown)
    for part in parts:
        check_part(part, 4096)
    text = "".join(part.text for part in parts)
    assert followed(_visible(text)) == followed(markdown)
    whole = "".join(part.text for part in render(markdown, 10_000_000))
    assert _visible(text) == _visible(whole)
