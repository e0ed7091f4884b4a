"""What a path may look like, and what becomes of a name from outside."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.workspace.errors import (
    BadPath,
)
from gateway.workspace.paths import MAX_NAME_BYTES, PARTIAL_PREFIX, folder_of, parts_of, safe_name
from gateway.workspace.workspace import Workspace


@pytest.mark.parametrize(
    ("given_name", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("...", "file"),
        ("", "file"),
        (".bashrc", "bashrc"),
        ("a\0b\n.txt", "a_b_.txt"),
        ("invoice\u202efdp.exe", "invoice_fdp.exe"),
        ("$(rm -rf).sh", "_(rm -rf).sh"),
        ("-rf", "-rf"),
        ("Ünïcode 猫.png", "Ünïcode 猫.png"),
        (".partial-00", "partial-00"),
    ],
)
def test_a_name_from_outside_is_made_safe(given_name: str, kept: str) -> None:
    assert safe_name(given_name) == kept


@given(st.text(max_size=400))
def test_any_name_from_outside_is_one_part_of_a_path(name: str) -> None:
    safe = safe_name(name)
    assert parts_of(safe) == (safe,)
    assert len(safe.encode()) < MAX_NAME_BYTES - 8


def test_a_very_long_name_keeps_its_suffix() -> None:
    assert safe_name("猫" * 300 + ".jpeg").endswith("猫.jpeg")


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "./.",
        "../secret.txt",
        "notes/../../secret.txt",
        "..",
        "/etc/passwd",
        "//etc/passwd",
        "~/secret.txt",
        "..\\secret.txt",
        "notes\\plan.md",
        "a\0.txt",
        "a\n.txt",
        "\x1b[2J",
        "\ud800",
        "x" * 256,
        "a/" * 33 + "b",
        f"{PARTIAL_PREFIX}0",
        f"a/{PARTIAL_PREFIX}0/b",
    ],
)
def test_a_path_that_is_none_in_the_workspace_is_refused(workspace: Workspace, path: str) -> None:
    workspace.prepare()
    with pytest.raises(BadPath):
        workspace.open_read(path)
    with pytest.raises(BadPath):
        workspace.create(path, replace=True)
    with pytest.raises(BadPath):
        workspace.stat(path)
    with pytest.raises(BadPath):
        workspace.remove(path)


@given(st.text(alphabet="./\\~a\0 \n%2eé", max_size=30))
def test_no_path_at_all_leads_out(path: str) -> None:
    root = Path("/nowhere/workspace")
    try:
        parts = parts_of(path)
    except BadPath:
        return
    assert root in (root.joinpath(*parts) / "x").parents
    assert ".." not in parts


def test_no_two_chats_share_a_folder() -> None:
    keys = ["telegram:dm:1", "telegram:dm-1", "telegram_dm_1", "web:../../x", "web:" + "x" * 500]
    folders = {folder_of(key) for key in keys}
    assert len(folders) == len(keys)
    assert all(parts_of(folder) == (folder,) for folder in folders)
