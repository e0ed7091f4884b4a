"""What the Bot API's errors mean, by kind. A pure table; what is done about them is elsewhere.

    what the client raises                            what the gateway gets
    RetryAfter, "too many requests"                   RateLimited
    could not connect, no free connection             Unreachable: it was never sent
    500, 502, 503                                     Unreachable: the server says that it failed
    401, 403 or 404 with a page instead of JSON       Unreachable: something else has answered
    time-out, cut connection, 504, unreadable answer  Ambiguous: it may have been done
    message to edit or to reply to is gone            TargetGone
    Forbidden, no such chat or topic, no right        ChatGone (see migration.py for moved ones)
    Unauthorized                                      TokenRefused
    a file that is too large, any other BadRequest    Rejected

Texts lose the bot's token before anybody sees them: the client puts it into some.
"""

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    EndPointNotFound,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
)

from adapters.base import (
    AdapterError,
    Ambiguous,
    ChatGone,
    RateLimited,
    Rejected,
    TargetGone,
    Unreachable,
)


class TokenRefused(AdapterError):
    """Telegram does not know the bot's token; trying again is of no use."""


UNMODIFIED = "message is not modified"
REPLY_GONE = ("message to be replied not found", "replied message not found")
DELETED_ALREADY = "message to delete not found"
# Of a file in its form, and not of the file: as a document it is taken.
FORM_REFUSED = (
    "photo_invalid_dimensions",
    "image_process_failed",
    "photo_save_file_invalid",
    "photo_ext_invalid",
    "too big for a photo",
    "voice_messages_forbidden",
)
QUERY_TOO_OLD = ("query is too old", "query_id_invalid")

_DEFAULT_WAIT_S = 5.0  # when Telegram says "too many requests" without saying for how long

_NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
)

# Parts of descriptions, lower case. Telegram promises no texts, but has kept these for years.
_BAD_REQUESTS: tuple[tuple[str, type[AdapterError]], ...] = (
    ("message to edit not found", TargetGone),
    ("message can't be edited", TargetGone),
    ("message_id_invalid", TargetGone),
    *((text, TargetGone) for text in REPLY_GONE),
    ("thread not found", ChatGone),  # with its topic; never a reason to write into another
    ("topic_closed", ChatGone),
    ("topic_deleted", ChatGone),
    ("chat not found", ChatGone),
    ("channel_private", ChatGone),  # a supergroup is called so as well
    ("peer_id_invalid", ChatGone),
    ("chat was deleted", ChatGone),
    ("group chat was deactivated", ChatGone),
    ("chat_write_forbidden", ChatGone),
    ("user_is_blocked", ChatGone),  # of an album; of one message it is a Forbidden
    ("have no rights to send", ChatGone),
    ("not enough rights to send text", ChatGone),  # for a file it is no more than Rejected
    ("chat_send_plain_forbidden", ChatGone),
    ("user_banned_in_channel", ChatGone),
    ("user_deactivated", ChatGone),
)

# The client has no class for a 413 and makes a NetworkError of it.
_TOO_LARGE = "request entity too large"
# By another bot that guards the group: it has arrived, so no second one may follow by itself.
_TAKEN_AWAY = "sent message was immediately deleted"
_UNREADABLE = "parsing the server response"  # how the client says that it was no JSON
_ANOTHER = "something other than the Bot API has answered"
_SERVER_FAILURES = ("internal server error", "bad gateway", "service unavailable")


@contextmanager
def translated(token: str) -> Iterator[None]:
    """Turns the client's errors into ours. Their chain is cut: it may hold the token."""
    try:
        yield
    except TelegramError as error:
        raise translate(error, token) from None


def translate(error: TelegramError, token: str) -> AdapterError:
    """The error of ours that says the same."""
    text = scrub(error.message, token)
    return next(make(error, text) for kind, make in _KINDS if isinstance(error, kind))


def has_text(error: TelegramError, *parts: str) -> bool:
    """Whether Telegram's description says one of these, in whatever case."""
    return any(part in error.message.lower() for part in parts)


def scrub(text: str, token: str) -> str:
    """The text without the token."""
    return text.replace(token, "<token>") if token else text


def _rate_limited(error: TelegramError, _text: str) -> AdapterError:
    wait = error.retry_after if isinstance(error, RetryAfter) else _DEFAULT_WAIT_S
    return RateLimited(wait.total_seconds() if isinstance(wait, dt.timedelta) else wait)


def _bad_request(_error: TelegramError, text: str) -> AdapterError:
    lowered = text.lower()
    return next((kind for part, kind in _BAD_REQUESTS if part in lowered), Rejected)(text)


def _network_error(error: TelegramError, text: str) -> AdapterError:
    lowered = text.lower()
    if lowered.startswith("too many requests"):
        return _rate_limited(error, text)
    if lowered.startswith(_TOO_LARGE):
        return Rejected(text)
    if _TAKEN_AWAY in lowered:
        return Ambiguous(text)
    never_done = isinstance(error.__cause__, _NEVER_SENT) or lowered.startswith(_SERVER_FAILURES)
    return Unreachable(text) if never_done else Ambiguous(text)


def _forbidden(error: TelegramError, text: str) -> AdapterError:
    return Unreachable(_ANOTHER) if is_from_another(error) else ChatGone(text)


def _token_refused(error: TelegramError, _text: str) -> AdapterError:
    if is_from_another(error):
        return Unreachable(_ANOTHER)
    return TokenRefused("Telegram does not accept the bot token")


def is_from_another(error: BaseException | None) -> bool:
    """Whether something on the way has answered: the Bot API refuses in JSON, a proxy with a page.

    The client wraps some errors into others.
    """
    if not isinstance(error, TelegramError):
        return False
    return has_text(error, _UNREADABLE) or is_from_another(error.__cause__)


# The first that fits; BadRequest and the time-outs are NetworkErrors as well.
_KINDS: tuple[tuple[type[TelegramError], Callable[[TelegramError, str], AdapterError]], ...] = (
    (RetryAfter, _rate_limited),
    (InvalidToken, _token_refused),
    (EndPointNotFound, _token_refused),
    (Forbidden, _forbidden),
    (ChatMigrated, lambda _error, text: ChatGone(text)),
    (Conflict, lambda _error, text: Unreachable(text)),
    (BadRequest, _bad_request),
    (NetworkError, _network_error),
    (TelegramError, lambda _error, text: Ambiguous(text)),
)
