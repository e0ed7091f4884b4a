"""The web as the gateway has it: the process that fetches, and a search engine."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from config.web import WebSettings
from gateway.web.firecrawl import scrape
from gateway.web.process.client import WebProcess
from gateway.web.process.wire import Page
from gateway.web.search.choosing import make_engine
from gateway.web.search.engine import SearchEngine


@dataclass(frozen=True, slots=True)
class Web:
    """What there is of it."""

    settings: WebSettings
    process: WebProcess
    engine: SearchEngine

    async def page(self, url: str) -> Page:
        """Fetch a page and read it. Raises `WebError`."""
        if self.settings.extract == "firecrawl":
            # Not fetched from here, and still no address that would tell somebody what is inside.
            checked = await self.process.checked(url)
            return Page(checked, await scrape(self.settings, checked))
        return await self.process.page(url)


@asynccontextmanager
async def opened(settings: WebSettings) -> AsyncIterator[Web]:
    """The web, while the gateway runs."""
    web = Web(settings, WebProcess(settings), make_engine(settings))
    try:
        yield web
    finally:
        await web.process.close()
        await web.engine.close()
