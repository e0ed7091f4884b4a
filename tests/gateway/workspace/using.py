"""Puts files into a workspace, and reads them."""

from gateway.workspace.workspace import Workspace

SECRET = "nobody in a chat may read this"


def put(workspace: Workspace, path: str, content: bytes = b"x", *, replace: bool = False) -> None:
    """A file with that content."""
    with workspace.create(path, replace=replace) as file:
        file.write(content)


def read(workspace: Workspace, path: str) -> bytes:
    """What a file holds."""
    with workspace.open_read(path) as file:
        return file.read()
