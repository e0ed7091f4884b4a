"""What a change of files is shown as, and that all of it is made or nothing."""

import json
from pathlib import Path

import pytest

from gateway.workspace.workspace import Workspace
from tests.gateway.tools.calling import called, context_of
from tests.gateway.tools.using_files import TOOLS, use


async def test_what_a_write_would_change_is_asked_about_as_a_diff(root: Path) -> None:
    (root / "a.txt").write_text("old\n")
    for name, arguments in (
        ("write_file", {"path": "a.txt", "content": "new\n"}),
        ("patch", {"path": "a.txt", "old_string": "old", "new_string": "new", "patch": ""}),
    ):
        one = TOOLS[name]
        assert one.approve is not None
        context = context_of(one, Workspace(root))
        assert await one.approve(context, arguments) is None
        context = context_of(one, Workspace(root), must_ask=True)
        approval = await one.approve(context, {"replace_all": False, **arguments})
        assert approval is not None
        assert (approval.kind, approval.pattern) == (name, "a.txt")
        assert "```diff\n--- a/a.txt\n+++ b/a.txt" in approval.text
        assert "-old\n+new" in approval.text


async def test_nothing_of_what_is_asked_about_is_left_out(root: Path) -> None:
    lines = [f"{n}" for n in range(1_500)]
    one = TOOLS["write_file"]
    assert one.approve is not None
    context = context_of(one, Workspace(root), must_ask=True)
    approval = await one.approve(context, {"path": "a.txt", "content": "\n".join(lines)})
    assert approval is not None
    shown = approval.text.splitlines()
    assert [line[1:] for line in shown if line.startswith("+") and line[1:2].isdigit()] == lines


PATCH = """\
*** Begin Patch
*** Add File: notes/new.md
+fresh
*** Update File: a.txt
@@
-old
+new
*** Delete File: b.txt
*** End Patch"""


async def test_a_patch_changes_several_files_or_none(root: Path) -> None:
    (root / "a.txt").write_text("old\n")
    refused = await use("patch", root, patch=PATCH)
    assert refused.content == "Nothing was changed. b.txt is not there."
    assert not (root / "notes").exists()
    assert (root / "a.txt").read_text() == "old\n"
    (root / "b.txt").write_text("gone\n")
    done = await use("patch", root, patch=PATCH)
    for part in ("Wrote notes/new.md.", "Changed a.txt.", "-old\n+new", "Deleted b.txt."):
        assert part in done.content
    assert (root / "a.txt").read_text() == "new\n"
    assert (root / "notes" / "new.md").read_text() == "fresh\n"
    assert not (root / "b.txt").exists()


@pytest.mark.parametrize("second", ["b.txt", "new.txt/b.txt"])
async def test_a_patch_that_fails_half_way_leaves_all_as_it_was(root: Path, second: str) -> None:
    (root / "a.txt").write_text("old\n")
    patch = (
        "*** Begin Patch\n*** Update File: a.txt\n-old\n+new\n*** Add File: new.txt\n+fresh\n"
        f"*** Add File: {second}\n+{'x' * 5_000}\n*** End Patch"
    )
    workspace = Workspace(root, quota_bytes=1_000)
    result = await called(TOOLS["patch"], workspace, patch=patch)
    assert result.is_error
    assert {path.name: path.read_text() for path in root.iterdir()} == {"a.txt": "old\n"}  # noqa: ASYNC240


async def test_all_that_a_patch_would_change_is_asked_about(root: Path) -> None:
    (root / "a.txt").write_text("old\n")
    (root / "b.txt").write_text("gone\n")
    one = TOOLS["patch"]
    assert one.approve is not None
    context = context_of(one, Workspace(root), must_ask=True)
    approval = await one.approve(context, one.read(json.dumps({"patch": PATCH})))
    assert approval is not None
    assert approval.pattern == "notes/new.md\ta.txt\tb.txt"
    for line in ("+fresh", "-old", "+new", "-gone"):
        assert f"\n{line}\n" in approval.text


@pytest.mark.parametrize(
    "arguments",
    [{}, {"path": "a.txt", "old_string": "old"}, {"path": "a.txt", "patch": PATCH}],
)
async def test_half_a_change_changes_nothing(root: Path, arguments: dict[str, str]) -> None:
    (root / "a.txt").write_text("old\n")
    assert (await use("patch", root, **arguments)).is_error
    assert (root / "a.txt").read_text() == "old\n"


async def test_a_yes_to_a_file_with_an_odd_name_is_none_to_two_files(root: Path) -> None:
    tool = TOOLS["patch"]
    assert tool.approve is not None
    context = context_of(tool, Workspace(root), must_ask=True)
    patterns = set()
    for paths in (["a.txt, b.txt"], ["a.txt", "b.txt"]):
        added = "".join(f"*** Add File: {path}\n+x\n" for path in paths)
        given = tool.read(json.dumps({"patch": f"*** Begin Patch\n{added}*** End Patch"}))
        approval = await tool.approve(context, given)
        assert approval is not None
        patterns.add(approval.pattern)
    assert len(patterns) == 2


@pytest.mark.parametrize("size", ["passages", "characters"])
async def test_a_patch_that_would_take_for_ever_is_refused(root: Path, size: str) -> None:
    (root / "a.txt").write_text("x\n" * 1_000)
    change = "@@\n-x\n+y\n" * 101 if size == "passages" else "@@\n-x\n+" + "y" * 200_000 + "\n"
    patch = f"*** Begin Patch\n*** Update File: a.txt\n{change}*** End Patch"
    result = await use("patch", root, patch=patch)
    assert "make it in parts" in result.content
