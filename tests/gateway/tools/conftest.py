"""What tests of tools share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from config.settings import LoggingSettings
from gateway import logs
from tests.gateway.tools.using_files import SECRET


@pytest.fixture(autouse=True)
def logging() -> Iterator[None]:
    """Logs as the gateway writes them: without reading source files for a traceback."""
    logs.configure(LoggingSettings(level="debug"))
    yield
    structlog.reset_defaults()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace, beside which there is a secret."""
    (tmp_path / "secret.txt").write_text(SECRET)
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder
