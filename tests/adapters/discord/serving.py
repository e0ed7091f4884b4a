"""A running adapter against the fake, and what it handed over: the gateway's side of tests."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Self, TypeVar

from pydantic import HttpUrl, SecretStr

from adapters.base import Address, ButtonPress, ChatKind, Event, Inbound
from adapters.discord.adapter import DiscordAdapter
from adapters.discord.commands import SlashCommand
from adapters.discord.connecting import Pace
from config.discord import DiscordSettings
from tests.adapters.discord.world import OpenDesk
from tests.fakes.discord import Channel, FakeDiscord, Person

QUICK = Pace(first_wait_s=0.01, longest_wait_s=0.05)
_T = TypeVar("_T")


def adapter_for(
    fake: FakeDiscord,
    *,
    token: str | None = None,
    commands: Sequence[SlashCommand] = (),
    **settings: object,
) -> DiscordAdapter:
    """An adapter that talks with the fake, over HTTP and WebSocket."""
    wanted = DiscordSettings.model_validate(
        {"token": SecretStr(token or fake.token), "base_url": HttpUrl(fake.base_url), **settings}
    )
    adapter = DiscordAdapter(wanted, commands=commands, desk=OpenDesk(), pace=QUICK)
    adapter.client.http.max_ratelimit_timeout = 30.0
    return adapter


def address_of(place: Person | Channel, reply_to: int | None = None) -> Address:
    """Where to write to somebody, or into a channel."""
    channel = place.direct if isinstance(place, Person) else place
    assert channel is not None
    return Address(
        platform="discord",
        chat_id=str((channel.parent or channel).id),
        kind=ChatKind.DIRECT if channel.guild is None else ChatKind.GROUP,
        thread_id=None if channel.parent is None else str(channel.id),
        reply_to=None if reply_to is None else str(reply_to),
    )


class Serving:
    """`async with Serving(adapter, fake)`: the adapter runs; events end up in `events`."""

    def __init__(self, adapter: DiscordAdapter, fake: FakeDiscord) -> None:
        self.adapter = adapter
        self.events: list[Event] = []
        self.may_take = asyncio.Event()  # cleared: `receive` does not return
        self.may_take.set()
        self._fake = fake
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self.adapter.run(self.receive))
        await self._fake.connected()
        return self

    async def __aexit__(self, *_exception: object) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.wait([self._task])

    async def receive(self, event: Event) -> None:
        """What the adapter hands events to."""
        self.events.append(event)
        self._changed.set()
        await self.may_take.wait()

    async def wait_for(self, find: Callable[[], _T]) -> _T:
        """What `find` gives, as soon as it gives something."""
        async with asyncio.timeout(40):
            while not (found := find()):
                self._changed.clear()
                await self._changed.wait()
            return found

    async def inbound(self, number: int = 0) -> Inbound:
        """That message."""
        await self.wait_for(lambda: len(self.messages) > number)
        return self.messages[number]

    async def press(self) -> ButtonPress:
        """The first press of a button."""
        return (await self.wait_for(lambda: self._presses))[0]

    @property
    def messages(self) -> list[Inbound]:
        """All messages so far."""
        return [one for one in self.events if isinstance(one, Inbound)]

    @property
    def _presses(self) -> list[ButtonPress]:
        return [one for one in self.events if isinstance(one, ButtonPress)]
