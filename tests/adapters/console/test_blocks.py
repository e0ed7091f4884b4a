"""Where a growing text can be cut."""

from hypothesis import given
from hypothesis import strategies as st

from adapters.console.blocks import settled


def test_the_last_block_is_never_settled() -> None:
    assert settled("One paragraph\nof two lines") == 0
    assert settled("One.\n\nTwo.") == len("One.\n\n")


def test_an_open_fence_is_one_block() -> None:
    text = "Look:\n\n```python\nx = 1\n\ny = 2\n"
    assert text[settled(text) :].startswith("```python")


def test_a_list_that_grows_stays_whole() -> None:
    text = "Items:\n\n- one\n- two\n- thr"
    assert text[settled(text) :] == "- one\n- two\n- thr"


@given(st.lists(st.sampled_from(["a", "\n", "\n\n", "- ", "```\n", "# ", "> ", "\r\n", "\x0c"])))
def test_what_is_settled_only_grows_with_the_text(pieces: list[str]) -> None:
    text, last = "", 0
    for piece in pieces:
        text += piece
        cut = settled(text)
        assert 0 <= cut <= len(text)
        last = max(last, cut)
