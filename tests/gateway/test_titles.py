"""What sessions are called."""

import pytest

from gateway.titles import clean_title, escaped, made_title


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Plan a trip to Bern\nwith the children", "Plan a trip to Bern"),
        ("[from Ann, id 7]\nlunch?", "lunch?"),
        ("[It is now Tuesday, 6 May 2031.]\n[from Ann, id 7]\n\nlunch?", "lunch?"),
        ("[In reply to this message:]\n> yes\n> no\n\nwhat of it?", "what of it?"),
        ("我们明天去北京看长城", "我们明天去北京看长城"),
        ("", ""),
        ("\n\n", ""),
        ("[just brackets]", "[just brackets]"),
    ],
)
def test_the_first_words_make_a_title(said: str, title: str) -> None:
    assert made_title(said) == title


def test_a_long_title_is_cut_at_a_word() -> None:
    title = clean_title("a rather long title " * 10)
    assert len(title) <= 60
    assert title == "a rather long title a rather long title a rather long…"
    assert len(clean_title("x" * 100)) == 60


def test_markdown_in_a_title_is_shown_as_it_is() -> None:
    assert escaped("*bold* [x](y)") == r"\*bold\* \[x\](y)"
