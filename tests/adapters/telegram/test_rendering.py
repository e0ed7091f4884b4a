"""Markdown as people see it on Telegram, case by case; the numbers are those of known failures."""

from collections.abc import Sequence

import pytest

from adapters.base import Part
from adapters.telegram.rendering import CURSOR, LIMIT_UTF16, entities_of, preview, render
from adapters.telegram.styled import utf16_length

# Python's splitlines ends a line at these; the parser does not (CommonMark, 2.1).
ENDS_ONLY_FOR_PYTHON = "\v\f\x1c\x85\u2028"


def styled(part: Part, kind: str) -> list[str]:
    """The pieces of a part's text that have a style."""
    units = part.text.encode("utf-16-le")
    return [
        units[2 * one.offset : 2 * (one.offset + one.length)].decode("utf-16-le")
        for one in entities_of(part)
        if one.type == kind
    ]


def languages(parts: Sequence[Part]) -> list[str | None]:
    return [one.language for part in parts for one in entities_of(part) if one.type == "pre"]


def code_lines(parts: Sequence[Part]) -> list[str]:
    return [line for part in parts for code in styled(part, "pre") for line in code.split("\n")]


@pytest.mark.parametrize("end", ENDS_ONLY_FOR_PYTHON)
def test_a_character_that_only_python_takes_for_a_lines_end_moves_nothing(end: str) -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 | surplus |\n\n[unused]: https://example.org/page"
    text = "\n".join(part.text for part in render(f"Two{end}words.\n\n{table}"))
    for word in ("words", "surplus", "https://example.org/page"):
        assert text.count(word) == 1, word


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("plain", "plain"),
        ("one\ntwo\n\n\n\nthree", "one\ntwo\n\nthree"),
        ("# Title\ntext", "Title\ntext"),
        ("* item one\n* item two with *emphasis*", "• item one\n• item two with emphasis"),
        ("List<int> and <CoT> and <b>x</b>", "List<int> and <CoT> and <b>x</b>"),
        ("<div>\nx\n</div>", "<div>\nx\n</div>"),
        ("3. three\n4. four\n10. ten", "3. three\n4. four\n10. ten"),
        ("1) a\n2) b", "1) a\n2) b"),
        ("1. a\n   - b\n     - c\n       more", "1. a\n    ◦ b\n       ▪ c\n          more"),
        ("- [ ] open\n- [x] done", "☐ open\n☑ done"),
        ("- a\n\n- b", "• a\n\n• b"),
        ("text\n- a", "text\n• a"),
        ("a\n\n---\n\nb", "a\n\n———\n\nb"),
        ("5 \\* 6 &lt; 7 &amp; 8", "5 * 6 < 7 & 8"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("[](https://example.org)", "https://example.org"),
        ("[here](./file.py)", "here (./file.py)"),
        ("![cat](./cat.png)", "cat (./cat.png)"),
        ("[it](http://localhost:8080/x)", "it (http://localhost:8080/x)"),
        ("[mail](mailto:a@example.org)", "mail (mailto:a@example.org)"),
        ("<a@example.org>", "a@example.org"),
        ("half a pair: \ud83d", "half a pair: \ufffd"),
        ("one<br>two<br/>three<BR />four", "one\ntwo\nthree\nfour"),
        ("so[^1] and so[^12] and [^note]", "so¹ and so¹² and [note]"),
        ("a[^1]\n\n[^1]: https://example.org", "a¹\n\n¹ https://example.org"),
        ("[a][x]\n\n[x]: https://a.org\n[y]: https://b.org", "a\n\n[y]: https://b.org"),
        ("$5 and $6, or $5-$6, a_b", "$5 and $6, or $5-$6, a_b"),
        ("a || b || c, x||y||z", "a || b || c, x||y||z"),
        ("|A|\n|-|\n|b|too|many|", "A |     |\n--+-----+-----\nb | too | many"),
        (
            "|Name|Long|\n|-|-|\n|a|" + "x" * 40 + "|\n|b||\n||" + "y" * 40 + "|more *m*|",
            f"Name: a\n• Long: {'x' * 40}\n\nName: b\n\nLong: {'y' * 40}\n• more *m*",
        ),
    ],
)
def test_markdown_becomes_this_text(markdown: str, text: str) -> None:
    [part] = render(markdown)
    assert part.text == text


@pytest.mark.parametrize("markdown", ["", " \n\t\n", "\u200b\u200d", "\ufe0f", "\u2800", "\x07"])
def test_nothing_to_see_is_no_part(markdown: str) -> None:
    """Case 9, and the invisible characters that Telegram calls empty as well."""
    assert list(render(markdown)) == list(preview(markdown)) == []


@pytest.mark.parametrize("markdown", ["&nbsp;", "```\n\n```", "[a]: https://example.org"])
def test_markup_that_would_show_nothing_is_shown_as_it_was_written(markdown: str) -> None:
    assert [part.text for part in render(markdown)] == [markdown]


@pytest.mark.parametrize(
    ("markdown", "kind", "pieces"),
    [
        ("a **b** c", "bold", ["b"]),
        ("# Title", "bold", ["Title"]),
        ("a *b* _c_", "italic", ["b", "c"]),
        ("~~b~~", "strikethrough", ["b"]),
        ("`b`", "code", ["b"]),
        ("😀😀 **b😀**", "bold", ["b😀"]),
        ("**a `b` c**", "bold", ["a ", " c"]),
        ("**a __b__ c**", "bold", ["a b c"]),
        ("***both***", "bold", ["both"]),
        ("***both***", "italic", ["both"]),
        ("**a *b* c**", "bold", ["a b c"]),
        ("[`code`](https://example.org)", "text_link", ["code"]),
        ("[`code`](https://example.org)", "code", []),
        ("[x](javascript:alert(1))", "text_link", []),
        ("<https://example.org>", "text_link", []),
        ("![cat](https://example.org/c.png)", "text_link", ["cat"]),
        ("[![cat](https://a.org/c.png)](https://b.org)", "text_link", ["cat"]),
        ("|a|b|\n|-|-|\n|[c](https://a.org)|d|", "text_link", ["c"]),
        ("> a\n> > b\n\nc", "blockquote", ["a\nb"]),
        ("||a **b** c|| d", "spoiler", ["a b c"]),
        ("(||a||), ||b||!", "spoiler", ["a", "b"]),
        ("**||a||** \\|\\|b\\|\\|", "spoiler", ["a"]),
        ("`||a||` and ||b", "spoiler", []),
        ("$E = m_0 c^2$ and \\(a * b * c\\)", "code", ["E = m_0 c^2", "a * b * c"]),
        ("say $$x_1$$ here", "code", ["x_1"]),
        ("$$\na_1\n+ b *c*\n$$", "pre", ["a_1\n+ b *c*"]),
        ("- so\n\n  \\[ \\frac{a}{b} \\]\n- b", "pre", ["\\frac{a}{b}"]),
        ("\\[ never ended", "pre", []),
    ],
)
def test_styles_cover_just_their_text(markdown: str, kind: str, pieces: list[str]) -> None:
    [part] = render(markdown)
    assert styled(part, kind) == pieces


@pytest.mark.parametrize("text", ["List<int>", "<CoT>", "a < b > c", "<b>x</b>", "<!-- x -->"])
def test_what_looks_like_html_is_text(text: str) -> None:
    """Case 7."""
    for markdown in (f"see {text} here", text, f"- {text}", f"| {text} |\n|---|\n| {text} |"):
        assert text in "".join(part.text for part in render(markdown))


def test_the_star_of_a_bullet_is_not_italic() -> None:
    """Case 5."""
    [part] = render("* item one\n* item two with *emphasis*")
    assert styled(part, "italic") == ["emphasis"]


def test_a_line_of_text_behind_a_fence_does_not_open_it_again() -> None:
    """Case 6."""
    [part] = render("```py\nx = 1\n```\n(1/2)")
    assert styled(part, "pre") == ["x = 1"]
    assert part.text == "x = 1\n(1/2)"


def test_tilde_and_long_fences_are_fences() -> None:
    """Case 3."""
    [part] = render("~~~py\na = 1\n~~~\n\n````md\n```js\nb\n```\n````")
    assert styled(part, "pre") == ["a = 1", "```js\nb\n```"]
    assert languages([part]) == ["py", "md"]


@pytest.mark.parametrize("fence", ["```", "~~~", "`````"])
def test_code_that_is_cut_keeps_language_and_every_indentation(fence: str) -> None:
    """Cases 1, 3 and 4."""
    lines = [f"{'    ' * (number % 4)}value_{number} = {number}" for number in range(900)]
    parts = render(f"{fence}python\n" + "\n".join(lines) + f"\n{fence}")
    assert len(parts) > 3
    assert languages(parts) == ["python"] * len(parts)
    assert code_lines(parts) == lines
    assert any(part.text.startswith("    ") for part in parts[1:])


def test_code_without_a_line_end_is_cut_within_the_limit() -> None:
    """Case 1, with Telegram's limit."""
    parts = render("```json\n" + "x" * 9000)
    assert [len(part.text) for part in parts] == [4096, 4096, 808]
    assert languages(parts) == ["json"] * 3


def test_tabs_in_code_become_spaces_because_telegram_would_show_one() -> None:
    [part] = render("```go\nif x {\n\treturn\n}\n```")
    assert part.text == "if x {\n    return\n}"


@pytest.mark.parametrize("markdown", ["." * 400, "a*n" * 3000, "*a*n" * 3000, "\\." * 5000])
def test_what_needs_escaping_elsewhere_is_only_text_here(markdown: str) -> None:
    """Case 2."""
    parts = render(markdown)
    assert all(utf16_length(part.text) <= LIMIT_UTF16 for part in parts)
    assert "".join(part.text for part in parts).replace("*", "") == markdown.replace(
        "*", ""
    ).replace("\\", "")


@pytest.mark.parametrize("before", range(8))
def test_an_emoji_at_the_limit_stays_whole(before: int) -> None:
    """Case 8."""
    family = "👨‍👩‍👧‍👦"
    parts = render("a" * before + family * 1000)
    assert all(utf16_length(part.text) <= LIMIT_UTF16 for part in parts)
    assert [part.text.lstrip("a").replace(family, "") for part in parts] == [""] * len(parts)


@pytest.mark.parametrize(
    "cluster", ["🇩🇪", "👍🏽", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "e\u0301", "क्‍ष", "1️⃣", "\u1112\u1161\u11ab"]
)
def test_what_is_one_character_to_a_person_is_not_cut(cluster: str) -> None:
    parts = render(cluster * 3000)
    assert len(parts) > 1
    assert [part.text.replace(cluster, "") for part in parts] == [""] * len(parts)


def test_a_character_that_does_not_fit_is_cut_rather_than_looped_over() -> None:
    """Case 8, the endless loop; and a character of 5,000 marks."""
    parts = render("👨‍👩‍👧‍👦👍", limit_utf16=2)
    assert [part.text for part in parts] == [
        "👨",
        "👩",
        "👧",
        "👦",
        "👍",
    ]  # joiners alone are empty
    parts = render("e" + "\u0301" * 5000)
    assert [len(part.text) for part in parts] == [4096, 905]
    with pytest.raises(ValueError, match="two UTF-16 units"):
        render("x", limit_utf16=1)


@pytest.mark.parametrize("markup", ["**{}**", "[{}](https://example.org)", "`{}`", "{}"])
def test_a_span_or_word_of_more_than_a_part_goes_on_in_the_next(markup: str) -> None:
    """Case 10."""
    parts = render(markup.format("w" * 10_000))
    assert [len(part.text) for part in parts] == [4096, 4096, 1808]
    assert len({tuple(one.type for one in entities_of(part)) for part in parts}) == 1


@pytest.mark.parametrize("markup", ["**{}**", "[{}](https://example.org)", "`{}`"])
def test_a_short_span_at_the_limit_is_not_cut(markup: str) -> None:
    span = markup.format("two words or more")
    parts = render("x" * 4085 + " " + span)
    assert [part.text for part in parts] == ["x" * 4085, "two words or more"]
    parts = render("x" * 4085 + span)
    assert [part.text for part in parts] == ["x" * 4085, "two words or more"]


def test_a_list_marker_stays_with_its_item() -> None:
    parts = render("x" * 4080 + "\n- " + "y" * 4090)
    assert [part.text[:3] for part in parts[1:]] == ["• y"]


def test_a_narrow_table_is_drawn_and_a_wide_one_becomes_a_list() -> None:
    """Case 10."""
    [drawn] = render("| a | 日本 |\n|---|---|\n| `1` | **2** |")
    assert styled(drawn, "pre") == ["a | 日本\n--+-----\n1 | 2"]
    header = "|".join(f"column {number}" for number in range(12))
    row = "|".join(f"**cell** {number}" for number in range(12))
    [listed] = render(f"|{header}|\n|{'---|' * 12}\n|{row}|")
    assert listed.text.split("\n")[:2] == ["column 0: cell 0", "• column 1: cell 1"]
    assert len(listed.text.split("\n")) == 12


def test_an_answer_of_8000_characters_is_complete() -> None:
    """Case 11."""
    words = [f"word{number}" for number in range(1200)]
    parts = render(" ".join(words))
    assert [word for part in parts for word in part.text.split()] == words


def test_of_more_entities_than_telegram_keeps_the_needed_ones_stay() -> None:
    [part] = render("**b** *i* " * 60 + "[link](https://example.org)\n```py\nx\n```")
    assert len(entities_of(part)) == 100
    assert styled(part, "text_link") == ["link"]
    assert languages([part]) == ["py"]


def test_parts_end_where_a_block_ends_if_one_ends_late_enough() -> None:
    paragraphs = ["word " * 300 + str(number) for number in range(6)]
    parts = render("\n\n".join(paragraphs))
    assert [part.text.count("\n\n") for part in parts] == [1, 1, 1]


def test_nesting_without_end_is_shown_as_it_was_written() -> None:
    markdown = "> " * 200 + "deep"
    assert "".join(part.text for part in render(markdown)).endswith("deep")


def test_a_preview_ends_in_a_cursor_and_is_plain() -> None:
    [part] = preview("Some **bold** text")
    assert part.text == "Some bold text" + CURSOR
    assert entities_of(part) == ()
    assert list(preview("  ")) == []


@pytest.mark.parametrize("length", range(4090, 4100))
def test_a_cursor_never_breaks_the_limit(length: int) -> None:
    parts = preview("x" * length)
    assert all(utf16_length(part.text) <= LIMIT_UTF16 for part in parts)
    assert sum(part.text.count("x") for part in parts) == length


def test_while_a_text_grows_its_earlier_parts_stay_as_they_are() -> None:
    """Case 18."""
    paragraph = "A sentence with **bold** and `code` in it. " * 12
    code = "```py\n" + "".join(f"    line_{number} = {number}\n" for number in range(60)) + "```"
    text = "\n\n".join([paragraph, "- one\n- two", code] * 8)
    final = list(render(text))
    assert len(final) > 3
    for end in range(100, len(text), 97):
        grown = list(preview(text[:end]))
        assert grown[:-1] == final[: len(grown) - 1]


def test_a_part_made_by_hand_is_plain_text_and_a_foreign_one_an_error() -> None:
    assert entities_of(Part("hello")) == ()
    with pytest.raises(TypeError, match="not a part for Telegram"):
        entities_of(Part("hello", payload="html"))


def test_a_long_quotation_is_folded_and_a_short_one_is_not() -> None:
    [part] = render("> " + "\n> ".join(f"line {number}" for number in range(9)))
    assert len(styled(part, "expandable_blockquote")) == 1
    [part] = render("> " + "word " * 200)
    assert len(styled(part, "expandable_blockquote")) == 1
    [part] = render("> short\n> enough")
    assert styled(part, "expandable_blockquote") == []
    assert styled(part, "blockquote") == ["short\nenough"]


def test_what_is_quoted_too_deep_keeps_its_marks() -> None:
    [part] = render("> > > > > > > deep")
    assert part.text == "> > deep"


def test_emphasis_in_emphasis_without_end_is_shown_as_it_was_written() -> None:
    markdown = "**a " * 5_000 + "b**" * 5_000
    assert "".join(part.text for part in render(markdown)).replace(" ", "") == (
        markdown.replace(" ", "")
    )
