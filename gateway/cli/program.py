"""The command line: what is asked for, checked and handed to who does it.

Errors that a person can do something about are one sentence and exit code 1 (2 for a wrong
command line); a traceback is only shown with --debug.
"""

import asyncio
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import structlog
import typer

import config
from agent_core import __version__
from config.schema import schema_text
from config.settings import Settings
from gateway import app, logs
from gateway.cli import agent as agent_command
from gateway.cli import init as init_command
from gateway.cli import people
from gateway.cli import replay as replay_command
from gateway.cli.asking import Asker
from gateway.cli.checking import check_all
from gateway.cli.options import Config, DataDir, Debug, Dev, plain_errors, settings_from
from gateway.log_file import log_file
from gateway.platforms import has_console
from gateway.reload import Reload

cli = typer.Typer(
    name="hermes-gateway",
    help="A chat-platform gateway for an LLM agent.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@cli.command()
def run(
    *, config_file: Config = None, data_dir: DataDir = None, dev: Dev = False, debug: Debug = False
) -> None:
    """Serve all platforms that are set up; the terminal, if none is."""
    with plain_errors(debug):
        settings = settings_from(config_file, data_dir, dev)
        with log_file(settings.data_dir, settings.logging) as file:
            logs.set_up(settings, _level(settings, debug), file)
            logs.take_over()
            reload = Reload(settings, lambda: settings_from(config_file, data_dir, dev))
            reload.tell(partial(_log_anew, debug=debug, file=file))
            code = asyncio.run(app.run(settings, _reporter(settings), reload))
        raise typer.Exit(code)


@cli.command()
def check(
    *,
    config_file: Config = None,
    data_dir: DataDir = None,
    dev: Dev = False,
    debug: Debug = False,
    offline: Annotated[
        bool, typer.Option("--offline", help="Ask neither the models nor the platforms.")
    ] = False,
) -> None:
    """Try all that a start needs; say who may talk.

    Models are asked for one word and tokens are tried, unless --offline. The exit code is 1 if
    anything is wrong.
    """
    with plain_errors(debug):
        settings = settings_from(config_file, data_dir, dev)
        logs.set_up(settings, "debug" if debug else "error")
        found = config.find(config_file, Path.cwd())
        typer.echo(f"ok    configuration  {found or 'none: the defaults'}")
        dotenv = (found.parent if found else Path.cwd()) / ".env"
        checking = check_all(settings, typer.echo, dotenv=dotenv, is_offline=offline)
        raise typer.Exit(0 if asyncio.run(checking) else 1)


@cli.command()
def init(
    *,
    config_file: Config = None,
    yes: Annotated[
        bool, typer.Option("--yes", "--defaults", "-y", help="Ask nothing; take the defaults.")
    ] = False,
) -> None:
    """Write a first hermes.yaml, and .env for secrets.

    It asks a few questions, or takes piped answers, and replaces nothing without a yes.
    """
    with plain_errors(debug=False):
        path = Path.cwd() / (config_file or config.FILE_NAME)
        raise typer.Exit(init_command.run(path, Asker(takes_defaults=yes), os.environ))


@cli.command(name="config")
def show_config(
    *,
    config_file: Config = None,
    print_: Annotated[bool, typer.Option("--print", help="Print all settings.")] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema for editors.")
    ] = False,
) -> None:
    """Print all settings, secrets hidden.

    They are printed as they are in the end: file, environment, .env and defaults together.
    """
    with plain_errors(debug=False):
        if schema:
            typer.echo(schema_text(), nl=False)
            return
        if not print_:
            raise typer.BadParameter("say --print or --schema")
        settings = config.load(config_file, environ=os.environ, cwd=Path.cwd())
        typer.echo(config.dump(settings), nl=False)


@cli.command()
def agent(
    *,
    model: Annotated[str, typer.Option("--model", help="The model; `demo` needs no key.")] = "demo",
    message: Annotated[
        str | None, typer.Option("--message", "-m", help="One message instead of a conversation.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="An OpenAI-compatible API.")
    ] = None,
    wasm: Annotated[
        Path | None, typer.Option("--wasm", help="The command module; else the one that was built.")
    ] = None,
    level: Annotated[int, typer.Option("--level", min=1, max=2, help="The protocol level.")] = 2,
    folder: Annotated[
        Path, typer.Option("--folder", help="Where MEMORY.md, USER.md and skills/ are.")
    ] = Path(),
    dev: Dev = False,
    debug: Debug = False,
) -> None:
    """Talk with one agent, without a gateway. The API key is read from OPENAI_API_KEY."""
    with plain_errors(debug):
        if dev and wasm is not None:
            raise typer.BadParameter("--dev and --wasm exclude each other")
        options = agent_command.Options(
            model=model,
            base_url=base_url,
            api_key=os.environ.get("OPENAI_API_KEY") or None,
            wasm=wasm,
            is_native=dev,
            level=level,
            folder=folder,
            message=message,
        )
        logs.configure(Settings().logging, [options.api_key or ""], "debug" if debug else "error")
        raise typer.Exit(asyncio.run(agent_command.run(options)))


@cli.command()
def replay(
    session: Annotated[
        str, typer.Argument(help="A session's id, or its short one as /sessions shows it.")
    ],
    turn: Annotated[str | None, typer.Argument(help="The id of a turn; else all.")] = None,
    *,
    step: Annotated[
        bool, typer.Option("--step", help="Whole lines; wait after each step.")
    ] = False,
    against: Annotated[
        Path | None, typer.Option("--against", help="Another Wasm snapshot of the agent.")
    ] = None,
    config_file: Config = None,
    data_dir: DataDir = None,
    dev: Dev = False,
    debug: Debug = False,
) -> None:
    """Show stored turns again, offline, and say whether the agent still answers the same."""
    with plain_errors(debug):
        settings = settings_from(config_file, data_dir, dev)
        logs.set_up(settings, "debug" if debug else "error")
        options = replay_command.Options(session, turn, step, against)
        code = replay_command.run(settings, options, typer.echo, _pause)
        raise typer.Exit(code)


@cli.command(
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "help_option_names": [],
    }
)
def bench(context: typer.Context) -> None:
    """Run the benchmarks of a checkout; options are passed on (try --help)."""
    root = Path(__file__).resolve().parents[2]
    if not (root / "benchmarks").is_dir():
        typer.echo(
            "hermes-gateway: the benchmarks are only in a checkout of the project.", err=True
        )
        raise typer.Exit(1)
    command = [sys.executable, "-m", "benchmarks", *context.args]
    raise typer.Exit(subprocess.run(command, cwd=root, check=False).returncode)  # noqa: S603 - ours


people.add_to(cli)


@cli.command()
def version() -> None:
    """Print the version."""
    typer.echo(__version__)


def main() -> None:
    """The entry point."""
    cli()


def _pause() -> None:
    typer.prompt("Enter goes on", default="", show_default=False)


async def _log_anew(settings: Settings, *, debug: bool, file: logging.Handler | None) -> None:
    logs.set_up(settings, _level(settings, debug), file)


def _reporter(settings: Settings) -> Callable[[str], None]:
    """Where a gateway says what it is: to the person who starts it, or into the log."""
    if settings.logging.format == "json":
        return lambda text: structlog.get_logger().info("starting", gateway=text)
    return lambda text: typer.echo(text, err=True)


def _level(settings: Settings, debug: bool) -> str | None:
    """The level to log at, if not the settings': a conversation is not to be talked into."""
    if debug:
        return "debug"
    is_chosen = "level" in settings.logging.model_fields_set
    return "warning" if has_console(settings) and sys.stderr.isatty() and not is_chosen else None
