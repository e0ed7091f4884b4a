"""Discord by a proxy: calls, the WebSocket and files all go over it, and its password is unseen."""

import asyncio
from urllib.parse import urlsplit

import pytest
from structlog.testing import capture_logs

from adapters.base import Part
from tests.adapters.discord.serving import Serving, adapter_for
from tests.fakes.discord import FakeDiscord, Person
from tests.fakes.proxies import Proxy

PASSWORD = "swordfish-of-the-proxy"


@pytest.mark.parametrize("user", [None, f"ada:{PASSWORD}"])
async def test_everything_goes_over_the_proxy(
    fake: FakeDiscord, ada: Person, user: str | None
) -> None:
    async with Proxy(user) as proxy, Serving(adapter_for(fake, proxy=proxy.url), fake) as serving:
        before = len(proxy.targets)
        file = fake.store_file("notes.txt", b"cats purr")
        await fake.say(ada, "look", attachments=[file])
        heard = await serving.inbound()
        (attachment,) = heard.attachments
        pieces = [piece async for piece in serving.adapter.download(attachment)]
        await serving.adapter.send(heard.address, Part("they purr"))
    assert b"".join(pieces) == b"cats purr"
    assert [one.text for one in fake.replies(ada)] == ["they purr"]
    assert set(proxy.targets) == {urlsplit(fake.base_url).netloc}
    assert before >= 3  # who am I, where is the gateway, the gateway
    assert len(proxy.targets) >= before + 2


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_proxy_that_refuses_is_waited_out_and_its_password_is_not_in_the_log(
    fake: FakeDiscord, scheme: str
) -> None:
    """By HTTPS the client asks for a tunnel, and its error quotes the proxy's address."""
    async with Proxy("somebody:else") as proxy:
        url = proxy.url.replace("somebody:else", f"ada:{PASSWORD}")
        base_url = fake.base_url.replace("http:", f"{scheme}:")
        adapter = adapter_for(fake, proxy=url, base_url=base_url)
        with capture_logs() as logs:
            running = asyncio.ensure_future(adapter.run(Serving(adapter, fake).receive))
            while not logs:
                await asyncio.wait({running}, timeout=0.01)
            running.cancel()
            await asyncio.wait({running})
        await adapter.close()
    assert logs[0]["event"] == "Discord can't be reached"
    assert "407" in logs[0]["reason"]
    assert PASSWORD not in repr(logs)
    assert proxy.targets == []
