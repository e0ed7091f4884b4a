"""Which platforms the settings ask for. With `app.py` the only place that knows them by name."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from adapters.base import Adapter, Menus
from adapters.console.adapter import ConsoleAdapter, local_console
from config.discord import DiscordSettings
from config.settings import Settings
from config.telegram import TelegramSettings
from gateway.commands.command import Command
from gateway.errors import StartupError

if TYPE_CHECKING:
    from adapters.discord.adapter import DiscordAdapter
    from adapters.discord.desk import Desk
    from adapters.telegram.adapter import TelegramAdapter


def has_console(settings: Settings) -> bool:
    """Whether the terminal is one of the platforms."""
    if settings.console.enabled is None:
        return not (settings.telegram.is_on or settings.discord.is_on)
    return settings.console.enabled


def make_adapters(
    settings: Settings,
    menus: Callable[[str], Menus],
    commands: Sequence[Command],
    desk: "Desk",
    console_idle: Callable[[], Awaitable[None]],
) -> dict[str, Adapter]:
    """An adapter for each platform that is set up; at least one. Raises `StartupError`.

    `menus` says which commands a platform's menus should show at the moment, `commands` are all of
    them, for platforms that ask for arguments, and `desk` answers while somebody still types.
    """
    made: list[Adapter] = []
    if settings.telegram.is_on:
        made.append(_telegram(settings.telegram, partial(menus, "telegram")))
    if settings.discord.is_on:
        made.append(_discord(settings.discord, commands, desk))
    if has_console(settings):
        made.append(local_console(console_idle))
    if not made:
        raise StartupError(
            "no platform is set up: set telegram.token or discord.token, or don't set "
            "console.enabled to no"
        )
    return {adapter.name: adapter for adapter in made}


def console_among(adapters: dict[str, Adapter]) -> ConsoleAdapter | None:
    """The console, whose Ctrl-C is not the gateway's as long as an answer is being written."""
    return next((one for one in adapters.values() if isinstance(one, ConsoleAdapter)), None)


async def telegram_name(settings: TelegramSettings) -> str:
    """Ask Telegram whose token this is. Raises `AdapterError` and `StartupError`."""
    return await _telegram(settings, Menus).check()


async def discord_name(settings: DiscordSettings) -> str:
    """Ask Discord whose token this is, and whether the bot may read. Raises as above."""
    return await _discord(settings, (), None).check()


def _telegram(settings: TelegramSettings, menus: Callable[[], Menus]) -> "TelegramAdapter":
    try:
        from adapters.telegram.adapter import TelegramAdapter  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise StartupError(
            "Telegram needs its client: pip install 'hermes-pywasm[telegram]'"
        ) from error
    return TelegramAdapter(settings, menus=menus)


def _discord(
    settings: DiscordSettings, commands: Sequence[Command], desk: "Desk | None"
) -> "DiscordAdapter":
    try:
        from adapters.discord.adapter import DiscordAdapter  # noqa: PLC0415 - an extra
        from adapters.discord.commands import SlashCommand  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise StartupError(
            "Discord needs its client: pip install 'hermes-pywasm[discord]'"
        ) from error
    offered = [
        SlashCommand(one.name, one.purpose, one.argument, is_private=one.is_private)
        for one in commands
    ]
    return DiscordAdapter(settings, commands=offered, desk=desk)
