"""The commands about people and what is stored of them: who may talk, which chats there are, one's
own data, backups. All of them work beside a gateway that runs, but for `forget`.
"""

import asyncio
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from gateway.cli import access as access_command
from gateway.cli import data as data_command
from gateway.cli.options import Config, DataDir, Debug, plain_errors, settings_from

Person = Annotated[
    str, typer.Argument(metavar="PERSON", help="PLATFORM:ID, like telegram:123456789.")
]
Whom = Annotated[str, typer.Argument(help="platform:ID, or of a group platform:chat:ID.")]


def add_to(cli: typer.Typer) -> None:
    """Let a command line have these commands."""
    for command in (owner, pair, allow, block, chats, export, forget, backup):
        cli.command()(command)


def owner(
    *,
    remove: Annotated[
        str | None, typer.Option("--remove", help="Take ownership back: platform:id.")
    ] = None,
    config_file: Config = None,
    data_dir: DataDir = None,
    debug: Debug = False,
) -> None:
    """Show a new code that makes whoever sends it to the bot its owner."""
    with plain_errors(debug):
        settings = settings_from(config_file, data_dir)
        typer.echo(asyncio.run(access_command.owner(settings, remove)))


def pair(
    action: Annotated[access_command.Action, typer.Argument(help="What to do.")],
    code: Annotated[str, typer.Argument(help="The stranger's code.")] = "",
    *,
    config_file: Config = None,
    data_dir: DataDir = None,
    debug: Debug = False,
) -> None:
    """Let a stranger in by their code, turn them down, or list who asks."""
    with plain_errors(debug):
        settings = settings_from(config_file, data_dir)
        _tell(*asyncio.run(access_command.pair(settings, action, code)))


def allow(
    whom: Whom, *, config_file: Config = None, data_dir: DataDir = None, debug: Debug = False
) -> None:
    """Let a person in, or everybody in a group."""
    _settle(whom, config_file, data_dir, is_allowed=True, debug=debug)


def block(
    whom: Whom, *, config_file: Config = None, data_dir: DataDir = None, debug: Debug = False
) -> None:
    """Shut a person out, or all of a group but the owners."""
    _settle(whom, config_file, data_dir, is_allowed=False, debug=debug)


def _settle(
    whom: str, config_file: Config, data_dir: DataDir, *, is_allowed: bool, debug: bool
) -> None:
    with plain_errors(debug):
        settings = settings_from(config_file, data_dir)
        _tell(*asyncio.run(access_command.settle(settings, whom, is_allowed=is_allowed)))


def _tell(is_done: bool, text: str) -> NoReturn:
    typer.echo(text, err=not is_done)
    raise typer.Exit(0 if is_done else 1)


def chats(*, config_file: Config = None, data_dir: DataDir = None, debug: Debug = False) -> None:
    """List all chats: when they were last used, how much was said, and by whom."""
    with plain_errors(debug):
        typer.echo(asyncio.run(data_command.chats_text(settings_from(config_file, data_dir))))


def export(
    person: Person,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of Markdown.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A new file; else it is printed.")
    ] = None,
    config_file: Config = None,
    data_dir: DataDir = None,
    debug: Debug = False,
) -> None:
    """Give all that is stored of a person."""
    with plain_errors(debug):
        settings = settings_from(config_file, data_dir)
        text = asyncio.run(data_command.export_text(settings, person, is_json=as_json))
        if output is None:
            typer.echo(text, nl=False)
        else:
            data_command.write_private(output, text)


def forget(
    person: Person,
    *,
    is_sure: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    config_file: Config = None,
    data_dir: DataDir = None,
    debug: Debug = False,
) -> None:
    """Delete all that is stored of a person. The gateway has to be stopped for it."""
    with plain_errors(debug):
        settings = settings_from(config_file, data_dir)
        data = asyncio.run(data_command.data_of(settings, person))
        typer.echo(
            f"{person}: {len(data.sessions)} sessions, {len(data.notes)} notes, "
            f"{len(data.in_groups)} messages in groups"
        )
        if not is_sure:
            typer.confirm("Delete all of it for good?", abort=True)
        done = asyncio.run(data_command.forget(settings, person))
        typer.echo(f"Deleted: {done.sessions} sessions, {done.messages} messages, all notes.")


def backup(
    target: Annotated[Path, typer.Argument(help="A new file, or a folder to put one into.")],
    *,
    config_file: Config = None,
    data_dir: DataDir = None,
    debug: Debug = False,
) -> None:
    """Copy the database, also while the gateway runs."""
    with plain_errors(debug):
        path, size = data_command.backup(settings_from(config_file, data_dir), target)
        typer.echo(f"{path}: {size:,} bytes, checked")
