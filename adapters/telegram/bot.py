"""The client's bot, made from the settings: addresses, connections, and no token in the logs."""

import logging

from telegram import Bot
from telegram.request import BaseRequest

from adapters.telegram import requests
from adapters.telegram.errors import TokenRefused
from config.telegram import TelegramSettings

_LOGGERS_WITH_ADDRESSES = ("httpx", "httpcore", "telegram")  # an address has the token in it


class QuietBot(Bot):
    """The client's bot writes its token into its own repr, and so into tracebacks with values."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Bot[token=<token>]"


def make_bot(
    settings: TelegramSettings, calls: BaseRequest | None, updates: BaseRequest | None
) -> tuple[QuietBot, tuple[BaseRequest, BaseRequest]]:
    """A bot and its two connections: for calls, and for `getUpdates`. Raises `TokenRefused`."""
    if settings.token is None:
        raise TokenRefused("telegram.token is not set: get one from @BotFather")
    _silence_addresses()
    proxy = settings.proxy.get_secret_value() if settings.proxy else None
    pair = (calls or requests.for_calls(proxy=proxy), updates or requests.for_updates(proxy=proxy))
    bot = QuietBot(
        settings.token.get_secret_value(),
        base_url=base_url(settings),
        base_file_url=base_file_url(settings),
        request=pair[0],
        get_updates_request=pair[1],
    )
    return bot, pair


def base_url(settings: TelegramSettings) -> str:
    """The client adds the token right behind it; the address of a server alone is completed."""
    url = str(settings.base_url)
    return f"{url}bot" if settings.base_url.path in (None, "/") else url


def base_file_url(settings: TelegramSettings) -> str:
    """Files are beside the methods, below `/file` (Bot API, getFile)."""
    if settings.base_file_url is not None:
        return str(settings.base_file_url)
    head, _, last = base_url(settings).rpartition("/")
    return f"{head}/file/{last}"


def _silence_addresses() -> None:
    for name in _LOGGERS_WITH_ADDRESSES:
        logger = logging.getLogger(name)
        if logger.getEffectiveLevel() < logging.WARNING:
            logger.setLevel(logging.WARNING)
