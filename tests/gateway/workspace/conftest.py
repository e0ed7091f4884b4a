"""A workspace, and something beside it."""

from pathlib import Path

import pytest

from gateway.workspace.workspace import Workspace, Workspaces
from tests.gateway.workspace.using import SECRET


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A file beside the workspaces."""
    file = tmp_path / "secret.txt"
    file.write_text(SECRET)
    return file


@pytest.fixture
def workspace(tmp_path: Path, outside: Path) -> Workspace:
    """A chat's folder."""
    return Workspaces(tmp_path / "workspaces").of("telegram:dm:1")
