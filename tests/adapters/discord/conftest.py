"""A fake Discord, and the client's own idea of where Discord is, put back after each test."""

from collections.abc import AsyncIterator

import discord
import pytest

from tests.fakes.discord import FakeDiscord, Person


@pytest.fixture(autouse=True)
def one_discord_for_each_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """The adapter sets these for the whole process, in which there is one Discord."""
    monkeypatch.setattr(discord.http.Route, "BASE", discord.http.Route.BASE)
    socket = discord.gateway.DiscordWebSocket
    monkeypatch.setattr(socket, "DEFAULT_GATEWAY", socket.DEFAULT_GATEWAY)


@pytest.fixture
async def fake() -> AsyncIterator[FakeDiscord]:
    """A Discord; at the end nothing may have been sent that the real one punishes."""
    async with FakeDiscord() as server:
        yield server
    assert server.limits.violations == []


@pytest.fixture
def ada(fake: FakeDiscord) -> Person:
    """A person with a direct chat."""
    return fake.person("Ada")
