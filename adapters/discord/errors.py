"""What Discord's errors mean, by kind. A table; what is done about them is elsewhere.

what the client raises                                what the gateway gets
RateLimited, status 429                               RateLimited
no connection to the server, or none by the proxy     Unreachable: it was never sent
500, 502, 503                                         Unreachable: the server says that it failed
504, time-out, cut connection                         Ambiguous: it may have been done
10008 unknown message                                 TargetGone
10003 unknown channel, 50001, 50007, 50013 and so on  ChatGone: no way to write there
login failed, 401 with the bot's token                TokenRefused
any other                                             Rejected
"""

from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
import discord

from adapters.base import (
    AdapterError,
    Ambiguous,
    ChatGone,
    RateLimited,
    Rejected,
    TargetGone,
    Unreachable,
)

UNKNOWN_MESSAGE = 10008
UNKNOWN_WEBHOOK = 10015
UNKNOWN_INTERACTION = 10062
INVALID_WEBHOOK_TOKEN = 50027
ALREADY_ACKNOWLEDGED = 40060
MISSING_PERMISSIONS = 50013

INTERACTION_IS_OVER = frozenset({UNKNOWN_WEBHOOK, UNKNOWN_INTERACTION, INVALID_WEBHOOK_TOKEN})

# JSON error codes (Discord, "Opcodes and Status Codes").
_CODES: dict[int, type[AdapterError]] = {
    10003: ChatGone,  # unknown channel
    10004: ChatGone,  # unknown guild
    UNKNOWN_MESSAGE: TargetGone,
    50001: ChatGone,  # missing access
    50007: ChatGone,  # can't send messages to this user
    50008: ChatGone,  # can't send messages in this channel
    MISSING_PERMISSIONS: ChatGone,
    50083: ChatGone,  # the thread is archived
    50278: ChatGone,  # no mutual server with this user
    160005: ChatGone,  # the thread is locked
}
_DEFAULT_WAIT_S = 5.0
_FAILED = frozenset({500, 502, 503})


class TokenRefused(AdapterError):
    """Discord does not know the bot's token; trying again is of no use."""


class IntentRefused(AdapterError):
    """The bot asks for more than it was allowed in the developer portal."""


def token_refused() -> TokenRefused:
    """In words."""
    return TokenRefused(
        "Discord does not accept the bot token: reset it on the page Bot of the developer portal"
    )


def intent_refused(application_id: int | None) -> IntentRefused:
    """In words, with the place to click."""
    page = f"{application_id}/bot" if application_id else ""
    return IntentRefused(
        "Discord does not let the bot read messages yet: switch on Message Content Intent at "
        f"https://discord.com/developers/applications/{page}, or set discord.message_content to no"
    )


@contextmanager
def translated() -> Iterator[None]:
    """Turns the client's errors into ours."""
    try:
        yield
    except (discord.DiscordException, aiohttp.ClientError, TimeoutError, OSError) as error:
        raise translate(error) from error


def translate(error: Exception) -> AdapterError:
    """The error of ours that says the same."""
    match error:
        case discord.RateLimited():
            return RateLimited(error.retry_after)
        case discord.LoginFailure():
            return token_refused()
        case discord.HTTPException():
            return _http(error)
        case aiohttp.ClientConnectorError():
            return Unreachable(f"Discord can't be reached: {error}")
        case aiohttp.ClientHttpProxyError():
            # Its own text quotes the proxy's address, password and all.
            return Unreachable(f"Discord can't be reached: the proxy answers {error.status}")
        case _:
            return Ambiguous(f"{type(error).__name__}: {error}")


def _http(error: discord.HTTPException) -> AdapterError:
    text = f"{error.status} {error.code}: {error.text}"[:500]
    if error.status == 429:
        return RateLimited(_wait_s(error))
    if error.status == 401 and error.code not in INTERACTION_IS_OVER:
        return token_refused()
    if error.status in _FAILED:
        return Unreachable(text)
    if error.status > 500:
        return Ambiguous(text)
    return _CODES.get(error.code, Rejected)(text)


def _wait_s(error: discord.HTTPException) -> float:
    try:
        return float(error.response.headers.get("Retry-After", _DEFAULT_WAIT_S))
    except ValueError:
        return _DEFAULT_WAIT_S
