"""Slash commands and the context menu: what Discord offers people to choose from.

They are built once, from the gateway's own table; what is done with them is `interacting.py`'s
business. `syncing.py` makes them known to Discord.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import discord
from discord import app_commands

MOST_COMMANDS = 100  # of one kind, for each place (Discord, "Application Commands")
MOST_SUGGESTIONS = 25
LONGEST_DESCRIPTION = 100
LONGEST_CHOICE = 100
ASK = "ask"
ABOUT = "Ask about this message"

Interaction = discord.Interaction[Any]


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """One of the gateway's commands."""

    name: str
    purpose: str
    argument: str = ""  # what may stand behind it; none, if empty
    is_private: bool = False  # only whoever asks sees the answer


@dataclass(frozen=True, slots=True)
class Handlers:
    """What is done when somebody chooses something."""

    command: Callable[[Interaction, SlashCommand, str], Awaitable[None]]
    suggest: Callable[[Interaction, SlashCommand, str], Awaitable[Sequence[tuple[str, str]]]]
    ask: Callable[[Interaction, str, discord.Attachment | None], Awaitable[None]]
    about: Callable[[Interaction, discord.Message], Awaitable[None]]


def build(
    commands: Sequence[SlashCommand], handlers: Handlers
) -> list[app_commands.Command[Any, ..., Any] | app_commands.ContextMenu]:
    """All that is offered, of which Discord takes only so many."""
    made = [_ask(handlers), *(_command(one, handlers) for one in commands if one.name != ASK)]
    return [*made[:MOST_COMMANDS], _about(handlers)]


def _command(command: SlashCommand, handlers: Handlers) -> app_commands.Command[Any, ..., Any]:
    if not command.argument:

        async def run(interaction: Interaction) -> None:
            await handlers.command(interaction, command, "")

        return _made(command.name, command.purpose, run)

    async def run_with(interaction: Interaction, text: str = "") -> None:
        await handlers.command(interaction, command, text)

    async def suggest(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        found = await handlers.suggest(interaction, command, typed)
        return [
            app_commands.Choice(name=shown[:LONGEST_CHOICE], value=value[:LONGEST_CHOICE])
            for shown, value in found[:MOST_SUGGESTIONS]
        ]

    app_commands.rename(text=command.argument)(run_with)
    app_commands.describe(text=command.purpose[:LONGEST_DESCRIPTION])(run_with)
    app_commands.autocomplete(text=suggest)(run_with)
    return _made(command.name, command.purpose, run_with)


def _ask(handlers: Handlers) -> app_commands.Command[Any, ..., Any]:
    async def run(
        interaction: Interaction, question: str, file: discord.Attachment | None = None
    ) -> None:
        await handlers.ask(interaction, question, file)

    app_commands.describe(question="what you want to know", file="something to look at")(run)
    return _made(ASK, "ask me something", run)


def _about(handlers: Handlers) -> app_commands.ContextMenu:
    async def run(interaction: Interaction, message: discord.Message) -> None:
        await handlers.about(interaction, message)

    return app_commands.ContextMenu(
        name=ABOUT, callback=run, allowed_contexts=_contexts(), allowed_installs=_installs()
    )


def _made(name: str, purpose: str, run: Any) -> app_commands.Command[Any, ..., Any]:  # noqa: ANN401 - of any signature
    return app_commands.Command(
        name=name,
        description=purpose[:LONGEST_DESCRIPTION],
        callback=run,
        allowed_contexts=_contexts(),
        allowed_installs=_installs(),
    )


def _contexts() -> app_commands.AppCommandContext:
    return app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=False)


def _installs() -> app_commands.AppInstallationType:
    return app_commands.AppInstallationType(guild=True, user=False)
