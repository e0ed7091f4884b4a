"""A fake Telegram, an adapter that talks with it, and the same while it runs."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from adapters.base import MediaKind, OutgoingFile
from adapters.telegram.adapter import TelegramAdapter
from tests.adapters.telegram.bare_client import Client
from tests.adapters.telegram.sendable import MakeFile
from tests.adapters.telegram.serving import Serving, adapter_for
from tests.fakes.telegram import FakeTelegram, Person


@pytest.fixture
async def fake() -> AsyncIterator[FakeTelegram]:
    """A Bot API server; at the end nothing may have been sent that the real one must repair."""
    async with FakeTelegram() as server:
        yield server
    assert server.world.violations == []


@pytest.fixture
def ada(fake: FakeTelegram) -> Person:
    """A person with a private chat."""
    return fake.people.person("Ada")


@pytest.fixture
async def adapter(fake: FakeTelegram) -> AsyncIterator[TelegramAdapter]:
    """An adapter that sends only."""
    made = adapter_for(fake)
    yield made
    await made.close()


@pytest.fixture
async def serving(fake: FakeTelegram) -> AsyncIterator[Serving]:
    """An adapter that runs."""
    async with Serving(adapter_for(fake)) as running:
        yield running


@pytest.fixture
async def client(fake: FakeTelegram) -> AsyncIterator[Client]:
    """Asks the fake without our adapter."""
    async with httpx.AsyncClient() as http:
        yield Client(fake, http)


@pytest.fixture
def make(tmp_path: Path) -> MakeFile:
    """Puts bytes into a file that may be sent."""

    def made(kind: MediaKind, content: bytes, name: str) -> OutgoingFile:
        path = tmp_path / name
        path.write_bytes(content)
        return OutgoingFile(path, kind, name)

    return made
