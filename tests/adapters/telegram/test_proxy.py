"""Telegram by a proxy: calls, polls and files all go over it, and its password stays unseen."""

import gc
import warnings

import pytest
from structlog.testing import capture_logs

from adapters.base import Attachment, MediaKind, Unreachable
from adapters.telegram.adapter import TelegramAdapter
from tests.adapters.telegram.serving import QUICK, Serving, settings_for
from tests.fakes.proxies import Proxy, SocksProxy
from tests.fakes.telegram import FakeTelegram, Person, media

PASSWORD = "swordfish-of-the-proxy"


@pytest.mark.parametrize("kind", [Proxy, SocksProxy])
@pytest.mark.parametrize("user", [None, f"ada:{PASSWORD}"])
async def test_everything_goes_over_the_proxy(
    fake: FakeTelegram, ada: Person, kind: type[Proxy], user: str | None
) -> None:
    async with kind(user) as proxy:
        adapter = TelegramAdapter(settings_for(fake, proxy=proxy.url), pace=QUICK)
        async with Serving(adapter) as serving:
            fake.people.send(ada, media.voice(fake.files, b"hello"))
            event = await serving.inbound()
            pieces = [piece async for piece in adapter.download(event.attachments[0])]
    assert pieces == [b"hello"]
    place = fake.base_url.removeprefix("http://").removesuffix("/bot")
    assert set(proxy.targets) == {place}
    assert len(proxy.targets) >= 3


@pytest.mark.parametrize("kind", [Proxy, SocksProxy])
async def test_a_proxy_that_refuses_is_an_error_without_the_password(
    fake: FakeTelegram, kind: type[Proxy]
) -> None:
    async with kind("somebody:else") as proxy:
        url = proxy.url.replace("somebody:else", f"ada:{PASSWORD}")
        adapter = TelegramAdapter(settings_for(fake, proxy=url))
        with capture_logs() as logs, pytest.raises(Unreachable) as caught:
            async for _ in adapter.download(Attachment(MediaKind.FILE, "x")):
                pass
        await adapter.close()
    said = str(caught.value) + repr(logs)
    del caught  # it holds on to the connection
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):
        gc.collect()  # httpcore leaves the socket of a refused handshake (SOCKS) lying about
    assert PASSWORD not in said
    assert proxy.targets == []
