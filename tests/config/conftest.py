"""A folder to put configuration files into, and the loader looking at it."""

from collections.abc import Callable
from pathlib import Path

import pytest

import config
from config import ConfigError, Settings

Load = Callable[..., Settings]
Mistakes = Callable[..., list[str]]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """`load(text, dotenv=None, **environ)`: what a `hermes.yaml` with this text gives."""

    def run(text: str | bytes | None = None, dotenv: str | None = None, **environ: str) -> Settings:
        if text is not None:
            data = text if isinstance(text, bytes) else text.encode()
            (tmp_path / "hermes.yaml").write_bytes(data)
        if dotenv is not None:
            (tmp_path / ".env").write_text(dotenv, encoding="utf-8")
        return config.load(None, environ=environ, cwd=tmp_path)

    return run


@pytest.fixture
def mistakes(load: Load) -> Mistakes:
    """Like `load`, for files that must be refused: the problems, one line each."""

    def run(*args: str | bytes | None, **environ: str) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            load(*args, **environ)
        return str(caught.value).split("\n")

    return run
