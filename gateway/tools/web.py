"""The tools `web_search` and `web_extract`: what is found and read is data, and marked as such.

What may be fetched is the guard's business (`gateway/web/guard.py`); how pages are read and who
searches is below `gateway/web/`, too.
"""

import asyncio
import re
from collections.abc import Sequence
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field

from gateway.tools.spill import FOLDER
from gateway.tools.tool import Risk, ToolContext, ToolFailed, ToolResult, tool
from gateway.tools.untrusted import marked
from gateway.web.errors import WebError
from gateway.web.process.wire import Page
from gateway.web.search.engine import Hit
from gateway.web.web import Web
from gateway.workspace.errors import WorkspaceError

MAX_SHOWN_CHARS = 24_000
"""Of all pages of one call together; what is longer is a file."""

MAX_PAGES = 5
_PAGE_TIMEOUT_S = 120.0
_NOTES_CHARS = 4_000  # what stands around the pages

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9.-]+")


class WebTools:
    """The family."""

    def __init__(self, web: Web) -> None:
        self._web = web

    @tool(risk=Risk.NETWORK, timeout_s=60, max_output_chars=20_000, is_repeatable=True)
    async def web_search(
        self,
        _context: ToolContext,
        query: Annotated[str, Field(description="What to look for.", min_length=1, max_length=500)],
        limit: Annotated[int, Field(description="How many results.", ge=1, le=20)] = 8,
    ) -> str:
        """Search the web: titles, addresses and a few words of each result. Read the promising
        ones with web_extract before you rely on them, and name your sources.
        """
        try:
            hits = await self._web.engine.search(query, limit)
        except WebError as error:
            raise ToolFailed(str(error)) from error
        if not hits:
            return "Nothing was found. Try other words."
        return marked(_listed(hits), f"a web search by {self._web.engine.name}")

    @tool(
        risk=Risk.NETWORK,
        timeout_s=_PAGE_TIMEOUT_S,
        max_output_chars=MAX_SHOWN_CHARS + _NOTES_CHARS,
        is_repeatable=True,
    )
    async def web_extract(
        self,
        context: ToolContext,
        urls: Annotated[
            list[str],
            Field(description="Whole addresses.", min_length=1, max_length=MAX_PAGES),
        ],
    ) -> str | ToolResult:
        """Read web pages: their main text as Markdown, without menus and advertisements. PDFs,
        JSON and plain text work too. A long text is cut, and kept whole as a file.
        """
        context.report(", ".join(filter(None, map(_host, urls))))
        limit = MAX_SHOWN_CHARS // len(urls)
        found = await asyncio.gather(*(self._read(context, url, limit) for url in urls))
        text = "\n\n".join(result.content for result in found)
        return ToolResult(text, is_error=all(result.is_error for result in found))

    async def _read(self, context: ToolContext, url: str, limit: int) -> ToolResult:
        try:
            page = await self._web.page(url)
        except WebError as error:
            return ToolResult(f"{url[:200]}: {error}", is_error=True)
        text = page.text.text.strip()
        title = f"# {page.text.title}\n\n" if page.text.title else ""
        if len(text) <= limit and not page.text.is_cut:
            return ToolResult(marked(title + text, page.url))
        note = await _kept(context, page, text, limit)
        return ToolResult(f"{marked(title + text[:limit], page.url)}\n{note}")


async def _kept(context: ToolContext, page: Page, text: str, limit: int) -> str:
    """Put a whole text into the workspace; returns what the model is told of that."""
    shown = f"[The first {min(limit, len(text)):,} of {len(text):,} characters are shown."
    if page.text.is_cut:
        shown += " What is there is even longer, and was not read to its end."
    name = f"{_NOT_IN_A_NAME.sub('-', _host(page.url)) or 'page'}.md"
    whole = marked(text, page.url).encode("utf-8", "replace")
    try:
        path = await asyncio.to_thread(context.workspace.save_new, FOLDER, name, [whole])
    except WorkspaceError as error:
        return f"{shown} The rest could not be kept: {error}]"
    return f"{shown} All of it is in {path}; read_file shows any part.]"


def _listed(hits: Sequence[Hit]) -> str:
    return "\n".join(
        "\n".join(filter(None, [f"{number}. {hit.title}", f"   {hit.url}", f"   {hit.snippet}"]))
        for number, hit in enumerate(hits, 1)
    )


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "")[:100]
    except ValueError:  # an address that is none; the guard says so
        return ""
