"""What holds of any text: changes, marks, masks, and the ends of what is long."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gateway.masking import MASK, Mask
from gateway.tools.approvals import fenced, question_text
from gateway.tools.patching import NoSuchPassage, patched
from gateway.tools.spill import Output
from gateway.tools.tool import Approval, tool, tools_of
from gateway.tools.untrusted import marked
from gateway.workspace.workspace import Workspace

TEXT = st.text(st.sampled_from("ab \n\t<>/|`untrusedys_im"), max_size=200)
LINES = st.lists(st.text(st.sampled_from("abcdef(){}= "), max_size=12), min_size=1, max_size=20)


@given(st.text(max_size=40), st.text(min_size=3, max_size=40), st.text(max_size=40), TEXT)
def test_a_passage_that_occurs_once_is_replaced_and_nothing_else(
    before: str, old: str, after: str, new: str
) -> None:
    text = before + old + after
    assume(old != new and text.find(old) == text.rfind(old))
    assert patched(text, old, new).text == before + new + after


@given(LINES, st.data())
def test_what_is_found_in_spite_of_spaces_leaves_the_other_lines_alone(
    lines: list[str], data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, len(lines) - 1))
    end = data.draw(st.integers(first + 1, len(lines)))
    old = "\n".join(f"  {line.replace(' ', '   ')} " for line in lines[first:end])
    text = "\n".join(lines) + "\n"
    assume(old.strip() and old not in text)
    try:
        done = patched(text, old, "NEW")
    except NoSuchPassage:
        return
    kept = [line for line in done.text.splitlines() if line.strip() != "NEW"]
    assert done.text.count("NEW") == 1
    remaining = iter(lines)
    assert all(any(line == one for one in remaining) for line in kept)  # in their order
    assert len(lines) - len(kept) <= end - first + 1


@given(TEXT, TEXT)
def test_a_marked_text_has_one_beginning_and_one_end(text: str, source: str) -> None:
    lines = marked(text, source).split("\n")
    boundary = lines[1]
    assert lines[-1] == boundary.replace("<", "</", 1)
    inside = "\n".join(lines[2:-1])
    assert boundary not in inside
    assert re.search(r"<\s*/?\s*(untrusted|system)\b|<\|", inside, re.IGNORECASE) is None
    assert len(inside) == len(text)


@given(TEXT)
def test_a_fence_ends_where_its_text_does(text: str) -> None:
    fence, *inside, last = fenced(text).split("\n")
    assert fence == last
    assert all(line.strip() != fence for line in inside)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=st.lists(st.text(st.sampled_from("secrt-"), max_size=30), max_size=12))
def test_a_secret_is_found_however_it_comes_in_pieces(pieces: list[str], tmp_path: Path) -> None:
    mask = Mask(["secret-secret", "tertres"])
    output = Output(Workspace(tmp_path), "x", max_chars=10_000, mask=mask)
    for piece in pieces:
        output.write(piece)
    whole = output.finish()
    assert "secret-secret" not in whole
    assert "tertres" not in whole
    said = "".join(pieces)
    assert (whole == said) is (MASK not in mask.text(said))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(text=st.text(min_size=1, max_size=3_000), limit=st.integers(400, 1_000))
def test_what_is_long_is_kept_whole_and_shown_by_its_ends(
    text: str, limit: int, tmp_path: Path
) -> None:
    output = Output(Workspace(tmp_path), "x", max_chars=limit)
    output.write(text)
    shown = output.finish()
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= limit:
        assert shown == encoded.decode()
        return
    assert len(shown.encode()) <= limit
    path = re.search(r"All of it is in (tool-results/\S+);", shown)
    assert path
    assert (tmp_path / path[1]).read_bytes() == encoded
    (tmp_path / path[1]).unlink()


@pytest.mark.parametrize("old", ["", " ", "\n"])
def test_nothing_can_not_be_quoted(old: str) -> None:
    with pytest.raises(NoSuchPassage):
        patched("no such\tthing", old + "\x00", "new")


class Family:
    """One tool."""

    @tool()
    async def run(self, context: object, command: str) -> str:
        """Runs."""
        return command


PIECES = ["\n" * 20, " " * 50, "```", "~~~", *"`~ \n\t\r>#-*qz\u200b\u3000\ufe0f\u2028"]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_all_of_what_is_asked_about_is_in_one_code_block(text: str) -> None:
    asked = Approval("run", "run", f"{fenced(text)}\nThe reason.", always=True)
    shown = question_text(tools_of(Family(), "own")[0], asked, "Ada")
    blocks = [token for token in MarkdownIt().parse(shown) if token.type == "fence"]
    assert [block.info for block in blocks] == [""]
    for letter in "`~>#-*qz":
        assert blocks[0].content.count(letter) == text.count(letter)
    assert shown.endswith("\nThe reason.")
