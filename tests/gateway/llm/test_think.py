"""Thinking in `<think>` tags stays away from the person's eyes, however the text is cut."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.llm.think import ThinkFilter

PIECES = st.sampled_from(
    [
        "<think>",
        "</think>",
        "<thinking>",
        "</thinking>",
        "<Reasoning>",
        "</reasoning>",
        "<",
        "</",
        "<thi",
        "nk>",
        "\n",
        "\n\n",
        " ",
        "  ",
        "a",
        "word ",
        "`<think>`",
        "```",
        "~~~~",
        "İ",
        "🪐",
    ]
)
TEXTS = st.lists(PIECES, max_size=25).map("".join)


def filtered(pieces: list[str]) -> str:
    thoughts = ThinkFilter()
    return "".join(map(thoughts.feed, pieces)) + thoughts.flush()


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("<think>hm</think>\n\nHello", "Hello"),
        (" \n<THINKING>hm</thinking> Hello", "Hello"),
        ("<think>one</think>\n<reasoning>two</reasoning>Hello", "Hello"),
        ("<think>only this", ""),
        ("<think>only this</think>", ""),
        ("First.\n\n<think>hm</think>\n\nSecond.", "First.\n\nSecond."),
        ("Well\n</think>\nHello", "Well\nHello"),
        ("Use `<think>` for that, and close it.", "Use `<think>` for that, and close it."),
        ("The tag\n<think>\nopens a thought", "The tag\n<think>\nopens a thought"),
        ("```xml\n<think>\nx\n</think>\n```\nDone", "```xml\n<think>\nx\n</think>\n```\nDone"),
        (
            "~~~\n```\n<think>x</think>\n~~~\n<think>x</think>y",
            "~~~\n```\n<think>x</think>\n~~~\ny",
        ),
        ("a < b and <thin", "a < b and <thin"),
        ("<thin", "<thin"),
        ("<thinner> is no tag", "<thinner> is no tag"),
        ("  indented", "  indented"),
        ("<think>İİİ</think>x", "x"),
        ("", ""),
    ],
)
def test_thinking_is_taken_out_and_nothing_else(text: str, visible: str) -> None:
    assert filtered([text]) == visible


@given(TEXTS, st.lists(st.integers(0, 200)))
def test_the_filter_sees_the_same_wherever_the_text_is_cut(text: str, cuts: list[int]) -> None:
    borders = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[a:b] for a, b in itertools.pairwise(borders)]
    assert filtered(pieces) == filtered([text]) == filtered(list(text))


@given(st.text(st.sampled_from("abc <>/\n`~é🪐"), max_size=60))
def test_a_text_without_a_tag_passes_unchanged(text: str) -> None:
    assert filtered([text]) == text


BLOCK = re.compile(r"(?:\A\s*|(?<=\n)[ \t]*)<think>.*?</think>\s*", re.DOTALL)


@given(
    st.lists(
        st.one_of(
            st.sampled_from(["A line.\n", "Two\nlines.\n", "`<think>` as a word\n"]),
            st.text(st.sampled_from("ab< >/\n"), max_size=20).map(
                lambda thought: f"<think>{thought}</think>\n"
            ),
        ),
        max_size=8,
    ).map("".join)
)
def test_closed_blocks_go_as_a_regular_expression_would_take_them(text: str) -> None:
    expected, last = text, None
    while expected != last:
        last, expected = expected, BLOCK.sub("", expected, count=1)
    assert filtered([text]) == expected


def test_an_answer_shows_as_soon_as_it_can_be_no_tag() -> None:
    thoughts = ThinkFilter()
    assert [thoughts.feed(piece) for piece in ("<", "b", ">x", " y")] == ["", "<b", ">x", " y"]
