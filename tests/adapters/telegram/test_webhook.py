"""Updates that come by webhook: taken in order, from Telegram only, and never lost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from structlog.testing import capture_logs

from adapters.base import AdapterError, Inbound
from adapters.telegram.adapter import TelegramAdapter
from adapters.telegram.patience import Pace
from adapters.telegram.webhook import LARGEST_UPDATE_BYTES, SECRET_HEADER
from tests.adapters.telegram.serving import Serving, adapter_for
from tests.fakes.telegram import FakeTelegram, Person, faults
from tests.fakes.telegram.ports import free_port

QUICK = Pace(first_wait_s=0.01, longest_wait_s=0.05, webhook_check_s=0.05)


@pytest.fixture
async def fake(tmp_path: Path) -> AsyncIterator[FakeTelegram]:
    """A server of one's own, which calls plain HTTP addresses; the public one wants HTTPS."""
    async with FakeTelegram(local_folder=tmp_path) as server:
        yield server


@pytest.fixture
def port() -> int:
    return free_port()


def adapter_on(fake: FakeTelegram, port: int, **webhook: Any) -> TelegramAdapter:
    settings = {"url": f"http://127.0.0.1:{port}/telegram/hook", "port": port} | webhook
    return adapter_for(fake, pace=QUICK, webhook=settings)


@asynccontextmanager
async def calling(port: int, secret: str | None) -> AsyncIterator[aiohttp.ClientSession]:
    """Somebody who calls the webhook."""
    headers = {} if secret is None else {SECRET_HEADER: secret}
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}", headers=headers) as session:
        yield session


async def test_updates_come_in_order_and_each_is_answered_once_taken(
    fake: FakeTelegram, ada: Person, port: int
) -> None:
    for number in range(5):
        fake.people.say(ada, str(number))
    async with Serving(adapter_on(fake, port)) as serving:
        events = await serving.received(5)
        await fake.wait_for(lambda: not fake.updates.pending)
    assert [event.text for event in events if isinstance(event, Inbound)] == list("01234")
    assert fake.updates.polls == 0
    assert fake.updates.allowed == [
        "message",
        "edited_message",
        "callback_query",
        "message_reaction",
        "my_chat_member",
        "stopped_message_generation",
    ]


async def test_an_update_is_not_acknowledged_before_it_is_taken_and_comes_again_after_a_stop(
    fake: FakeTelegram, ada: Person, port: int
) -> None:
    """Case 24: what the process died with comes again, with the same id."""
    fake.people.say(ada, "one")
    async with Serving(adapter_on(fake, port)) as first:
        first.may_take.clear()
        await first.received(1)
    assert len(fake.updates.pending) == 1
    async with Serving(adapter_on(fake, port)) as second:
        events = await second.received(1)
        await fake.wait_for(lambda: not fake.updates.pending)
    assert events[0].event_id == "1000"


async def test_an_update_that_the_gateway_fails_on_comes_again(
    fake: FakeTelegram, ada: Person, port: int
) -> None:
    serving = Serving(adapter_on(fake, port))
    serving.failures.append(OSError("disk full"))
    with capture_logs() as logs:
        async with serving:
            fake.people.say(ada, "one")
            fake.people.say(ada, "two")
            events = await serving.received(3)
    assert [event.event_id for event in events] == ["1000", "1000", "1001"]
    assert any("could not be taken" in entry["event"] for entry in logs)


async def test_what_cannot_be_read_does_not_come_for_ever(
    fake: FakeTelegram, ada: Person, port: int
) -> None:
    with capture_logs():
        async with Serving(adapter_on(fake, port)) as serving:
            fake.updates.put("message", {"message_id": "of another world"})
            fake.people.say(ada, "hello")
            assert (await serving.inbound()).text == "hello"
            await fake.wait_for(lambda: not fake.updates.pending)
    assert fake.webhook.answers == [200, 200]


@pytest.mark.parametrize("secret", [None, "", "wrong", "ä"])
async def test_who_does_not_know_the_secret_is_not_heard(
    fake: FakeTelegram, port: int, secret: str | None
) -> None:
    async with Serving(adapter_on(fake, port)) as serving:
        await fake.wait_for(lambda: fake.webhook.secret)
        async with (
            calling(port, secret) as session,
            session.post("/telegram/hook", json={"update_id": 1}) as response,
        ):
            assert response.status == 403
        assert serving.events == []


async def test_a_secret_is_made_anew_unless_one_is_set(fake: FakeTelegram, port: int) -> None:
    secrets = set()
    for _ in range(2):
        async with Serving(adapter_on(fake, port)):
            await fake.wait_for(lambda: fake.webhook.secret)
            secrets.add(fake.webhook.secret)
        fake.webhook.set({})
    assert len(secrets) == 2
    assert all(len(secret or "") >= 32 for secret in secrets)
    async with Serving(adapter_on(fake, port, secret_token="set-by-hand")):
        await fake.wait_for(lambda: fake.webhook.secret == "set-by-hand")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"x" * (LARGEST_UPDATE_BYTES + 1), 413),
        (b"not JSON", 400),
        (b"[]", 400),
        (b'{"update_id": "1"}', 400),
        (b"\xff", 400),
    ],
)
async def test_what_is_no_update_is_refused(
    fake: FakeTelegram, port: int, body: bytes, status: int
) -> None:
    async with Serving(adapter_on(fake, port)) as serving:
        await fake.wait_for(lambda: fake.webhook.secret)
        async with calling(port, fake.webhook.secret) as session:
            async with session.post("/telegram/hook", data=BytesIO(body)) as response:
                assert response.status == status
            async with session.post("/elsewhere", data=BytesIO(body)) as response:
                assert response.status == 404
            async with session.get("/telegram/hook") as response:
                assert response.status == 405
        assert serving.events == []


async def test_behind_a_proxy_the_path_may_be_another(
    fake: FakeTelegram, ada: Person, port: int
) -> None:
    adapter = adapter_on(fake, port, path="/inner")
    async with Serving(adapter) as serving:
        await fake.wait_for(lambda: fake.webhook.secret)
        async with (
            calling(port, fake.webhook.secret) as session,
            session.post("/inner", json={"update_id": 7}) as response,
        ):
            assert response.status == 200
        assert serving.events == []  # an update without anything for us


async def test_a_webhook_that_somebody_else_has_moved_is_set_again(
    fake: FakeTelegram, ada: Person, port: int
) -> None:
    with capture_logs() as logs:
        async with Serving(adapter_on(fake, port)) as serving:
            await fake.wait_for(lambda: fake.updates.webhook_url)
            fake.webhook.set({})
            fake.people.say(ada, "hello")
            assert (await serving.inbound()).text == "hello"
    assert any("another program has changed" in entry["event"] for entry in logs)


async def test_calls_that_do_not_arrive_are_told_with_telegrams_reason(
    fake: FakeTelegram, ada: Person, port: int
) -> None:
    elsewhere = f"http://127.0.0.1:{free_port()}/hook"
    with capture_logs() as logs:
        async with Serving(adapter_on(fake, port, url=elsewhere)):
            fake.people.say(ada, "hello")
            await fake.wait_for(lambda: len(fake.calls_of("getWebhookInfo")) >= 3)
    failed = [entry for entry in logs if entry["event"] == "Telegram's calls fail"]
    assert failed[0]["reason"] == "Connection refused"
    assert failed[0]["waiting"] == 1


async def test_the_start_waits_until_telegram_takes_the_webhook(
    fake: FakeTelegram, ada: Person, port: int
) -> None:
    fake.fail("setWebhook", faults.bad_gateway())
    fake.fail("setWebhook", faults.retry_after(1))
    fake.people.say(ada, "hello")
    async with Serving(adapter_on(fake, port)) as serving:
        assert (await serving.inbound()).text == "hello"


async def test_a_port_that_is_taken_is_a_clear_end(fake: FakeTelegram, port: int) -> None:
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", port)
    async with server:
        adapter = adapter_on(fake, port)
        with pytest.raises(AdapterError, match=rf"can't listen on 127\.0\.0\.1:{port}"):
            await adapter.run(Serving(adapter).receive)


async def test_back_to_polling_nothing_is_lost(fake: FakeTelegram, ada: Person, port: int) -> None:
    async with Serving(adapter_on(fake, port)):
        await fake.wait_for(lambda: fake.updates.webhook_url)
    fake.people.say(ada, "written while nobody listened")
    async with Serving(adapter_for(fake)) as serving:
        assert (await serving.inbound()).text == "written while nobody listened"
    assert fake.updates.webhook_url == ""


async def test_the_pulse_beats_as_long_as_telegram_says_where_it_calls(
    fake: FakeTelegram, port: int
) -> None:
    adapter = adapter_on(fake, port)
    assert adapter.pulse.max_silence_s == pytest.approx(3 * QUICK.webhook_check_s)
    async with Serving(adapter):
        await fake.wait_for(lambda: len(fake.calls_of("getWebhookInfo")) >= 2)
        assert adapter.pulse.silent_s() is not None
