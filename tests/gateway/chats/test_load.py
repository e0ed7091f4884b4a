"""Many chats at once: nobody starves, and nothing of one chat is seen in another."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from adapters.base import Sender
from config.settings import AccessSettings
from config.telegram import TelegramSettings
from tests.gateway.chats.small_gateway import SmallGateway, Start, is_settled

CHATS = 50
PEOPLE = [Sender(str(number), f"Person {number}") for number in range(1, CHATS + 1)]
EVERYBODY = TelegramSettings(allowed_users=tuple(range(1, CHATS + 1)))
NO_LIMITS = AccessSettings(user_burst=1_000, chat_burst=1_000)


def asked(gateway: SmallGateway) -> list[str]:
    """What the model was asked, in order."""
    return [request.body["messages"][-1]["content"] for request in gateway.model.requests]


async def settled(gateway: SmallGateway, person: Sender, replies: int) -> list[str]:
    screen = await gateway.platform.until(
        lambda s: len(s.texts) == replies and is_settled(s), chat=person.id
    )
    return screen.texts


@pytest.mark.parametrize("limit", ["max_turns", "max_agents"])
async def test_a_busy_chat_does_not_starve_the_others(start: Start, limit: str) -> None:
    busy, *others = PEOPLE
    limits: dict[str, int] = {limit: 1}
    async with start(telegram=EVERYBODY, access=NO_LIMITS, **limits) as gateway:
        first = gateway.model.enqueue(text="ok", gated=True)
        await gateway.platform.say("busy 1", sender=busy)
        await first.started.wait()
        for number in range(2, 6):
            await gateway.platform.say(f"busy {number}", sender=busy)
        for person in others:
            await gateway.platform.say(f"from {person.id}", sender=person)
        for _ in range(CHATS + 3):
            gateway.model.enqueue(text="ok")
        first.release(10)
        await settled(gateway, busy, 5)
        assert asked(gateway)[1:CHATS] == [f"from {person.id}" for person in others]
        assert asked(gateway)[CHATS:] == [f"busy {number}" for number in range(2, 6)]


async def test_no_more_turns_run_than_the_limit_allows(start: Start) -> None:
    async with start(telegram=EVERYBODY, access=NO_LIMITS, max_turns=3) as gateway:
        scripts = [gateway.model.enqueue(text="ok", gated=True) for _ in range(6)]
        for person in PEOPLE[:6]:
            await gateway.platform.say("hello", sender=person)
        for number, script in enumerate(scripts):
            await script.started.wait()
            assert len(gateway.model.requests) <= number + 3
            assert gateway.pool.stats().leased <= 3
            script.release(10)
        for person in PEOPLE[:6]:
            await settled(gateway, person, 1)


async def test_a_turn_that_waits_for_its_place_can_be_stopped(start: Start) -> None:
    first, second, *_ = PEOPLE
    async with start(telegram=EVERYBODY, max_turns=1) as gateway:
        running = gateway.model.enqueue(text="ok", gated=True)
        await gateway.platform.say("one", sender=first)
        await running.started.wait()
        await gateway.platform.say("two", sender=second)
        await gateway.platform.say("/stop", sender=second)
        running.release(10)
        assert await settled(gateway, second, 1) == ["*(stopped)*"]
        assert len(gateway.model.requests) == 1
        await gateway.chats.idle(f"telegram:dm:{second.id}")
        assert await gateway.store.inbound.waiting() == []  # a restart does not answer it


def conversation(person: Sender) -> list[str]:
    """What a person says: with tools, notes and lists that are theirs alone."""
    return [
        f"remember that my cat is called Cat{person.id}",
        f"todo: buy {person.id} apples, call number {person.id}",
        "what is my cat called?",
        "what is on my list?",
        "what do you know about me?",
    ]


async def converse(gateway: SmallGateway, person: Sender) -> tuple[list[str], list[Any]]:
    """Say all of it, each once the one before is answered; what is then shown and stored."""
    lines = conversation(person)
    for number, line in enumerate(lines, start=1):
        await gateway.platform.say(line, sender=person)
        await settled(gateway, person, number)
    chat = f"telegram:dm:{person.id}"
    await gateway.chats.idle(chat)
    texts = await settled(gateway, person, len(lines))
    return texts, with_plain_ids(await gateway.history(chat))


def with_plain_ids(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same with the calls numbered: the model makes their ids up."""
    written = json.dumps(history)
    for number, call_id in enumerate(dict.fromkeys(re.findall(r"call_\w+", written))):
        written = written.replace(call_id, f"#{number}")
    plain: list[dict[str, Any]] = json.loads(written)
    return plain


@pytest.mark.timeout(240)
async def test_fifty_chats_at_once_are_what_each_is_alone(start: Start, tmp_path: Path) -> None:
    common: dict[str, Any] = {
        "telegram": EVERYBODY,
        "access": NO_LIMITS,
        "llm": {"provider": "demo", "name": "demo"},
    }
    # Fewer agents than chats: they are put to sleep and woken all the time.
    async with start(folder=tmp_path / "together", max_agents=8, **common) as gateway:
        together = await asyncio.gather(*(converse(gateway, person) for person in PEOPLE))
        assert gateway.pool.stats().hibernated > 0
    for person, (texts, _) in zip(PEOPLE, together, strict=True):
        assert any(f"Cat{person.id}" in text for text in texts)
        assert any(f"buy {person.id} apples" in text for text in texts)
    places = asyncio.Semaphore(10)  # gateways at a time, which know nothing of each other

    async def alone(person: Sender) -> tuple[list[str], list[Any]]:
        async with places, start(folder=tmp_path / f"alone {person.id}", **common) as gateway:
            return await converse(gateway, person)

    assert together == await asyncio.gather(*map(alone, PEOPLE))
