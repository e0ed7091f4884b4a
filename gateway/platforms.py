"""Which platforms the settings ask for. With `app.py` the only place that knows them by name."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from adapters.base import Adapter, Menus
from adapters.console.adapter import ConsoleAdapter, local_console
from config.settings import Settings
from config.telegram import TelegramSettings
from gateway.errors import StartupError

if TYPE_CHECKING:
    from adapters.telegram.adapter import TelegramAdapter


def has_console(settings: Settings) -> bool:
    """Whether the terminal is one of the platforms."""
    if settings.console.enabled is None:
        return not settings.telegram.is_on
    return settings.console.enabled


def make_adapters(
    settings: Settings,
    menus: Callable[[str], Menus],
    console_idle: Callable[[], Awaitable[None]],
) -> dict[str, Adapter]:
    """An adapter for each platform that is set up; at least one. Raises `StartupError`.

    `menus` says which commands a platform's menus should show at the moment.
    """
    made: list[Adapter] = []
    if settings.telegram.is_on:
        made.append(_telegram(settings.telegram, partial(menus, "telegram")))
    if has_console(settings):
        made.append(local_console(console_idle))
    if not made:
        raise StartupError(
            "no platform is set up: set telegram.token, or don't set console.enabled to no"
        )
    return {adapter.name: adapter for adapter in made}


def console_among(adapters: dict[str, Adapter]) -> ConsoleAdapter | None:
    """The console, whose Ctrl-C is not the gateway's as long as an answer is being written."""
    return next((one for one in adapters.values() if isinstance(one, ConsoleAdapter)), None)


async def telegram_name(settings: TelegramSettings) -> str:
    """Ask Telegram whose token this is. Raises `AdapterError` and `StartupError`."""
    return await _telegram(settings, Menus).check()


def _telegram(settings: TelegramSettings, menus: Callable[[], Menus]) -> "TelegramAdapter":
    try:
        from adapters.telegram.adapter import TelegramAdapter  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise StartupError(
            "Telegram needs its client: pip install 'hermes-pywasm[telegram]'"
        ) from error
    return TelegramAdapter(settings, menus=menus)
