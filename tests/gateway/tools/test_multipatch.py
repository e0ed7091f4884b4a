"""Patches of several files: worked out as meant, or refused with a reason and nothing changed."""

import pytest

from gateway.tools.multipatch import BadPatch, Change, changes_of

AREA = """\
def area(width, height):
    return width * height


def rim(width, height):
    return 2 * (width + height)
"""


def worked_out(sections: str, **files: str) -> dict[str, str | None]:
    """What becomes of which files; `a_py` is a.py."""
    named = {name.replace("_", "."): text for name, text in files.items()}
    patch = f"*** Begin Patch\n{sections}\n*** End Patch\n"
    return {change.path: change.after for change in changes_of(patch, named.get)}


def test_files_are_added_changed_moved_and_deleted_at_once() -> None:
    sections = (
        "*** Add File: new/list.md\n+one\n+\n+two\n"
        "*** Update File: a.py\n@@\n def area(width, height):\n"
        "-    return width * height\n+    return height * width\n"
        "*** Update File: b.txt\n*** Move to: c.txt\n@@\n-old\n+new\n"
        "*** Delete File: d.txt"
    )
    assert worked_out(sections, a_py=AREA, b_txt="old\n", d_txt="gone\n") == {
        "new/list.md": "one\n\ntwo\n",
        "a.py": AREA.replace("width * height", "height * width"),
        "b.txt": None,
        "c.txt": "new\n",
        "d.txt": None,
    }


def test_a_hint_says_which_of_two_places_is_meant() -> None:
    text = "[one]\nsize = 1\n\n[two]\nsize = 1\n"
    update = "*** Update File: a.ini\n{}\n-size = 1\n+size = 2"
    with pytest.raises(BadPatch, match=r"a\.ini: .*occurs 2 times"):
        worked_out(update.format("@@"), a_ini=text)
    assert worked_out(update.format("@@ [two]"), a_ini=text) == {
        "a.ini": "[one]\nsize = 1\n\n[two]\nsize = 2\n"
    }


def test_only_whole_lines_are_meant() -> None:
    update = "*** Update File: a.txt\n@@\n-x = 1\n+x = 2"
    assert worked_out(update, a_txt="max = 1\nx = 1\nx = 10\n") == {
        "a.txt": "max = 1\nx = 2\nx = 10\n"
    }


def test_several_passages_follow_each_other_and_spaces_may_differ() -> None:
    sections = (
        "*** Update File: a.py\n@@ def area(width, height):\n-  return width  * height\n"
        "+  return 0\n@@ def rim(width, height):\n+    # twice\n*** End of File"
    )
    assert worked_out(sections, a_py=AREA) == {
        "a.py": AREA.replace("width * height", "0").replace(
            "rim(width, height):\n", "rim(width, height):\n    # twice\n"
        )
    }


def test_lines_without_a_place_come_at_the_end() -> None:
    assert worked_out("*** Update File: a.txt\n+two", a_txt="one") == {"a.txt": "one\ntwo\n"}


def test_a_file_can_be_emptied_of_a_passage() -> None:
    assert worked_out("*** Update File: a.txt\n-one", a_txt="one\ntwo\n") == {"a.txt": "two\n"}


def test_one_file_by_two_names_is_one() -> None:
    sections = "*** Update File: a.txt\n-one\n+1\n*** Update File: ./a.txt\n-two\n+2"
    assert worked_out(sections, a_txt="one\ntwo\n") == {"a.txt": "1\n2\n"}


def test_what_was_there_before_is_told() -> None:
    patch = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch"
    assert changes_of(patch, {"a.txt": "one\n"}.get) == [Change("a.txt", "one\n", None)]


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ("", "begins with"),
        ("*** Begin Patch\n*** Delete File: a.txt", "ends with"),
        ("*** Begin Patch\n*** End Patch", "changes no file"),
        ("*** Begin Patch\n+one\n*** End Patch", "belongs to no file"),
        ("*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch", "is there already"),
        ("*** Begin Patch\n*** Add File: b.txt\nx\n*** End Patch", r"begins with \+"),
        ("*** Begin Patch\n*** Delete File: b.txt\n*** End Patch", "is not there"),
        ("*** Begin Patch\n*** Update File: b.txt\n+x\n*** End Patch", "is not there"),
        ("*** Begin Patch\n*** Update File: a.txt\n*** End Patch", "says no change"),
        (
            "*** Begin Patch\n*** Update File: a.txt\n@@\n-three\n+x\n*** End Patch",
            "not in the file",
        ),
        ("*** Begin Patch\n*** Update File: a.txt\n@@ no\n+x\n*** End Patch", "no line reads"),
        ("*** Begin Patch\n*** Update File: a.txt\n!x\n*** End Patch", "neither space"),
        (
            "*** Begin Patch\n*** Update File: a.txt\n*** Move to: a2.txt\n*** End Patch",
            "a2.txt is",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_a_reason(patch: str, said: str) -> None:
    with pytest.raises(BadPatch, match=said):
        changes_of(patch, {"a.txt": "one\ntwo\n", "a2.txt": "x"}.get)
