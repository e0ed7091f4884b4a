"""The web as the gateway has it: one fetcher, one search engine, pages, opened together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from config.web import WebSettings
from gateway.web.fetch import Fetcher
from gateway.web.firecrawl import scrape
from gateway.web.pages.pages import Pages
from gateway.web.pages.wire import Page
from gateway.web.search.choosing import make_engine
from gateway.web.search.engine import SearchEngine


@dataclass(frozen=True, slots=True)
class Web:
    """What there is of it."""

    settings: WebSettings
    fetcher: Fetcher
    engine: SearchEngine
    pages: Pages

    async def page(self, url: str) -> Page:
        """Fetch a page and read it. Raises `WebError`."""
        if self.settings.extract == "firecrawl":
            # Not fetched from here, and still no address that would tell somebody what is inside.
            checked = await self.fetcher.checked(url)
            return Page(checked, await scrape(self.settings, checked))
        return await self.pages.page(url)


@asynccontextmanager
async def opened(settings: WebSettings) -> AsyncIterator[Web]:
    """The web, while the gateway runs."""
    fetcher = await asyncio.to_thread(Fetcher.make, settings)
    web = Web(settings, fetcher, make_engine(settings), Pages(settings))
    try:
        yield web
    finally:
        await web.pages.close()
        await web.engine.close()
        await fetcher.close()
