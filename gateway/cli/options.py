"""What all commands of the command line share: options, the settings they lead to, plain errors."""

import asyncio
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

import config
from adapters.base import AdapterError
from config.settings import Settings
from gateway.errors import GatewayError

EXPECTED = (GatewayError, config.ConfigError, AdapterError)
"""Errors whose text is for the person at the terminal."""

Config = Annotated[
    Path | None,
    typer.Option("--config", "-c", help="The YAML file; else ./hermes.yaml if it exists."),
]
DataDir = Annotated[
    Path | None, typer.Option("--data-dir", help="Keep the data here, whatever the file says.")
]
Dev = Annotated[bool, typer.Option("--dev", help="Run agents as plain Python instead of Wasm.")]
Debug = Annotated[bool, typer.Option("--debug", help="Log everything; show tracebacks.")]


def settings_from(config_file: Path | None, data_dir: Path | None, dev: bool = False) -> Settings:
    """The settings of a command. Raises `ConfigError`."""
    settings = config.load(config_file, environ=os.environ, cwd=Path.cwd())
    changes: dict[str, Any] = {}
    if data_dir is not None:
        changes["data_dir"] = (Path.cwd() / data_dir).resolve()
    if dev:
        changes["runtime"] = settings.runtime.model_copy(update={"mode": "native"})
    return settings.model_copy(update=changes)


@contextlib.contextmanager
def plain_errors(debug: bool) -> Iterator[None]:
    """Errors that a person can do something about become a sentence and exit code 1."""
    try:
        yield
    except EXPECTED as error:
        if debug:
            raise
        typer.echo(f"hermes-gateway: {error}", err=True)
        raise typer.Exit(1) from None
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise typer.Exit(130) from None
