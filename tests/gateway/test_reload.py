"""Reading the settings again: who is told what, and what is said of it."""

from collections.abc import Iterator

import pytest
import structlog

from config.errors import ConfigInvalid, Problem
from config.settings import ChatSettings, HttpSettings, LoggingSettings, Settings
from gateway import logs
from gateway.reload import IN_PART, UNCHANGED, Reload

OLD = Settings()
NEW = Settings(chats=ChatSettings(busy="steer"), http=HttpSettings(port=8080))


@pytest.fixture(autouse=True)
def logging_as_in_production() -> Iterator[None]:
    """Tracebacks, too, are written by what a real gateway uses."""
    logs.configure(LoggingSettings())
    yield
    structlog.reset_defaults()


class Part:
    """A part of a gateway; breaks if it is told to."""

    def __init__(self) -> None:
        self.told: list[Settings] = []
        self.breaks = False

    async def __call__(self, settings: Settings) -> None:
        if self.breaks:
            raise OSError("no more files")
        self.told.append(settings)


async def test_the_parts_are_told_what_holds_now_and_a_person_what_changed() -> None:
    reload, part = Reload(OLD, lambda: NEW), Part()
    reload.tell(part)
    text = await reload()
    assert text == "In force from now on: `chats.busy`.\n\nOnly after a restart: `http.port`."
    (settings,) = part.told
    assert (settings.chats.busy, settings.http.port) == ("steer", None)


async def test_what_waits_for_a_restart_is_named_each_time() -> None:
    reload = Reload(OLD, lambda: NEW)
    await reload()
    assert await reload() == "Only after a restart: `http.port`."


async def test_the_same_settings_are_said_to_be_the_same() -> None:
    assert await Reload(OLD, Settings)() == UNCHANGED


async def test_a_mistake_reaches_nobody_but_the_one_who_asks() -> None:
    def mistaken() -> Settings:
        raise ConfigInvalid([Problem(file="hermes.yaml", line=3, column=1, text="no such key.")])

    reload, part = Reload(OLD, mistaken), Part()
    reload.tell(part)
    text = await reload()
    assert "hermes.yaml:3:1" in text
    assert part.told == []


async def test_what_breaks_is_told_and_tried_again_the_next_time() -> None:
    reload, part = Reload(OLD, lambda: NEW), Part()
    reload.tell(part)
    part.breaks = True
    assert await reload() == IN_PART
    part.breaks = False
    assert "`chats.busy`" in await reload()
    assert len(part.told) == 1


async def test_settings_from_nowhere_stay() -> None:
    assert "not read from anywhere" in await Reload(OLD)()
