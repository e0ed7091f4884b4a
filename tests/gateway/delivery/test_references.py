"""The files that an answer speaks of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.delivery.references import MAX_FILES, LongCode, Reference, take_out


def targets(markdown: str) -> list[str]:
    return [one.target for one in take_out(markdown).found if isinstance(one, Reference)]


@pytest.mark.parametrize(
    ("markdown", "text", "found"),
    [
        ("Here:\n\nMEDIA:plots/a.png\n\nDone.", "Here:\n\nDone.", [("plots/a.png", "")]),
        ('MEDIA: "my plan.pdf"', "", [("my plan.pdf", "")]),
        ("![The plot](p%20q.png)", "", [("p q.png", "The plot")]),
        ("![x](<a b.png>)", "", [("a b.png", "x")]),
        ("See ![the plot](p.png) here", "See the plot here", [("p.png", "the plot")]),
        ("- MEDIA:a.pdf\n- MEDIA:b.pdf", "", [("a.pdf", ""), ("b.pdf", "")]),
        ("> ![q](q.png)\n> so it is", "> so it is", [("q.png", "q")]),
        ("[![alt](i.png)](http://x)", "[alt](http://x)", [("i.png", "alt")]),
        ("![w](https://example.org/x.png)", "", [("https://example.org/x.png", "w")]),
        ("![a](1.png) ![b](2.png)", "a b", [("1.png", "a"), ("2.png", "b")]),
        ("x ![a](1.png) y ![a](1.png)", "x a y a", [("1.png", "a"), ("1.png", "a")]),
        ("Grüße\r\nMEDIA:ü.png\r\nda", "Grüße\nda", [("ü.png", "")]),
        ("a\x0bb\nMEDIA:x.png\nc", "a\x0bb\nc", [("x.png", "")]),
    ],
)
def test_files_are_taken_out_with_what_stands_for_them(
    markdown: str, text: str, found: list[tuple[str, str]]
) -> None:
    taken = take_out(markdown)
    pairs = [(one.target, one.caption) for one in taken.found if isinstance(one, Reference)]
    assert taken.text == text
    assert pairs == found


@pytest.mark.parametrize(
    "markdown",
    [
        "`MEDIA:x.png`",
        "```\nMEDIA:x.png\n![a](b.png)\n```",
        "    MEDIA:x.png",
        "`a\nMEDIA:x.png\nb`",
        "say `![a](b.png)` to me",
        "| a |\n|---|\n| ![i](i.png) |",
        "![x](data:image/png;base64,AAAA)",
        "\\![x](y.png)",
        "write MEDIA:path on a line",
        "MEDIA:",
        "![]()",
    ],
)
def test_what_only_looks_like_a_file_is_left_as_it_is(markdown: str) -> None:
    taken = take_out(markdown)
    assert taken.text == markdown
    assert taken.found == ()


def test_an_image_beside_the_same_words_in_code_is_the_one_that_is_taken() -> None:
    taken = take_out("`![a](b.png)` and ![a](b.png)")
    assert taken.text == "`![a](b.png)` and a"
    assert targets("`![a](b.png)` and ![a](b.png)") == ["b.png"]


def test_an_answer_sends_no_crowd_of_files() -> None:
    markdown = "\n\n".join(f"MEDIA:{n}.png" for n in range(50))
    taken = take_out(markdown)
    assert len(taken.found) == MAX_FILES
    assert taken.text.startswith(f"MEDIA:{MAX_FILES}.png")


def test_long_code_is_taken_out_whatever_its_fence_and_the_rest_stays() -> None:
    markdown = "Look:\n\n~~~~python\nprint(1)\n```\n\n\n~~~~\n\nand\n\n```\nshort\n```"
    taken = take_out(markdown, lambda block: "print" in block)
    assert taken.found == (LongCode("code-1.py", "print(1)\n```\n\n\n"),)
    assert taken.text == ("Look:\n\n*The code is in the file code-1.py.*\n\nand\n\n```\nshort\n```")


@given(st.text(alphabet="!`[]()<>\n MEDIA:x.png~|-> *", max_size=80))
def test_any_text_keeps_its_code_and_loses_no_words(markdown: str) -> None:
    taken = take_out(markdown)
    if not taken.found:
        assert taken.text == markdown
    again = take_out(f"```\n{markdown.replace('`', '')}\n```")
    assert again.found == ()
