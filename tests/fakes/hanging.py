"""A platform that says nothing any more, in the middle of a reply: what a kill then looks like."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from adapters.base import Address, Part
from tests.fakes.platform import FakePlatform


def _any_part(_part: Part) -> bool:
    return True


@contextmanager
def hanging_at(
    platform: FakePlatform, is_it: Callable[[Part], bool] = _any_part, *, arrives: bool = False
) -> Iterator[asyncio.Event]:
    """Never answer to a part like this; it is on the screen if it `arrives`, and else is not.

    Gives an event, which is set once such a part has been sent.
    """
    has_come, send = asyncio.Event(), platform.send

    async def send_or_hang(address: Address, part: Part) -> tuple[str, ...]:
        if not is_it(part):
            return await send(address, part)
        if arrives:
            await send(address, part)
        has_come.set()
        return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(platform, "send", send_or_hang)
        yield has_come
