"""How tests start a whole gateway between a fake Discord and a model server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from config.settings import Settings
from tests.end_to_end.serving import Serve
from tests.fakes.discord import Channel, FakeDiscord, Message, Person
from tests.fakes.model_server import KEY, ModelServer


class Running:
    """`async with running(ada)`: a gateway runs, and lets Ada in."""

    def __init__(self, serve: Serve, fake: FakeDiscord, model: ModelServer, folder: Path) -> None:
        self._serve = serve
        self._fake = fake
        self._model = model
        self._folder = folder

    @asynccontextmanager
    async def __call__(
        self, *people: Person, **changes: dict[str, Any]
    ) -> AsyncIterator[list[str]]:
        """A gateway that lets these people in, and what it reports at its start."""
        sections: dict[str, dict[str, Any]] = {
            "model": {
                "provider": "openai",
                "name": "fake-model",
                "base_url": self._model.base_url,
                "api_key": KEY,
                "tries": 1,
            },
            "discord": {
                "token": self._fake.token,
                "base_url": self._fake.base_url,
                "allowed_users": [person.id for person in people],
                "edit_interval_s": 0.05,
            },
            "access": {"user_burst": 10_000, "chat_burst": 10_000},
        }
        for name, change in changes.items():
            sections[name] = sections.get(name, {}) | change
        settings = Settings.model_validate({"data_dir": self._folder / "data", **sections})
        async with self._serve(settings) as reports:
            await self._fake.connected()
            yield reports


def last_text(fake: FakeDiscord, place: Person | Channel) -> str:
    """What the bot said last."""
    replies = fake.replies(place)
    return replies[-1].text if replies else ""


def with_button(fake: FakeDiscord, place: Person | Channel, label: str) -> list[Message]:
    """The bot's messages that have such a button."""
    return [one for one in fake.replies(place) if label in one.labels]
