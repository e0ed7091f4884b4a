"""No path leads out of a chat's folder, whatever it looks like and whatever lies in the folder."""

import os
import socket
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from tests.gateway.tools.using_files import SECRET, use

# Every way out that we could think of; each has to fail with every tool that takes a path.
ESCAPES = [
    "../secret.txt",
    "../../secret.txt",
    "notes/../../secret.txt",
    "./../secret.txt",
    ".././secret.txt",
    "..//secret.txt",
    "../workspace/../secret.txt",
    "inside/../../secret.txt",
    "..",
    "../",
    "../.",
    "..\\secret.txt",
    "..\\..\\secret.txt",
    "notes\\..\\..\\secret.txt",
    "%2e%2e/secret.txt",
    "..%2fsecret.txt",
    "%2e%2e%2fsecret.txt",
    "..\u2215secret.txt",
    "\u2024\u2024/secret.txt",
    "\uff0e\uff0e/secret.txt",
    "..\0/secret.txt",
    "notes/\0../secret.txt",
    "../secret.txt\0.md",
    "..\n/secret.txt",
    "{absolute}",
    "/{absolute}",
    "//{absolute}",
    "file://{absolute}",
    "~/secret.txt",
    "~root/secret.txt",
    "$HOME/secret.txt",
    "link-to-secret",
    "link-to-parent/secret.txt",
    "link-to-link",
    "link-to-root{absolute}",
    "LINK-TO-SECRET",
    "dangling",
    "Link-To-Parent/secret.txt",
    "/proc/self/environ",
    "/proc/self/cwd/secret.txt",
    "/proc/self/root{absolute}",
    "/dev/zero",
    "/dev/stdin",
    "/etc/passwd",
    "pipe",
    "socket",
    "C:\\secret.txt",
    "C:/secret.txt",
    "\\\\server\\share\\secret.txt",
    "a/" * 40 + "../" * 41 + "secret.txt",
]


@pytest.mark.parametrize("escape", ESCAPES)
async def test_no_path_leads_out_of_the_workspace(
    root: Path, monkeypatch: pytest.MonkeyPatch, escape: str
) -> None:
    outside = root.parent / "secret.txt"
    (root / "inside").mkdir()
    (root / "link-to-secret").symlink_to(outside)
    (root / "link-to-parent").symlink_to(root.parent)
    (root / "link-to-link").symlink_to("link-to-secret")
    (root / "link-to-root").symlink_to("/")
    (root / "dangling").symlink_to(root.parent / "new.txt")
    os.mkfifo(root / "pipe")
    monkeypatch.chdir(root)  # a socket's name has to be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
    path = escape.replace("{absolute}", str(outside))
    before = sorted(one.name for one in root.parent.iterdir())
    results = [
        await use("read_file", root, path=path),
        await use("write_file", root, path=path, content="overwritten"),
        await use("patch", root, path=path, old_string="swordfish", new_string="overwritten"),
        await use("search_files", root, pattern="swordfish", path=path),
        await use("search_files", root, pattern="*", path=path, target="files"),
    ]
    assert outside.read_text() == SECRET
    assert sorted(one.name for one in root.parent.iterdir()) == before
    assert not any("swordfish" in result.content for result in results)
    assert not any("root:" in result.content for result in results)


async def test_a_folder_that_becomes_a_link_in_mid_flight_leads_nowhere(root: Path) -> None:
    """A program of the chat exchanges a folder for a link as often as it can."""
    stop = threading.Event()
    folder, aside = root / "folder", root / "aside"
    folder.mkdir()

    def exchange() -> None:
        while not stop.is_set():
            with suppress(OSError):  # the tools make folders in the meantime
                folder.rename(aside)
                folder.symlink_to(root.parent)
            with suppress(OSError):
                folder.unlink()
                aside.rename(folder)

    exchanging = threading.Thread(target=exchange)
    exchanging.start()
    try:
        for _ in range(300):
            result = await use("read_file", root, path="folder/secret.txt")
            assert "swordfish" not in result.content
            await use("write_file", root, path="folder/secret.txt", content="overwritten")
    finally:
        stop.set()
        exchanging.join()
    assert (root.parent / "secret.txt").read_text() == SECRET


@pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "link/secret.txt", "link"])
@pytest.mark.parametrize("section", ["Add File", "Update File", "Delete File", "Move to"])
async def test_no_section_of_a_patch_leads_out(root: Path, section: str, path: str) -> None:
    (root / "link").symlink_to(root.parent)
    (root / "a.txt").write_text("x\n")
    body = {
        "Add File": f"*** Add File: {path}\n+x",
        "Update File": f"*** Update File: {path}\n+x",
        "Delete File": f"*** Delete File: {path}",
        "Move to": f"*** Update File: a.txt\n*** Move to: {path}\n@@\n-x\n+y",
    }[section]
    result = await use("patch", root, patch=f"*** Begin Patch\n{body}\n*** End Patch")
    assert result.is_error
    assert SECRET not in result.content
    assert (root.parent / "secret.txt").read_text() == SECRET
    assert sorted(one.name for one in root.parent.iterdir()) == ["secret.txt", "workspace"]
