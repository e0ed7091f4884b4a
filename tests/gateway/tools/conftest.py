"""What tests of tools share."""

from collections.abc import Iterator

import pytest
import structlog

from config.settings import LoggingSettings
from gateway import logs


@pytest.fixture(autouse=True)
def logging() -> Iterator[None]:
    """Logs as the gateway writes them: without reading source files for a traceback."""
    logs.configure(LoggingSettings(level="debug"))
    yield
    structlog.reset_defaults()
