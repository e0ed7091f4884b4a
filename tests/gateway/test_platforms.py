"""Which platforms are served, by what the settings say."""

import pytest
from pydantic import SecretStr

from adapters.base import Menus
from adapters.discord.desk import ClosedDesk
from config.discord import DiscordSettings
from config.settings import ConsoleSettings, Settings
from config.telegram import TelegramSettings
from gateway.errors import StartupError
from gateway.platforms import has_console, make_adapters

TOKEN = SecretStr("123456789:AAE-a-token")


def _no_menus(_platform: str) -> Menus:
    return Menus()


async def _idle() -> None:
    raise AssertionError("nobody sits at the console")


@pytest.mark.parametrize(
    ("telegram", "console"),
    [
        (TelegramSettings(token=TOKEN), False),
        (TelegramSettings(token=TOKEN, enabled=False), True),
        (TelegramSettings(), True),
    ],
)
def test_the_console_is_on_when_telegram_is_not(telegram: TelegramSettings, console: bool) -> None:
    assert has_console(Settings(telegram=telegram)) is console


async def test_telegram_is_on_with_a_token() -> None:
    made = make_adapters(
        Settings(telegram=TelegramSettings(token=TOKEN)), _no_menus, (), ClosedDesk(), _idle
    )
    assert list(made) == ["telegram"]


async def test_discord_is_on_with_a_token_and_then_the_console_is_not() -> None:
    settings = Settings(discord=DiscordSettings(token=TOKEN))
    made = make_adapters(settings, _no_menus, (), ClosedDesk(), _idle)
    assert list(made) == ["discord"]
    assert has_console(Settings(discord=DiscordSettings(token=TOKEN, enabled=False)))


def test_with_all_platforms_off_there_is_nothing_to_serve() -> None:
    settings = Settings(
        telegram=TelegramSettings(token=TOKEN, enabled=False),
        console=ConsoleSettings(enabled=False),
    )
    with pytest.raises(StartupError, match="no platform is set up"):
        make_adapters(settings, _no_menus, (), ClosedDesk(), _idle)
