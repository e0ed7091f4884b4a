"""Whole gateways: the composition root in this process, or the command line in one of its own.

Agents are the real Wasm; Telegram and the model are servers on loopback ports.
"""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import discord
import pytest
import structlog

from config.settings import Settings
from gateway import app, logs
from gateway.runtime.engine import Engine
from tests.end_to_end.discord_gateway import Running
from tests.end_to_end.serving import MakeSettings, Serve
from tests.fakes.discord import FakeDiscord
from tests.fakes.discord import world as discord_world
from tests.fakes.model_server import KEY, ModelServer
from tests.fakes.telegram import FakeTelegram, Person
from tests.replaying import everything_replays

_GRACE_S = 5


@pytest.fixture(scope="session", autouse=True)
def compiled_agent() -> None:
    """Compile the agent, if it is new: that may take longer than a test waits for an answer."""
    Engine().close()


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    """A model server that answers what is enqueued."""
    server = ModelServer(api_key=KEY)
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def telegram() -> AsyncIterator[FakeTelegram]:
    """A Bot API server; at the end nothing may have been sent that the real one must repair."""
    async with FakeTelegram() as fake:
        yield fake
    assert fake.world.violations == []


@pytest.fixture
def ada(telegram: FakeTelegram) -> Person:
    """Somebody who may talk to the bot."""
    return telegram.people.person("Ada")


@pytest.fixture
async def fake(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeDiscord]:
    """A Discord; at the end nothing may have been sent that the real one punishes."""
    # The adapter sets these for the whole process, in which there is one Discord.
    monkeypatch.setattr(discord.http.Route, "BASE", discord.http.Route.BASE)
    socket = discord.gateway.DiscordWebSocket
    monkeypatch.setattr(socket, "DEFAULT_GATEWAY", socket.DEFAULT_GATEWAY)
    async with FakeDiscord() as server:
        yield server
    assert server.limits.violations == []


@pytest.fixture
def eva(fake: FakeDiscord) -> discord_world.Person:
    """Somebody on Discord who may talk to the bot."""
    return fake.person("Eva")


@pytest.fixture
def running(serve: Serve, fake: FakeDiscord, model: ModelServer, tmp_path: Path) -> Running:
    """Start gateways between Discord and the model."""
    return Running(serve, fake, model, tmp_path)


@pytest.fixture
def make_settings(
    telegram: FakeTelegram, model: ModelServer, ada: Person, tmp_path: Path
) -> MakeSettings:
    """Settings for a gateway between the two servers; changes are made section by section."""

    def make(**changes: dict[str, Any]) -> Settings:
        sections: dict[str, dict[str, Any]] = {
            "model": {
                "provider": "openai",
                "name": "fake-model",
                "base_url": model.base_url,
                "api_key": KEY,
                "tries": 1,
            },
            "telegram": {
                "token": telegram.token,
                "base_url": telegram.base_url,
                "allowed_users": (ada.id,),
                "edit_interval_s": 0.05,
                "chat_messages_per_s": 1_000,
                "group_messages_per_minute": 60_000,
                "messages_per_s": 1_000,
            },
            "access": {"user_burst": 10_000, "chat_burst": 10_000},
            "logging": {"level": "debug"},
        }
        for name, change in changes.items():
            sections[name] = sections.get(name, {}) | change
        return Settings.model_validate({"data_dir": tmp_path / "data", **sections})

    return make


async def _ended(task: asyncio.Task[int]) -> None:
    """End a gateway as systemd does; at once, if it is still busy a while after.

    A reply is on the screen a moment before the gateway knows it. Cancelled in that moment, it
    would say at its next start that it was interrupted.
    """
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:  # else nobody would take it
        signal.raise_signal(signal.SIGTERM)
        await asyncio.wait([task], timeout=_GRACE_S)
    task.cancel()
    await asyncio.wait([task])


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Run a gateway for as long as the context lasts; gives what it reports at its start."""

    @asynccontextmanager
    async def served(settings: Settings) -> AsyncIterator[list[str]]:
        logs.set_up(settings)
        reports: list[str] = []
        task = asyncio.create_task(app.run(settings, reports.append))
        try:
            yield reports
        finally:
            await _ended(task)
        if not task.cancelled():
            task.result()  # it ended by itself: raise why
        await everything_replays(settings.data_dir)

    yield served
    structlog.reset_defaults()


@pytest.fixture
async def gateway(serve: Serve, make_settings: MakeSettings) -> AsyncIterator[None]:
    """A gateway that runs, with the settings that most tests want."""
    async with serve(make_settings()):
        yield
