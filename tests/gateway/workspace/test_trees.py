"""Folders as programs leave them: too deep, locked, oddly named, full of nothing."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.workspace import trees
from gateway.workspace.errors import (
    WorkspaceFull,
)
from gateway.workspace.workspace import Workspace, Workspaces
from tests.gateway.workspace.using import put


def nest(workspace: Workspace, depth: int) -> None:
    """So many folders, each in the one before."""
    folder = os.open(workspace.prepare(), os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("in", dir_fd=folder)
        inner = os.open("in", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)


def test_folders_nested_without_end_leave_no_room_and_hide_nothing(tmp_path: Path) -> None:
    workspaces = Workspaces(tmp_path / "workspaces")
    workspace = workspaces.of("a")
    put(workspace, "here.txt")
    nest(workspace, 1_050)
    assert workspace.room_bytes() == 0
    with pytest.raises(WorkspaceFull):
        put(workspace, "more.txt")
    assert [entry.path for entry in workspace.files()] == ["here.txt"]
    workspaces.remove("a")  # pytest could not


def test_folders_nested_without_end_can_be_deleted(tmp_path: Path) -> None:
    workspaces = Workspaces(tmp_path / "workspaces")
    nest(workspaces.of("a"), 1_050)
    (outside := tmp_path / "kept.txt").write_text("kept")
    (workspaces.of("a").root / "link").symlink_to(outside)
    workspaces.remove("a")
    assert not workspaces.of("a").root.exists()
    assert outside.read_text() == "kept"
    workspaces.remove("a")


def test_folders_with_odd_names_keep_no_file_from_being_listed(workspace: Workspace) -> None:
    put(workspace, "z.txt")
    (workspace.root / "a\nb").mkdir()
    (workspace.root / "a\nb" / "lost.txt").write_text("x")
    assert [entry.path for entry in workspace.files()] == ["z.txt"]


@pytest.fixture
def nobody() -> Iterator[Path]:
    """A folder, and an ordinary user to whom it belongs: no lock holds for root."""
    folder = Path(tempfile.mkdtemp())
    user = os.geteuid()
    if user == 0:
        os.chown(folder, 65_534, -1)
        os.seteuid(65_534)
    yield folder
    os.seteuid(user)
    shutil.rmtree(folder)


def test_a_locked_folder_hides_nothing_and_can_be_deleted(nobody: Path) -> None:
    workspaces = Workspaces(nobody / "workspaces", 1_000)
    workspace = workspaces.of("a")
    put(workspace, "locked/large.bin", b"x" * 900)
    (workspace.root / "locked").chmod(0)
    assert workspace.room_bytes() == 100
    (workspace.root / "locked").chmod(0)
    workspaces.remove("a")
    assert not workspace.root.exists()


def test_names_without_anything_in_them_take_room_as_well(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "FREE_NAMES", 100)
    for name in range(60):
        (workspace.prepare() / f"folder-{name}").mkdir()
        (workspace.root / f"folder-{name}" / "empty.txt").touch()
    assert workspace.used_bytes() == 20 * trees.NAME_BYTES
