"""A running adapter and what it handed over; the gateway's side, for the tests in this folder."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Self

import pytest
from pydantic import HttpUrl, SecretStr

from adapters.base import (
    AdapterError,
    Address,
    ButtonPress,
    ChatKind,
    Edited,
    Event,
    Inbound,
    Menus,
    Moved,
    Part,
    Reaction,
)
from adapters.telegram import requests
from adapters.telegram.adapter import TelegramAdapter
from adapters.telegram.patience import Pace
from config.telegram import TelegramSettings
from tests.fakes.telegram import Chat, FakeTelegram, Person
from tests.fakes.telegram.faults import Fault
from tests.fakes.telegram.server import TOKEN
from tests.fakes.telegram.updates import Changes

QUICK = Pace(long_poll_s=5, answer_within_s=5, first_wait_s=0.01, longest_wait_s=0.05)


def settings_for(
    fake: FakeTelegram | None, token: str | None = None, **more: Any
) -> TelegramSettings:
    """Settings that lead to the fake; to the public server, which no test reaches, without one."""
    if fake is None:
        return TelegramSettings(token=SecretStr(TOKEN))
    return TelegramSettings(
        token=SecretStr(token or fake.token), base_url=HttpUrl(fake.base_url), **more
    )


def adapter_for(
    fake: FakeTelegram | None,
    *,
    token: str | None = None,
    commands: Sequence[tuple[str, str]] = (),
    menus: Callable[[], Menus] | None = None,
    answer_within_s: float = 5,
    pace: Pace = QUICK,
    **more: Any,
) -> TelegramAdapter:
    """An adapter that talks with the fake, over HTTP; further arguments are settings."""
    return TelegramAdapter(
        settings_for(fake, token, **more),
        menus=menus or (lambda: Menus(members=tuple(commands))),
        pace=pace,
        request=requests.for_calls(read_timeout_s=answer_within_s),
    )


async def failure_of(
    fake: FakeTelegram, method: str, fault: Fault, address: Address, part: Part
) -> AdapterError:
    """What comes of a part if the method that sends it fails like that."""
    adapter = adapter_for(fake, answer_within_s=0.5 if fault.hangs else 5)
    fake.fail(method, fault)
    with pytest.raises(AdapterError) as caught:
        await adapter.send(address, part)
    await adapter.close()
    return caught.value


def address_of(
    place: Chat | Person, *, reply_to: int | None = None, topic: int | None = None
) -> Address:
    """Where to write to somebody, or into a chat."""
    return Address(
        platform="telegram",
        chat_id=str(place.id),
        kind=ChatKind.DIRECT if place.id > 0 else ChatKind.GROUP,
        thread_id=None if topic is None else str(topic),
        reply_to=None if reply_to is None else str(reply_to),
    )


class Serving:
    """`async with Serving(adapter)`: the adapter runs; events end up in `events`."""

    def __init__(self, adapter: TelegramAdapter) -> None:
        self.events: list[Event] = []
        self.failures: deque[Exception] = deque()  # raised by the next calls of `receive`
        self.may_take = asyncio.Event()  # cleared: `receive` does not return
        self.may_take.set()
        self._adapter = adapter
        self._changes = Changes()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._adapter.run(self.receive))
        return self

    async def __aexit__(self, *_exception: object) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.wait([self._task])

    async def receive(self, event: Event) -> None:
        """What the adapter hands events to."""
        self.events.append(event)
        self._changes.notify()
        if self.failures:
            raise self.failures.popleft()
        await self.may_take.wait()

    async def received(self, count: int) -> list[Event]:
        """The first `count` events, as soon as they are here."""
        async with asyncio.timeout(30):
            await self._changes.until(lambda: len(self.events) >= count)
        return self.events[:count]

    async def inbound(self, number: int = 0) -> Inbound:
        """That event, which must be a message."""
        event = (await self.received(number + 1))[number]
        assert isinstance(event, Inbound)
        return event

    async def edited(self, number: int = 0) -> Edited:
        """That event, which must be a change of a message."""
        event = (await self.received(number + 1))[number]
        assert isinstance(event, Edited)
        return event

    async def reaction(self, number: int = 0) -> Reaction:
        """That event, which must be a reaction."""
        event = (await self.received(number + 1))[number]
        assert isinstance(event, Reaction)
        return event

    async def moved(self, number: int = 0) -> Moved:
        """That event, which must be a move."""
        event = (await self.received(number + 1))[number]
        assert isinstance(event, Moved)
        return event

    async def press(self, number: int = 0) -> ButtonPress:
        """That event, which must be the press of a button."""
        event = (await self.received(number + 1))[number]
        assert isinstance(event, ButtonPress)
        return event
