"""A download that is called off leaves nothing behind, at whatever moment that happens."""

import asyncio
import contextlib
import threading
from pathlib import Path

from adapters.base import Attachment, MediaKind
from gateway.media.fetching import fetch
from gateway.workspace.workspace import Workspace
from gateway.workspace.writing import WorkspaceFile
from tests.fakes.platform import FakePlatform


class SlowDisk(Workspace):
    """A workspace on a disk that takes as long to make a file as the test wants."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.is_asked, self.may_go_on = threading.Event(), threading.Event()
        self.made: list[WorkspaceFile] = []

    def new_file(self, folder: str, name: str) -> WorkspaceFile:
        self.is_asked.set()
        self.may_go_on.wait()
        self.made.append(super().new_file(folder, name))
        return self.made[0]


async def test_a_file_that_is_made_after_its_download_was_called_off_is_thrown_away(
    tmp_path: Path,
) -> None:
    platform, workspace = FakePlatform(), SlowDisk(tmp_path / "workspace")
    platform.files["1"] = b"hello"
    attachment = Attachment(MediaKind.FILE, "1", "note.txt")
    fetching = asyncio.create_task(
        fetch(platform, attachment, workspace, max_bytes=100, timeout_s=30)
    )
    await asyncio.to_thread(workspace.is_asked.wait)
    fetching.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await fetching
    workspace.may_go_on.set()
    while await asyncio.to_thread(is_there_still, workspace):
        continue  # its thread is asked to throw it away, and nobody waits for that


def is_there_still(workspace: SlowDisk) -> bool:
    is_open = not (workspace.made and workspace.made[0].closed)
    return is_open or any(path.is_file() for path in workspace.root.rglob("*"))
