"""What holds for any Markdown: limits, order, completeness, and nothing read as what it is not."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from adapters.base import Part
from adapters.discord.rendering import preview, render
from adapters.text.characters import is_blank
from tests.adapters.discord.reading import read
from tests.corpus.answers import read_answers

LETTERS = "alpha beta, gamma. 路面電車 Straße क्‍ष مرحبا می‌خواهم 👨‍👩‍👧‍👦 👍🏽 🇩🇪 𝕳𝖊𝖑𝖑𝖔 e\u0301"
OTHERS = "List<int> a_b 2*3 https://example.org/x_y snake_case $5 \\* &amp; ~~ || [x] (y) `"
WORDS = st.sampled_from([*LETTERS.split(), *OTHERS.split(), "w" * 300, "👍" * 150])
TEXT = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)
PLAIN = st.lists(st.sampled_from(LETTERS.split()), min_size=1, max_size=12).map(" ".join)
INLINE = st.one_of(
    TEXT,
    *(PLAIN.map(form.format) for form in ("**{}**", "*{}*", "~~{}~~", "**a *{}* `c` b**")),
    st.sampled_from(["`code`", "``a ` b``", "[`c`](https://example.org)", "![i](./x.png)"]),
    PLAIN.map("[{}](https://example.org/p)".format),
)
LINE = st.lists(INLINE, min_size=1, max_size=4).map(" ".join)
CODE_LINE = st.one_of(
    st.text("ab {}()*_<>\"'#:=+👍界\t`", max_size=40),
    st.just("    deep = True"),
    st.just("y" * 500),
)
CODE_LINES = st.lists(CODE_LINE, max_size=30)
FENCES = st.sampled_from(["`````", "~~~~", "~~~~~"])
CODE = st.tuples(FENCES, st.sampled_from(["", "python", "c++"]), CODE_LINES).map(
    lambda made: "\n".join([made[0] + made[1], *made[2], made[0]])
)
BLOCK = st.one_of(
    LINE,
    CODE,
    LINE.map("# {}".format),
    LINE.map("##### {}".format),
    st.lists(LINE, min_size=1, max_size=4).map(lambda items: "\n".join(f"- {i}" for i in items)),
    st.lists(LINE, min_size=1, max_size=3).map(lambda items: "\n".join(f"7. {i}" for i in items)),
    st.tuples(LINE, CODE).map(
        lambda made: f"1. {made[0]}\n\n" + "\n".join(f"   {line}" for line in made[1].split("\n"))
    ),
    LINE.map("> {}".format),
    LINE.map("> > {}".format),
    st.lists(st.sampled_from(["a", "**b**", "`c`", "long cell " * 5]), min_size=2, max_size=5).map(
        lambda cells: f"|{'|'.join(cells)}|\n|{'---|' * len(cells)}\n|{'|'.join(cells)}|"
    ),
    st.just("---"),
)
MARKDOWN = st.lists(BLOCK, max_size=8).map("\n\n".join)
LIMITS = st.sampled_from([100, 137, 500, 2000])


def visible(text: str) -> str:
    """Without what may be lost, or added, at a cut."""
    return "".join(character for character in text if not is_blank(character))


def check_part(part: Part, limit: int) -> None:
    """All that Discord asks of one message."""
    assert 1 <= len(part.text) <= limit
    assert not is_blank(part.text)
    part.text.encode()


@settings(max_examples=100)
@given(markdown=MARKDOWN, limit=LIMITS)
def test_every_part_is_one_that_discord_takes(markdown: str, limit: int) -> None:
    for part in (*render(markdown, limit=limit), *preview(markdown, limit)):
        check_part(part, limit)


@settings(max_examples=100)
@given(markdown=MARKDOWN, limit=st.sampled_from([500, 2000]))
def test_all_text_arrives_once_and_in_order_wherever_it_is_cut(markdown: str, limit: int) -> None:
    parts = render(markdown, limit=limit)
    whole = render(markdown, limit=10_000_000)
    assert visible("".join(map(_text_of, parts))) == visible("".join(map(_text_of, whole)))
    assert _links_of(parts) == _links_of(whole)


Tree = str | tuple[str, list["Tree"]]
TREES: st.SearchStrategy[Tree] = st.recursive(
    st.sampled_from(["word", "a", "`c`"]),
    lambda inner: st.tuples(
        st.sampled_from(["**", "*", "~~"]), st.lists(inner, min_size=1, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=150)
@given(trees=st.lists(TREES, min_size=1, max_size=6), limit=st.sampled_from([100, 2000]))
def test_every_word_has_the_styles_that_it_was_given(trees: list[Tree], limit: int) -> None:
    words: list[tuple[str, frozenset[str]]] = []

    def written(tree: Tree, styles: frozenset[str]) -> str:
        if isinstance(tree, str):
            word = f"{tree.strip('`')}{len(words)}x"
            words.append((word, styles | {"code"} if tree[0] == "`" else styles))
            if tree[0] != "`":
                return word
            # Two markers beside a backtick may begin or end emphasis (CommonMark, "Emphasis and
            # strong emphasis"): a letter between makes what is meant clear.
            return f"o`{word}`o" if len(styles) > 1 else f"`{word}`"
        marker, inner = tree
        if marker in styles:  # the same again within itself says nothing
            return " ".join(written(one, styles) for one in inner)
        # Markers are told apart by what stands between them.
        return f"{marker}{' '.join(written(one, styles | {marker}) for one in inner)}{marker}"

    markdown = " ".join(written(tree, frozenset()) for tree in trees)
    seen = [one for part in render(markdown, limit=limit) for one in read(part.text).seen]
    shown = "".join(character for character, _ in seen)
    for word, styles in words:
        place = shown.index(word)
        assert {seen[place + offset][1] for offset in range(len(word))} == {styles}, word


@settings(max_examples=100)
@given(words=st.lists(st.text("abcäöü界👍", min_size=1, max_size=9), max_size=200), limit=LIMITS)
def test_plain_words_arrive_as_they_were_written(words: list[str], limit: int) -> None:
    parts = render(" ".join(words), limit=limit)
    assert visible("".join(part.text for part in parts)) == "".join(words)


@settings(max_examples=100)
@given(fence=FENCES, lines=CODE_LINES, limit=st.sampled_from([600, 1000, 2000]))
def test_code_keeps_every_line_its_indentation_and_its_language(
    fence: str, lines: list[str], limit: int
) -> None:
    markdown = "\n".join([f"before\n\n{fence}python", *lines, fence, "", "after"])
    found = [one for part in render(markdown, limit=limit) for one in _code_of(part)]
    expected = [line.rstrip() for line in lines if line.strip()]
    got = [line.rstrip() for text in found for line in text.split("\n") if line.strip()]
    assert "".join(got) == "".join(expected)


@settings(max_examples=150)
@given(
    markdown=st.text(st.sampled_from("*_`~[]()!<>|#->1. \n\ta👍\u200d\u0301\\&;:"), max_size=300),
    limit=LIMITS,
)
def test_no_arrangement_of_markup_breaks_anything(markdown: str, limit: int) -> None:
    for part in (*render(markdown, limit=limit), *preview(markdown, limit)):
        check_part(part, limit)


@settings(max_examples=150)
@given(text=st.text(st.sampled_from("*_`~|#->1. \\[]()abc é:/"), max_size=60))
@example("||1| |")
def test_escaped_text_is_read_as_what_it_was(text: str) -> None:
    assume(not re.search(r"\|\|[^|]+\|\|", text))  # spoilers stay what they are, escaped or not
    source = "".join(f"\\{c}" if c in "*_`~|#->.\\[]()!<&:/" else c for c in text)
    shown = "".join(read(part.text).text for part in render(f"x {source} x"))
    assert visible(shown) == visible(f"x{text}x")


@pytest.mark.parametrize("theme", sorted({answer.theme for answer in read_answers()}))
def test_answers_as_models_write_them_arrive_whole(theme: str) -> None:
    for answer in read_answers():
        if answer.theme == theme:
            parts, whole = render(answer.markdown), render(answer.markdown, limit=10_000_000)
            for part in (*parts, *preview(answer.markdown)):
                check_part(part, 2000)
            assert visible("".join(map(_text_of, parts))) == visible(
                "".join(map(_text_of, whole))
            ), answer.name
            fences = sum(part.text.count("```") for part in parts)
            assert fences == 2 * sum(len(_code_of(part)) for part in parts), answer.name


@pytest.mark.parametrize(
    "hostile",
    [
        *("> " * 200, "- " * 5_000 + "x", "|a" * 20_000),
        *("*a " * 20_000, "**a " * 15_000, "_a_" * 20_000, "~~" * 30_000, "||" * 30_000),
        *("[" * 60_000, "[a](" * 15_000, "`" * 60_000, "\\" * 30_000),
    ],
)
def test_a_hostile_text_of_60_kilobytes_is_rendered(hostile: str) -> None:
    for part in render(hostile):
        check_part(part, 2000)


@settings(max_examples=100)
@given(markdown=st.text(max_size=300))
def test_any_text_at_all_can_be_rendered(markdown: str) -> None:
    for part in render(markdown, limit=100):
        check_part(part, 100)


def _text_of(part: Part) -> str:
    """A list that goes on in the next message has its marker in the first one only."""
    return "".join(c for c, styles in read(part.text).seen if "marker" not in styles)


def _links_of(parts: Sequence[Part]) -> list[tuple[str, str]]:
    return [link for part in parts for link in read(part.text).links]


def _code_of(part: Part) -> list[str]:
    return [text.replace("\u200b", "") for _, text in read(part.text).code]
