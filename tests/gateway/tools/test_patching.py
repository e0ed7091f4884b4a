"""A passage is found although it was not quoted exactly; never one that was not meant."""

import pytest

from gateway.tools.patching import NoSuchPassage, diff, patched

CODE = """\
def area(width, height):
    if width < 0:
        raise ValueError("width")
    return width * height


def volume(width, height, depth):
    return area(width, height) * depth
"""


def test_an_exact_quotation_is_replaced_once() -> None:
    done = patched(CODE, "width * height", "height * width")
    assert (done.count, done.way) == (1, "exact")
    assert done.text == CODE.replace("width * height", "height * width")


def test_what_occurs_twice_is_refused_with_its_lines_unless_all_are_meant() -> None:
    with pytest.raises(NoSuchPassage, match="occurs 2 times, in lines 1, 7"):
        patched(CODE, "def ", "async def ")
    assert patched(CODE, "def ", "async def ", everywhere=True).text.count("async def ") == 2


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("if width < 0:\n    raise ValueError('w')", "", None),
        ('if width < 0:\n    raise ValueError("width")', "if not width:\n    return 0", 2),
        ("return   area(width,  height) * depth", "return 0", 8),
        ("\n\nreturn width * height\n", "return 1", 4),
    ],
)
def test_other_spaces_do_not_matter_and_the_indentation_is_that_of_the_place(
    old: str, new: str, line: int | None
) -> None:
    if line is None:
        assert patched(CODE, old, "pass").way == "likeness"
        return
    done = patched(CODE, old, new)
    assert done.way == "spaces"
    changed = done.text.splitlines()[line - 1]
    assert changed.strip() == new.splitlines()[0]
    assert changed.startswith("    ")
    compile(done.text, "changed", "exec")


def test_a_passage_that_is_nearly_right_is_found_by_likeness() -> None:
    old = 'def area(width, height):\n    if width <= 0:\n        raise ValueError("width!")'
    done = patched(CODE, old, "def area(width, height):")
    assert done.way == "likeness"
    assert done.text.startswith("def area(width, height):\n    return width * height")


def test_two_places_that_are_alike_are_not_guessed_between() -> None:
    text = "".join(f"value_{n} = compute_something({n})\n" for n in range(1, 4))
    with pytest.raises(NoSuchPassage, match="both like it"):
        patched(text, "value_9 = compute_something(9)", "x = 1")


@pytest.mark.parametrize("old", ["nothing like it at all", "   \n  ", "x" * 5_000])
def test_what_is_not_there_is_said(old: str) -> None:
    with pytest.raises(NoSuchPassage, match="not in the file"):
        patched(CODE, old, "new")


@pytest.mark.parametrize(("old", "new"), [("", "x"), ("same", "same")])
def test_a_change_of_nothing_is_a_mistake(old: str, new: str) -> None:
    with pytest.raises(NoSuchPassage):
        patched(CODE, old, new)


def test_line_ends_and_a_missing_last_one_stay_as_they_are() -> None:
    done = patched("one\r\n  two\r\nthree", "two ", "TWO")
    assert done.text == "one\r\n  TWO\r\nthree"
    assert patched("one\n  last", "last  ", "LAST").text == "one\n  LAST"


def test_a_diff_is_unified_and_has_an_end() -> None:
    text = diff("a\nb\n", "a\nc\n", "notes.md")
    assert text.splitlines()[:2] == ["--- a/notes.md", "+++ b/notes.md"]
    assert "-b" in text
    assert "+c" in text
    long = diff("", "x\n" * 1_000, "notes.md", max_lines=10)
    assert long.splitlines()[-1] == "… 993 more lines"


def test_a_diff_of_texts_that_are_hard_to_compare_takes_no_time() -> None:
    # Each line is like hundreds of others: difflib would take minutes, and keep its thread.
    old, new = ([str(pow(7, k * n, 1_009) % 101) for n in range(200_000)] for k in (1, 5))
    before, after = "\n".join(["same", *old, "1"]), "\n".join(["same", "x", *new, "end"])
    lines = diff(before, after, "a.txt", 10).splitlines()
    assert lines[:3] == ["--- a/a.txt", "+++ b/a.txt", "@@ -2,200001 +2,200002 @@"]
    assert len(lines) == 11


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        (["a"], ["a", "b"], ["@@ -6002,0 +6002,1 @@", "+b"]),
        (["a", "b"], ["a"], ["@@ -6002,1 +6002,0 @@", "-b"]),
        (["a", "z"], ["b", "z"], ["@@ -6001,1 +6001,1 @@", "-a", "+b"]),
    ],
)
def test_a_change_of_a_long_text_is_shown_from_its_first_to_its_last_line(
    old: list[str], new: list[str], shown: list[str]
) -> None:
    same = ["same"] * 6_000
    before, after = ("".join(f"{line}\n" for line in same + lines) for lines in (old, new))
    assert diff(before, after, "a.txt").splitlines()[2:] == shown


def test_a_passage_that_is_hard_to_compare_is_given_up() -> None:
    # Two letters only, so that everything is like everything; the ratio alone would take minutes.
    letters = "".join("ab"[pow(7, n, 10_007) % 2] for n in range(2_400))
    base = [letters[start : start + 60] for start in range(0, 2_400, 60)]
    quoted = ["".join(sorted(line)) if n % 9 == 0 else line for n, line in enumerate(base)]
    with pytest.raises(NoSuchPassage, match="quote it exactly"):
        patched("\n".join(base * 2), "\n".join(quoted), "new")


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("a\n", "a\r\n", ["-a", "+a\r"]),
        ("a\n", "a", ["-a", "+a", "\\ No newline at end of file"]),
        ("a\n", "a\u2028b\x0c\n", ["-a", "+a\u2028b\x0c"]),
        ("", "a\r\n", ["+a\r"]),
        ("a\r\nb\r\n", "a\r\nc\r\n", [" a", "-b", "+c"]),
        ("a\r\nb\r\n", "a\r\nc\n", [" a\r", "-b\r", "+c"]),
    ],
)
def test_what_a_change_does_to_the_ends_of_lines_is_in_its_diff(
    before: str, after: str, shown: list[str]
) -> None:
    assert diff(before, after, "a.txt").split("\n")[3:] == shown


def test_a_passage_that_overlaps_itself_is_not_guessed() -> None:
    with pytest.raises(NoSuchPassage, match="occurs 2 times"):
        patched("ababa", "aba", "x")
    assert patched("ababa", "aba", "x", everywhere=True).text == "xba"
