"""The fake refuses what Discord refuses, so that no test passes which Discord would fail."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.fakes.discord import Channel, FakeDiscord, Person
from tests.fakes.discord.checks import Refused, check_files
from tests.fakes.discord.limits import RateLimits, Rates

Answer = tuple[int, Any]


class Caller:
    """A client without any wisdom."""

    def __init__(self, fake: FakeDiscord, session: aiohttp.ClientSession) -> None:
        self._fake = fake
        self._session = session

    async def __call__(self, method: str, path: str, body: Any = None) -> Answer:
        headers = {"Authorization": f"Bot {self._fake.token}"}
        url = f"{self._fake.base_url}{path}"
        async with self._session.request(method, url, json=body, headers=headers) as response:
            return response.status, await response.json() if response.status != 204 else None

    async def send(self, channel: Channel, **body: Any) -> Answer:
        """Create a message."""
        return await self("POST", f"/channels/{channel.id}/messages", body)


@pytest.fixture
async def call(fake: FakeDiscord) -> AsyncIterator[Caller]:
    """Calls the fake."""
    async with aiohttp.ClientSession() as session:
        yield Caller(fake, session)


@pytest.fixture
def chat(ada: Person) -> Channel:
    """Ada's direct chat."""
    assert ada.direct is not None
    return ada.direct


def rows(*labels: str, custom_id: str = "id") -> list[dict[str, Any]]:
    """A row of buttons."""
    buttons = [
        {"type": 2, "style": 1, "label": label, "custom_id": f"{custom_id}{number}"}
        for number, label in enumerate(labels)
    ]
    return [{"type": 1, "components": buttons}]


def menu(count: int = 1, *, label: str = "a", value: str = "v") -> list[dict[str, Any]]:
    """A row with a menu."""
    options = [{"label": label, "value": f"{value}{number}"} for number in range(count)]
    return [{"type": 1, "components": [{"type": 3, "custom_id": "id", "options": options}]}]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"content": "x" * 2001}, 50035),
        ({"content": " \n"}, 50006),
        ({}, 50006),
        ({"embeds": [{"description": "x" * 4097}]}, 50035),
        ({"content": "x", "components": rows(*"abcdef")}, 50035),
        ({"content": "x", "components": rows("a") * 6}, 50035),
        ({"content": "x", "components": rows("x" * 81)}, 50035),
        ({"content": "x", "components": rows("a", custom_id="x" * 100)}, 50035),
        ({"content": "x", "components": rows("a") * 2}, 50035),
        ({"content": "x", "components": menu(26)}, 50035),
        ({"content": "x", "components": menu(0)}, 50035),
        ({"content": "x", "components": menu(label="x" * 101)}, 50035),
        ({"content": "x", "components": menu(value="x" * 100)}, 50035),
        ({"content": "x", "components": menu() * 2}, 50035),
        (
            {
                "content": "x",
                "components": [{"type": 1, "components": menu()[0]["components"] * 2}],
            },
            50035,
        ),
        ({"content": "x", "nonce": "9" * 26}, 50035),
    ],
)
async def test_what_is_too_much_is_refused(
    call: Caller, chat: Channel, body: dict[str, Any], code: int
) -> None:
    status, answer = await call.send(chat, **body)
    assert (status, answer["code"]) == (400, code)
    assert chat.shown() == []


async def test_what_just_fits_is_taken(call: Caller, chat: Channel) -> None:
    status, _ = await call.send(chat, content="x" * 2000, components=rows(*"abcde"))
    assert status == 200
    assert chat.shown()[0].labels == list("abcde")
    assert (await call.send(chat, content="x", components=menu(25)))[0] == 200
    assert chat.shown()[1].labels == ["a"] * 25


async def test_a_nonce_makes_the_same_message_the_same(call: Caller, chat: Channel) -> None:
    first = await call.send(chat, content="x", nonce="1", enforce_nonce=True)
    second = await call.send(chat, content="x", nonce="1", enforce_nonce=True)
    assert first[1]["id"] == second[1]["id"]
    assert len(chat.shown()) == 1
    await call.send(chat, content="x", nonce="1")  # not enforced
    assert len(chat.shown()) == 2


async def test_what_is_not_there_has_its_codes(call: Caller, chat: Channel) -> None:
    assert (await call("GET", "/channels/1/messages"))[1]["code"] == 10003
    assert (await call("PATCH", f"/channels/{chat.id}/messages/1", {}))[1]["code"] == 10008
    assert (await call("POST", "/webhooks/1/nothing", {"content": "x"}))[1]["code"] == 10015


async def test_only_ones_own_messages_can_be_changed(
    fake: FakeDiscord, call: Caller, chat: Channel, ada: Person
) -> None:
    message = await fake.say(ada, "mine")
    path = f"/channels/{chat.id}/messages/{message.id}"
    assert (await call("PATCH", path, {"content": "yours"}))[0] == 403


async def test_an_interaction_is_answered_once_and_in_time(
    fake: FakeDiscord, call: Caller, chat: Channel, ada: Person
) -> None:
    made = await fake.slash(ada, chat, "new")
    path = f"/interactions/1/{made.token}/callback"
    assert (await call("POST", path, {"type": 5}))[0] == 200
    assert (await call("POST", path, {"type": 5}))[1]["code"] == 40060
    late = await fake.slash(ada, chat, "new")
    late.began -= 3.1
    path = f"/interactions/1/{late.token}/callback"
    assert (await call("POST", path, {"type": 5}))[1]["code"] == 10062
    made.began -= 15 * 60
    status, answer = await call("POST", f"/webhooks/1/{made.token}", {"content": "x"})
    assert (status, answer["code"]) == (401, 50027)


async def test_a_wrong_token_opens_nothing(fake: FakeDiscord, call: Caller, chat: Channel) -> None:
    fake.token = "another"
    good = await call.send(chat, content="x")
    assert good[0] == 200
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{fake.base_url}/users/@me", headers={"Authorization": "Bot x"}) as response,
    ):
        assert response.status == 401


def test_calls_beyond_a_bucket_are_refused_and_counted() -> None:
    limits = RateLimits(Rates(messages=(2, 60), total=(4, 60)))
    waits = [limits.take(("create", "1"))[0] for _ in range(3)]
    assert waits[:2] == [None, None]
    assert waits[2] is not None
    assert waits[2] > 50
    assert limits.take(("create", "2"))[0] is None  # another channel
    wait, headers = limits.take(("create", "3"))
    assert wait is not None
    assert headers["X-RateLimit-Global"] == "true"
    assert len(limits.violations) == 2
    assert limits.take(("callback", "1"), is_free=True)[0] is None


@pytest.mark.parametrize(
    ("sizes", "said", "status"),
    [
        ([1] * 11, [], 400),
        ([(10 << 20) + 1], [], 413),
        ([9 << 20] * 3, [], 413),
        ([1], [{"id": 1}], 400),
        ([1], [{"id": 0, "description": "x" * 1_025}], 400),
    ],
)
def test_too_many_and_too_large_files_are_refused(
    sizes: list[int], said: list[dict[str, Any]], status: int
) -> None:
    with pytest.raises(Refused) as refused:
        check_files({"attachments": said}, {f"files[{n}]": size for n, size in enumerate(sizes)})
    assert refused.value.status == status


def test_ten_files_that_just_fit_are_taken() -> None:
    said = [{"id": 9, "description": "x" * 1_024}]
    check_files({"attachments": said}, {f"files[{n}]": (25 << 20) // 10 for n in range(10)})
