"""What is logged, and what never is."""

import json
import logging
from collections.abc import Iterator

import pytest
import structlog
from pydantic import SecretStr

from config.settings import LoggingSettings, ModelSettings, Settings, TelegramSettings
from gateway import logs

TOKEN = "123456:AAE-secret-token"
KEY = "sk-very-secret"
SETTINGS = Settings(
    model=ModelSettings(api_key=SecretStr(KEY)),
    telegram=TelegramSettings(token=SecretStr(TOKEN)),
    logging=LoggingSettings(format="json"),
)


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Leave the loggers as they were found."""
    yield
    structlog.reset_defaults()


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    captured = capsys.readouterr()
    assert captured.out == "", "the log is not for stdout"
    return [json.loads(line) for line in captured.err.splitlines()]


def test_all_secrets_of_the_settings_are_known() -> None:
    assert sorted(logs.secrets_in(SETTINGS)) == sorted([TOKEN, KEY])


def test_secrets_are_masked_wherever_they_stand(capsys: pytest.CaptureFixture[str]) -> None:
    logs.set_up(SETTINGS)
    log = structlog.get_logger()
    log.warning(f"text with {TOKEN}", url=f"https://x/bot{TOKEN}/getMe", nested={"a": [KEY]})
    try:
        raise ValueError(f"bad key {KEY}")
    except ValueError:
        log.exception("failed")
    first, second = lines(capsys)
    text = json.dumps([first, second])
    assert TOKEN not in text
    assert KEY not in text
    assert "ValueError" in text
    assert first["nested"] == {"a": [logs.MASK]}


def test_libraries_are_masked_and_only_heard_when_something_is_wrong(
    capsys: pytest.CaptureFixture[str],
) -> None:
    logs.set_up(SETTINGS)
    for name in logs.QUIET_LIBRARIES:
        logging.getLogger(name).info("GET /bot%s/getMe", TOKEN)
    logging.getLogger("httpx").warning("failed: /bot%s/getMe", TOKEN)
    (line,) = lines(capsys)
    assert line["event"] == f"failed: /bot{logs.MASK}/getMe"


def test_chat_and_turn_are_in_every_line_of_a_turn(capsys: pytest.CaptureFixture[str]) -> None:
    logs.set_up(SETTINGS)
    with structlog.contextvars.bound_contextvars(chat="console", turn="t1"):
        structlog.get_logger().info("something")
    (line,) = lines(capsys)
    assert (line["chat"], line["turn"], line["level"]) == ("console", "t1", "info")


def test_what_is_below_the_level_is_not_logged(capsys: pytest.CaptureFixture[str]) -> None:
    logs.set_up(SETTINGS)
    structlog.get_logger().debug("details")
    logging.getLogger("some.library").debug("details")
    assert lines(capsys) == []


def test_people_get_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(LoggingSettings(format="human"), [KEY])
    structlog.get_logger().info("hello", key=KEY)
    err = capsys.readouterr().err
    assert "hello" in err
    assert KEY not in err
    assert "\x1b" not in err
