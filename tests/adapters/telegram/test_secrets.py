"""The token never leaves the settings: not in a log, not in an error, not in a traceback."""

import logging
import traceback

import pytest
from telegram.error import InvalidToken, TelegramError

from adapters.base import AdapterError, Part
from adapters.telegram.adapter import TelegramAdapter
from adapters.telegram.errors import TokenRefused, scrub, translated
from config.telegram import TelegramSettings
from tests.adapters.telegram.serving import Serving, adapter_for, address_of
from tests.fakes.telegram import FakeTelegram, Person


async def test_no_log_line_has_the_token_at_any_level(
    fake: FakeTelegram, ada: Person, caplog: pytest.LogCaptureFixture
) -> None:
    """Case 58: httpx logs every address at INFO, and the address has the token in it."""
    caplog.set_level(logging.DEBUG)
    adapter = adapter_for(fake)
    async with Serving(adapter) as serving:
        fake.people.say(ada, "hello")
        await serving.inbound()
        await adapter.send(address_of(ada), Part("hello"))
    assert fake.calls_of("sendMessage")
    assert fake.token not in caplog.text
    assert fake.token.partition(":")[2] not in caplog.text


async def test_no_traceback_of_a_refused_token_has_the_token(fake: FakeTelegram) -> None:
    token = "123456789:AAE-" + "not-this-one"
    adapter = adapter_for(fake, token=token)
    with pytest.raises(TokenRefused) as caught:
        await adapter.run(Serving(adapter).receive)
    assert token not in "".join(traceback.format_exception(caught.value))


def test_an_error_that_quotes_the_token_loses_it() -> None:
    token = "".join(["1:", "a", "b", "c"])  # a traceback shows the lines of this test
    with pytest.raises(AdapterError, match="<token>") as caught, translated(token):
        raise TelegramError(f"could not open https://example.org/bot{token}/getMe")
    assert token not in "".join(traceback.format_exception(caught.value))
    with pytest.raises(TokenRefused) as refused, translated(token):
        raise InvalidToken(f"The token `{token}` was rejected by the server.")
    assert token not in "".join(traceback.format_exception(refused.value))


async def test_no_repr_has_the_token(fake: FakeTelegram, adapter: TelegramAdapter) -> None:
    """Tracebacks that show values print these."""
    held = [getattr(adapter, name) for name in vars(adapter)]
    assert any("<token>" in repr(one) for one in held)
    assert all(fake.token not in repr(one) for one in held)


def test_scrubbing_without_a_token_changes_nothing() -> None:
    assert scrub("as it was", "") == "as it was"


def test_an_adapter_without_a_token_says_where_to_get_one() -> None:
    with pytest.raises(TokenRefused, match="@BotFather"):
        TelegramAdapter(TelegramSettings())
