"""Markdown as Discord shows it; what is sent is read back by Discord's own rules."""

import pytest

from adapters.base import Style
from adapters.discord.rendering import Card, preview, render
from tests.adapters.discord.reading import Read, read

# Python's splitlines ends a line at these; the parser does not (CommonMark, 2.1).
ENDS_ONLY_FOR_PYTHON = "\v\f\x1c\x85\u2028"
LIMIT = 2000


def shown(markdown: str) -> Read:
    """What a person sees of a text that fits one message."""
    (part,) = render(markdown)
    return read(part.text)


@pytest.mark.parametrize("end", ENDS_ONLY_FOR_PYTHON)
def test_a_character_that_only_python_takes_for_a_lines_end_moves_nothing(end: str) -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 | surplus |\n\n[unused]: https://example.org/page"
    text = "\n".join(part.text for part in render(f"Two{end}words.\n\n{table}"))
    for word in ("words", "surplus", "https://example.org/page"):
        assert text.count(word) == 1, word


@pytest.mark.parametrize(
    ("markdown", "style", "text"),
    [
        ("a **b c** d", "**", "b c"),
        ("a *b c* d", "*", "b c"),
        ("a _b c_ d", "*", "b c"),
        ("a ~~b c~~ d", "~~", "b c"),
        ("a `b * c` d", "code", "b * c"),
        ("``b ` c``", "code", "b ` c"),
        ("***both***", "**", "both"),
        ("***both***", "*", "both"),
        ("**bold *and italic***", "*", "and italic"),
        ("# Title\ntext", "#", "Title"),
        ("### Title", "###", "Title"),
        ("#### Title", "**", "Title"),
        ("Title\n=====", "#", "Title"),
        ("> quoted", ">", "quoted\n"),
        ("> a\n> > b", ">", "a\nb\n"),
        ("it is ||hidden||", "||", "hidden"),
    ],
)
def test_what_discord_has_keeps_its_form(markdown: str, style: str, text: str) -> None:
    assert shown(markdown).styled(style).rstrip("\n") == text.rstrip("\n")


@pytest.mark.parametrize(
    "text",
    [
        "5 * 3 * 2",
        "snake_case_name and \\_\\_init\\_\\_.py",
        "a || b || c",
        "2 ~~ 3 ~~ 4",
        "List<int> and <CoT>",  # case 7
        "C:\\new\\*",
        "¯\\_(ツ)_/¯",
        "#hashtag",
        "https://example.org/a_b_c~~d~e_f",
        "." * 400,
        "a* n" * 200,
        "[not](a link)",
        "-5 degrees",
    ],
)
def test_text_that_looks_like_markup_is_shown_as_it_is(text: str) -> None:
    assert shown(text).text.strip() == text.replace("\\*", "*").replace("\\_", "_")


@pytest.mark.parametrize("text", ["# no heading", "> no quote", "- no item", "1. none", "-# no"])
def test_a_line_that_looks_like_a_block_is_none(text: str) -> None:
    escaped = text.replace("1.", "1\\.") if text[0] == "1" else f"\\{text}"
    found = shown(f"first\n{escaped}")
    assert found.text == f"first\n{text}"
    assert all(styles == frozenset() for _, styles in found.seen)


def test_links_lead_where_they_say_and_show_no_preview_of_themselves() -> None:
    found = shown("see [the *docs*](https://example.org/a_(b)) and <https://example.org/c>")
    assert found.links == [("the docs", "https://example.org/a_%28b%29")]
    assert "https://example.org/c" in found.text


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("[mail](mailto:a@example.org)", "mail (mailto:a@example.org)"),
        ("![a cat](https://example.org/cat.png)", "a cat"),
        ("[a] [b](https://example.org)", "[a] b"),
        ("[x [y]](https://example.org)", "x [y] (https://example.org)"),
        ("[https://good.example](https://evil.example)", "https:\u200b//good.example"),
    ],
)
def test_links_of_other_kinds_stay_readable(markdown: str, text: str) -> None:
    assert shown(markdown).text == text


def test_case_5_bullets_are_no_emphasis() -> None:
    found = shown("* item one\n* item two with *emphasis*")
    assert found.text == "• item one\n• item two with emphasis\n"
    assert found.styled("*") == "emphasis"


def test_lists_keep_their_numbers_their_depth_and_their_boxes() -> None:
    (part,) = render("3. three\n4. four\n   - deep\n     - deeper\n- [x] done\n- [ ] open")
    assert part.text == ("3. three\n4. four\n   - deep\n     - deeper\n- ☑ done\n- ☐ open")


def test_a_narrow_table_is_drawn_and_a_wide_one_becomes_a_list() -> None:
    narrow = shown("| a | b |\n|---|---|\n| 1 | `2` |")
    assert narrow.code == [("", "a | b\n--+--\n1 | 2")]
    cells = [f"column {number} of the table" for number in range(12)]
    wide = f"|{'|'.join(cells)}|\n|{'---|' * 12}\n|{'|'.join(f'v{n}' for n in range(12))}|"
    text = shown(wide).text
    assert all(f"column {number} of the table: v{number}" in text for number in range(12))


@pytest.mark.parametrize("code", ["`_`", "`a_`", "```\na\n_\n```"])
def test_no_emphasis_begins_in_a_word_and_ends_in_code(code: str) -> None:
    assert "snake_case" in shown(f"snake_case and\n\n{code}").text


def test_a_deep_heading_is_not_ended_by_the_stars_in_its_code() -> None:
    assert shown("##### Of `**kwargs` and more\n\ntext").text == "Of **kwargs and more\n\ntext"


def test_paragraphs_of_a_quote_are_one_quote_wherever_it_is_cut() -> None:
    found = shown("> one\n>\n> two\n\nthree")
    assert found.text == "one\n\ntwo\n\nthree"
    assert found.styled(">") == "one\n\ntwo\n"
    parts = render("\n>\n".join(f"> {'word ' * 15}{number}" for number in range(20)), limit=100)
    assert len(parts) == 20
    assert not any(">" in read(part.text).text for part in parts)


def test_a_narrow_table_with_links_is_a_list_whose_links_can_be_followed() -> None:
    found = shown("| tool | what |\n|---|---|\n| [uv](https://example.org/uv) | packages |")
    assert found.code == []
    assert found.links == [("uv", "https://example.org/uv")]


def test_cells_beyond_a_tables_columns_are_shown() -> None:
    text = shown("| sign | meaning |\n|---|---|\n| or | a || b |\n| and | a && b |").text
    assert "or   | a       |  | b" in text


def test_a_footnote_is_no_address() -> None:
    assert (
        shown("So they say[^1].\n\n[^1]: Aristotle.").text == "So they say[^1].\n\n[^1]: Aristotle."
    )


def test_an_address_that_no_link_leads_to_is_shown() -> None:
    text = shown("See [one].\n\n[one]: https://example.org/1\n[two]: https://example.org/2").text
    assert text == "See one.\n\n[two]: https://example.org/2"


def test_case_1_code_without_a_line_break_fits_and_stays_code() -> None:
    parts = render("```json\n" + "x" * 3000 + "\n```")
    assert [len(part.text) <= LIMIT for part in parts] == [True, True]
    code = [one for part in parts for one in read(part.text).code]
    assert [language for language, _ in code] == ["json", "json"]
    assert "".join(text for _, text in code) == "x" * 3000


def test_case_3_a_fence_of_any_kind_is_kept_across_parts() -> None:
    lines = [f"    line {number}" for number in range(300)]
    for fence in ("```", "~~~", "````"):
        parts = render("\n".join([f"{fence}py", *lines, fence]))
        code = [one for part in parts for one in read(part.text).code]
        assert len(parts) > 1
        assert {language for language, _ in code} == {"py"}
        # Case 4: the indentation of a part's first line is kept.
        assert [line for _, text in code for line in text.split("\n")] == lines


def test_case_3_a_fence_within_code_does_not_end_it() -> None:
    found = shown("````md\n```py\nx\n```\n````")
    ((language, text),) = found.code
    assert language == "md"
    assert text.replace("\u200b", "") == "```py\nx\n```"


def test_a_piece_of_code_without_anything_to_see_is_left_out() -> None:
    (part,) = render("```py\n\n" + "y" * 1_985 + "\n```")
    assert read(part.text).code == [("py", "y" * 1_985)]
    assert read(render("a\n\n```py\n\n\n```\n\nb")[0].text).text == "a\n\n\nb"


def test_case_6_nothing_is_ever_appended_to_a_closing_fence() -> None:
    parts = render("```py\n" + "x = 1\n" * 600 + "```\nafter")
    assert all(read(part.text).text.count("```") == 0 for part in parts)
    assert all(part.text.count("```") % 2 == 0 for part in parts)


def test_case_8_no_character_is_taken_apart() -> None:
    family = "👨‍👩‍👧‍👦"
    for shift in range(8):
        parts = render("a" * shift + family * 400)
        assert all(len(part.text) <= LIMIT for part in parts)
        assert all(part.text.strip("a").replace(family, "") == "" for part in parts)


def test_case_9_a_part_is_never_blank() -> None:
    for text in ("\n" * 5000, "a" * 2000 + "\n" * 3000 + "b", "> \n" * 50, "&nbsp;", "\u200b"):
        assert all(read(part.text).text.strip("\u200b \n") for part in render(text)[:1] or [])
        assert [part for part in render(text) if not part.text.strip()] == []


def test_case_10_what_is_longer_than_a_message_is_cut_and_goes_on_as_it_was() -> None:
    words = ("word " * 1000).strip()
    bold = render(f"**{words}**")
    assert len(bold) == 3
    assert "".join(read(part.text).styled("**").replace(" ", "") for part in bold) == "word" * 1000
    link = render(f"[{words}](https://example.org)")
    assert "https://example.org" in read(link[-1].text).text
    long_word = render("z" * 10_000)
    assert "".join(part.text for part in long_word) == "z" * 10_000


def test_case_10_code_in_a_line_that_is_longer_than_a_message_stays_code() -> None:
    code = "word `` " * 700
    parts = render(f"before ```{code}``` after")
    assert all(len(part.text) <= LIMIT for part in parts)
    shown = "".join(read(part.text).styled("code") for part in parts)
    assert shown.replace(" ", "").replace("\u200b", "") == code.replace(" ", "")


def test_a_heading_goes_along_with_what_it_is_the_heading_of() -> None:
    parts = render("text\n" * 390 + "\n## Heading\n\n" + "more " * 50)
    assert parts[1].text.startswith("## Heading")


def test_a_part_ends_at_a_blank_line_if_one_is_near() -> None:
    first, second = render("a " * 700 + "\n\n" + "b " * 500)
    assert "b" not in first.text
    assert second.text.startswith("b")


def test_questions_approvals_and_status_stand_on_a_card() -> None:
    for style in (Style.QUESTION, Style.APPROVAL, Style.STATUS):
        (part,) = render("May I **delete** it?", style)
        assert part.payload == Card(style)
        assert part.text == "May I **delete** it?"


def test_a_growing_text_has_a_cursor_and_only_its_end_changes() -> None:
    text = "# A\n\n" + "word " * 1000
    for end in range(100, len(text), 700):
        parts = preview(text[:end])
        assert parts[-1].text.endswith(" ▉")
        assert [part.text for part in parts[:-1]] == [
            part.text for part in render(text)[: len(parts) - 1]
        ]


def test_the_cursor_of_growing_code_stands_in_the_code() -> None:
    (part,) = preview("```py\nx = 1\ny")
    assert read(part.text).code == [("py", "x = 1\ny ▉")]


def test_case_18_a_text_of_any_length_fits_while_it_grows() -> None:
    for length in (1_990, 1_999, 2_000, 2_001, 10_000):
        assert all(len(part.text) <= LIMIT for part in preview("x" * length))


def test_nothing_to_see_makes_no_part() -> None:
    assert list(render("")) == []
    assert list(preview("  \n")) == []


def test_emphasis_in_emphasis_without_end_is_no_failure() -> None:
    assert len(render("**a " * 5_000 + "b**" * 5_000)) > 1
