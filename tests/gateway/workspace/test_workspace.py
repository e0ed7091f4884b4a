"""A chat's folder: what is put in comes out, and nothing ever leads out of it."""

import gc
import os
import socket
import stat
import time
from pathlib import Path

import pytest

from gateway.workspace.errors import (
    AlreadyThere,
    NotEmpty,
    NotThere,
    WorkspaceError,
    WorkspaceFull,
    WrongKind,
)
from gateway.workspace.paths import PARTIAL_PREFIX
from gateway.workspace.workspace import STALE_PARTIAL_S, Workspace, Workspaces
from tests.gateway.workspace.using import SECRET, put, read


def partials(workspace: Workspace) -> list[Path]:
    return list(workspace.root.rglob(f"{PARTIAL_PREFIX}*"))


def test_what_is_written_can_be_read_listed_and_removed(workspace: Workspace) -> None:
    put(workspace, "notes/plan.md", b"plan")
    assert read(workspace, "notes/plan.md") == b"plan"
    assert [entry.path for entry in workspace.list()] == ["notes"]
    assert [(e.path, e.size_bytes) for e in workspace.list("notes")] == [("notes/plan.md", 4)]
    assert not workspace.stat("notes/plan.md").is_folder
    with pytest.raises(NotEmpty):
        workspace.remove("notes")
    workspace.remove("notes/plan.md")
    workspace.remove("notes")
    assert workspace.list() == []


def test_only_the_owner_of_the_process_can_read_what_is_written(workspace: Workspace) -> None:
    put(workspace, "notes/plan.md")
    modes = [stat.S_IMODE(p.stat().st_mode) for p in (workspace.root / "notes").glob("*")]
    assert modes == [0o600]
    assert stat.S_IMODE((workspace.root / "notes").stat().st_mode) == 0o700


def test_a_file_is_replaced_only_if_that_is_said(workspace: Workspace) -> None:
    put(workspace, "a.txt", b"old")
    with pytest.raises(AlreadyThere):
        workspace.create("a.txt", replace=False)
    put(workspace, "a.txt", b"new", replace=True)
    assert read(workspace, "a.txt") == b"new"


def test_a_file_has_its_old_content_until_the_new_one_is_whole(workspace: Workspace) -> None:
    put(workspace, "a.txt", b"old")
    file = workspace.create("a.txt", replace=True)
    file.write(b"half of the new")
    assert read(workspace, "a.txt") == b"old"
    assert [entry.path for entry in workspace.list()] == ["a.txt"]
    file.close()
    assert read(workspace, "a.txt") == b"half of the new"


def test_a_file_that_fails_while_it_is_written_leaves_nothing(workspace: Workspace) -> None:
    file = workspace.create("a.txt", replace=False)
    with pytest.raises(ValueError, match="half"), file:
        raise ValueError(file.write(b"half"), "half")
    assert workspace.list() == []
    assert partials(workspace) == []


def test_a_file_that_nobody_closes_leaves_nothing(workspace: Workspace) -> None:
    workspace.create("a.txt", replace=False).write(b"half")
    gc.collect()
    assert workspace.list() == []
    assert partials(workspace) == []


def test_two_writers_of_one_new_name_do_not_overwrite_each_other(workspace: Workspace) -> None:
    first = workspace.create("a.txt", replace=False)
    second = workspace.create("a.txt", replace=False)
    first.write(b"first")
    first.close()
    second.write(b"second")
    with pytest.raises(AlreadyThere):
        second.close()
    assert read(workspace, "a.txt") == b"first"


def test_files_that_come_in_get_names_of_their_own(workspace: Workspace) -> None:
    paths = [workspace.save_new("inbox", "cat.jpg", [b"a", bytes([n])]) for n in range(3)]
    assert paths == ["inbox/cat.jpg", "inbox/cat-2.jpg", "inbox/cat-3.jpg"]
    assert [read(workspace, path) for path in paths] == [b"a\0", b"a\1", b"a\2"]


def test_a_file_that_comes_in_once_more_is_the_same(workspace: Workspace) -> None:
    contents = [b"a", b"b", b"a", b"b", b"c"]  # as when a kill has cut off what was done with it
    paths = [workspace.save_new("inbox", "cat.jpg", [content]) for content in contents]
    assert paths == [f"inbox/cat{number}.jpg" for number in ("", "-2", "", "-2", "-3")]


def test_a_link_to_the_same_content_is_not_the_same_file(
    workspace: Workspace, outside: Path
) -> None:
    (workspace.prepare() / "inbox").mkdir()
    (workspace.root / "inbox" / "cat.jpg").symlink_to(outside)
    assert workspace.save_new("inbox", "cat.jpg", [outside.read_bytes()]) == "inbox/cat-2.jpg"


def test_a_link_to_a_file_is_not_followed(workspace: Workspace, outside: Path) -> None:
    (workspace.prepare() / "link").symlink_to(outside)
    with pytest.raises(WrongKind):
        workspace.open_read("link")
    with pytest.raises(WrongKind):
        workspace.create("link", replace=True)
    with pytest.raises(WrongKind):
        workspace.stat("link")
    assert outside.read_text() == SECRET


def test_a_link_to_a_folder_is_not_followed(workspace: Workspace, outside: Path) -> None:
    (workspace.prepare() / "up").symlink_to(outside.parent)
    for attempt in (
        lambda: workspace.open_read("up/secret.txt"),
        lambda: workspace.create("up/new.txt", replace=True),
        lambda: workspace.save_new("up", "new.txt", [b"x"]),
        lambda: workspace.list("up"),
        lambda: workspace.stat("up/secret.txt"),
        lambda: workspace.remove("up/secret.txt"),
    ):
        with pytest.raises(WrongKind):
            attempt()
    assert sorted(p.name for p in outside.parent.iterdir()) == ["secret.txt", "workspaces"]


def test_a_link_in_the_place_of_the_workspace_is_not_followed(
    workspace: Workspace, outside: Path
) -> None:
    workspace.root.parent.mkdir()
    workspace.root.symlink_to(outside.parent)
    with pytest.raises(WorkspaceError):
        workspace.open_read("secret.txt")


def test_removing_a_link_removes_the_link_alone(workspace: Workspace, outside: Path) -> None:
    (workspace.prepare() / "link").symlink_to(outside)
    workspace.remove("link")
    assert outside.read_text() == SECRET
    assert workspace.list() == []


def test_a_link_that_is_put_in_after_the_check_is_replaced_and_not_followed(
    workspace: Workspace, outside: Path
) -> None:
    file = workspace.create("a.txt", replace=True)
    (workspace.root / "a.txt").symlink_to(outside)
    file.write(b"new")
    file.close()
    assert outside.read_text() == SECRET
    assert read(workspace, "a.txt") == b"new"


def test_pipes_and_sockets_are_not_opened_and_not_shown(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workspace.prepare()
    monkeypatch.chdir(root)  # the address of a socket is short
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        for name in ("pipe", "socket"):
            with pytest.raises(WrongKind):
                workspace.open_read(name)
            with pytest.raises(WrongKind):
                workspace.create(name, replace=True)
    assert workspace.list() == []


def test_folders_and_files_are_not_taken_for_each_other(workspace: Workspace) -> None:
    put(workspace, "folder/file")
    with pytest.raises(WrongKind):
        workspace.open_read("folder")
    with pytest.raises(WrongKind):
        workspace.create("folder", replace=True)
    with pytest.raises(WrongKind):
        workspace.create("folder/file/inner", replace=False)
    with pytest.raises(WrongKind):
        workspace.list("folder/file")


def test_what_is_not_there_is_said_so(workspace: Workspace) -> None:
    assert workspace.list() == []
    for attempt in (workspace.open_read, workspace.stat, workspace.remove, workspace.list):
        with pytest.raises(NotThere):
            attempt("missing/file")


def test_a_full_workspace_takes_nothing_more(tmp_path: Path) -> None:
    small = Workspaces(tmp_path, 10).of("telegram:dm:1")
    put(small, "a", b"12345678")
    with pytest.raises(WorkspaceFull), small.create("b", replace=False) as file:
        file.write(b"123")  # which does not fit
    assert [entry.path for entry in small.list()] == ["a"]
    put(small, "b", b"12")
    with pytest.raises(WorkspaceFull):
        small.save_new("inbox", "c", [b"1"])
    small.remove("a")
    put(small, "c", b"1")


def test_what_a_kill_left_half_written_is_removed_after_a_day(workspace: Workspace) -> None:
    old, new = (workspace.prepare() / f"{PARTIAL_PREFIX}{name}" for name in ("old", "new"))
    for file in (old, new):
        file.write_bytes(b"123")
    os.utime(old, times=(0, time.time() - STALE_PARTIAL_S - 60))
    assert workspace.used_bytes() == 3
    assert partials(workspace) == [new]


def test_a_chat_that_moves_takes_its_files_along(tmp_path: Path) -> None:
    workspaces = Workspaces(tmp_path)
    old, new = workspaces.of("telegram:group:-1"), workspaces.of("telegram:group:-100")
    put(old, "a.txt", b"a")
    workspaces.move("telegram:group:-1", "telegram:group:-100")
    assert read(new, "a.txt") == b"a"
    put(old, "a.txt", b"another")
    workspaces.move("telegram:group:-1", "telegram:group:-100")
    assert read(new, "moved/a.txt") == b"another"
    workspaces.move("telegram:group:-1", "telegram:group:-100")  # nothing is left there


def test_a_chat_that_is_forgotten_leaves_no_files(tmp_path: Path) -> None:
    workspaces = Workspaces(tmp_path)
    put(workspaces.of("telegram:dm:1"), "notes/a.txt")
    workspaces.remove("telegram:dm:1")
    workspaces.remove("telegram:dm:1")
    assert list(tmp_path.iterdir()) == []
