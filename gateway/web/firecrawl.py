"""Has Firecrawl fetch a page and take the text out of it, scripts and all."""

import httpx

from config.web import WebSettings
from gateway.reading.source import MAX_TEXT_CHARS, Text
from gateway.web.errors import Unreadable
from gateway.web.search.services import Asked, answer_of, below, firecrawl_headers

_REFUSAL = "An administrator has to look at web.firecrawl_key."


async def scrape(settings: WebSettings, url: str) -> Text:
    """The text of a page as Markdown. Raises `WebError`."""
    body = {"url": url, "formats": ["markdown"], "onlyMainContent": True}
    asked = Asked(below(settings.firecrawl_url, "scrape"), firecrawl_headers(settings), json=body)
    async with httpx.AsyncClient(timeout=settings.timeout_s) as client:
        answer = await answer_of(client, asked, "firecrawl", _REFUSAL)
    data = answer.get("data")
    markdown = data.get("markdown") if isinstance(data, dict) else None
    if not isinstance(markdown, str) or not markdown.strip():
        raise Unreadable("There is no text in it.")
    metadata = data.get("metadata") if isinstance(data, dict) else None
    title = metadata.get("title") if isinstance(metadata, dict) else None
    return Text(
        " ".join(title.split()) if isinstance(title, str) else "",
        markdown[:MAX_TEXT_CHARS],
        len(markdown) > MAX_TEXT_CHARS,
    )
