"""The web as the gateway has it: one fetcher, one search engine, a few readers, opened together."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from config.web import WebSettings
from gateway.web.fetch import Fetcher
from gateway.web.firecrawl import scrape
from gateway.web.reading.readers import Readers
from gateway.web.reading.spool import spooled
from gateway.web.reading.texts import TYPES, Text
from gateway.web.search.choosing import make_engine
from gateway.web.search.engine import SearchEngine

_MIB = 1_048_576


@dataclass(frozen=True, slots=True)
class Page:
    """A page as text."""

    url: str  # where it is in the end
    text: Text


@dataclass(frozen=True, slots=True)
class Web:
    """What there is of it."""

    settings: WebSettings
    fetcher: Fetcher
    engine: SearchEngine
    readers: Readers

    async def page(self, url: str) -> Page:
        """Fetch a page and read it. Raises `WebError`."""
        if self.settings.extract == "firecrawl":
            # Not fetched from here, and still no address that would tell somebody what is inside.
            checked = await self.fetcher.checked(url)
            return Page(checked, await scrape(self.settings, checked))
        async with AsyncExitStack() as stack:
            max_bytes = self.settings.max_page_mb * _MIB
            async with self.fetcher.stream(url, max_bytes=max_bytes, types=TYPES) as body:
                page = await stack.enter_async_context(spooled(body))
            return Page(page.url, await self.readers.read(page))


@asynccontextmanager
async def opened(settings: WebSettings) -> AsyncIterator[Web]:
    """The web, while the gateway runs."""
    fetcher = await asyncio.to_thread(Fetcher.make, settings)
    processes = settings.extract_processes or max(1, (os.cpu_count() or 2) - 1)
    web = Web(settings, fetcher, make_engine(settings), Readers(processes))
    try:
        yield web
    finally:
        await web.readers.close()
        await web.engine.close()
        await fetcher.close()
