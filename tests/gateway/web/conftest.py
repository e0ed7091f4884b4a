"""A website on this machine, and fetchers that may or may not go there."""

import ssl
from collections.abc import AsyncIterator, Callable

import pytest

from config.web import WebSettings
from gateway.web.fetch import Fetcher
from gateway.web.guard import Resolver
from tests.fakes.website import Names, Website, serving

NO_CERTIFICATES = ssl.SSLContext(
    ssl.PROTOCOL_TLS_CLIENT
)  # the site has none; made once: it is slow

MakeFetcher = Callable[..., Fetcher]


@pytest.fixture
async def site() -> AsyncIterator[Website]:
    """A site that nobody may fetch from, unless it is allowed."""
    async with serving(Website()) as website:
        yield website


@pytest.fixture
async def make_fetcher(site: Website) -> AsyncIterator[MakeFetcher]:
    """Fetchers for which the site's port is as good as any."""
    made: list[Fetcher] = []

    def make(
        resolver: Resolver | None = None, allowed_hosts: tuple[str, ...] = (), **settings: object
    ) -> Fetcher:
        given = {"ports": (80, 443, site.port), "timeout_s": 20, **settings}
        web = WebSettings.model_validate({**given, "allowed_hosts": allowed_hosts})
        made.append(Fetcher(web, NO_CERTIFICATES, resolver or Names()))
        return made[-1]

    yield make
    for fetcher in made:
        await fetcher.close()


@pytest.fixture
def fetcher(make_fetcher: MakeFetcher) -> Fetcher:
    """One that may go to the site."""
    return make_fetcher(allowed_hosts=("127.0.0.1",))
