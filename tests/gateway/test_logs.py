"""What is logged, and what never is."""

import asyncio
import json
import logging
import stat
import sys
import threading
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import httpx
import pytest
import structlog
from PIL import Image
from pydantic import SecretStr

from config.mcp import McpServerSettings
from config.models import ModelSettings
from config.settings import LoggingSettings, Settings
from config.telegram import TelegramSettings
from gateway import logs
from gateway.errors import StartupError
from gateway.log_file import log_file
from gateway.masking import MASK, Mask, secrets_in
from gateway.runtime.workers import Workers

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
    assert sorted(secrets_in(SETTINGS)) == sorted([TOKEN, KEY])


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
    assert first["nested"] == {"a": [MASK]}


def test_libraries_are_masked_and_only_heard_when_something_is_wrong(
    capsys: pytest.CaptureFixture[str],
) -> None:
    logs.set_up(SETTINGS)
    for name in logs.QUIET_LIBRARIES:
        logging.getLogger(name).info("GET /bot%s/getMe", TOKEN)
    logging.getLogger("httpx").warning("failed: /bot%s/getMe", TOKEN)
    (line,) = lines(capsys)
    assert line["event"] == f"failed: /bot{MASK}/getMe"


def test_looking_into_a_picture_is_not_worth_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    logs.set_up(SETTINGS, level="debug")
    picture = BytesIO()
    Image.new("RGB", (8, 8)).save(picture, "PNG")
    Image.open(picture).load()
    assert lines(capsys) == []


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


def test_a_secret_is_masked_in_every_form_that_an_address_gives_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    logs.set_up(SETTINGS)
    url = httpx.URL("https://x/", params={"token": TOKEN})
    structlog.get_logger().warning("refused", url=url, again=f"https://x/bot{TOKEN}/getMe")
    assert "123456" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "https://api.telegram.org/bot987654321:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/getMe",
        "Authorization: Bearer AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
        "Incorrect API key provided: sk-proj-AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw.",
        "http://ada:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw@proxy:3128",
    ],
)
def test_what_looks_like_a_secret_is_masked_although_nobody_knows_it(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.set_up(SETTINGS)
    logging.getLogger("some.library").warning("%s", text)
    err = capsys.readouterr().err
    assert "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw" not in err
    assert MASK in err


def test_a_key_that_is_none_is_no_secret(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(LoggingSettings(), ["none"])
    structlog.get_logger().warning("there is none")
    assert "there is none" in capsys.readouterr().err


async def test_tasks_and_threads_of_a_turn_write_its_ids(
    capsys: pytest.CaptureFixture[str],
) -> None:
    logs.set_up(SETTINGS)
    workers = Workers(1)

    def library() -> None:
        logging.getLogger("some.library").warning("from a thread")

    async def task() -> None:
        structlog.get_logger().info("from a task")

    with structlog.contextvars.bound_contextvars(chat="console", turn="t1"):
        async with asyncio.TaskGroup() as group:
            group.create_task(task())
            group.create_task(asyncio.to_thread(library))
            group.create_task(workers.run(library))
    await workers.close()
    written = lines(capsys)
    assert len(written) == 3
    assert {(line["chat"], line["turn"]) for line in written} == {("console", "t1")}


def test_uncaught_exceptions_are_lines_of_the_log(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    logs.set_up(SETTINGS)
    logs.take_over()
    logging.captureWarnings(False)

    def fail() -> None:
        raise ValueError(f"bad key {KEY}")

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    (line,) = lines(capsys)
    assert (line["event"], line["level"]) == ("unexpected error", "critical")
    assert f"ValueError: bad key {MASK}" in str(line["exception"])


def settings_with(**changes: object) -> Settings:
    return SETTINGS.model_copy(
        update={"logging": LoggingSettings.model_validate({"format": "json", **changes})}
    )


def test_a_file_gets_the_same_lines_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    settings = settings_with(file="hermes.log")
    with log_file(tmp_path / "data", settings.logging) as handler:
        logs.set_up(settings, "error", handler)
        structlog.get_logger().info("hello", key=KEY)
        logging.getLogger("some.library").warning("%s", TOKEN)
    file = tmp_path / "data" / "hermes.log"
    hello, foreign = map(json.loads, file.read_text().splitlines())
    assert (hello["event"], hello["key"]) == ("hello", MASK)
    assert (foreign["event"], foreign["level"]) == (MASK, "warning")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_goes_on_when_logging_is_set_up_anew(tmp_path: Path) -> None:
    settings = settings_with(file="hermes.log")
    with log_file(tmp_path, settings.logging) as handler:
        logs.set_up(settings, "error", handler)
        structlog.get_logger().info("before")
        logs.set_up(settings, "error", handler)
        structlog.get_logger().info("after")
    written = [json.loads(line) for line in (tmp_path / "hermes.log").read_text().splitlines()]
    assert [line["event"] for line in written] == ["before", "after"]


def test_a_file_that_is_full_is_followed_by_the_next(tmp_path: Path) -> None:
    settings = settings_with(file="hermes.log", file_mb=1, file_count=2)
    with log_file(tmp_path, settings.logging) as handler:
        logs.set_up(settings, "error", handler)
        for number in range(5):
            structlog.get_logger().info("long", number=number, text="x" * 700_000)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hermes.log", "hermes.log.1"]
    assert json.loads((tmp_path / "hermes.log").read_text())["number"] == 4
    assert json.loads((tmp_path / "hermes.log.1").read_text())["number"] == 3


def test_a_file_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "hermes.log").mkdir()
    settings = settings_with(file="hermes.log")
    with (
        pytest.raises(StartupError, match="can't be written"),
        log_file(tmp_path, settings.logging),
    ):
        pass


def test_a_full_disk_is_said_once_and_stops_nobody(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "hermes.log").symlink_to("/dev/full")
    settings = settings_with(file="hermes.log")
    with log_file(tmp_path, settings.logging) as handler:
        logs.set_up(settings, "error", handler)
        for _ in range(3):
            structlog.get_logger().info("hello")
    err = capsys.readouterr().err
    assert err.startswith("The log file can't be written: No space left on device.")
    assert len(err.splitlines()) == 1


def test_without_a_file_name_there_is_no_file(tmp_path: Path) -> None:
    with log_file(tmp_path, SETTINGS.logging) as handler:
        assert handler is None
    assert list(tmp_path.iterdir()) == []


def test_the_secret_in_a_header_is_known_without_the_words_around_it() -> None:
    server = McpServerSettings.model_validate(
        {"url": "https://mcp.example", "headers": {"Authorization": "Bearer abcdef-0123456789"}}
    )
    told = Mask(secrets_in(server)).text("your token abcdef-0123456789 has expired; Bearer is fine")
    assert told == f"your token {MASK} has expired; Bearer is fine"
