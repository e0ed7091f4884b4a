"""The search services, in one server: the parts of their APIs that the gateway uses, over HTTP.

    /searxng/search              GET, q, format=json (403 if the instance does not allow it)
    /brave/web/search            GET, X-Subscription-Token, q (400 characters, 50 words), count (20)
    /tavily/search               POST, Bearer, query (400 characters), max_results (20)
    /firecrawl/search, /scrape   POST, Bearer; v2
    /duckduckgo/html/            POST, q: the page that ddgs reads

Each refuses what the real one refuses: no key or a wrong one, too long a query, too many results.
`hits` is what they all find; `status`, `body` and its `encoding` answer in their place. Each answer
sets a cookie, and `cookies` has those that came back.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html import escape
from typing import Any

from aiohttp import web

KEY = "search-key-0123456789"


@dataclass
class SearchServices:
    """The server. A hit is (title, url, snippet)."""

    base: str = ""
    hits: list[tuple[str, str, str]] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)
    cookies: list[str] = field(default_factory=list)
    scraped: dict[str, str] = field(default_factory=dict)  # URL → Markdown, for Firecrawl
    allows_json: bool = True  # SearXNG's `search.formats`
    status: int | None = None
    body: bytes = b""
    encoding: str = "identity"

    def url(self, service: str) -> str:
        """Where a service lives."""
        return f"{self.base}/{service}"

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """aiohttp's handler."""
        self.cookies += request.cookies
        if self.status is not None:
            headers = {"Content-Encoding": self.encoding}
            return web.Response(status=self.status, body=self.body, headers=headers)
        response = await _ROUTES[request.path](self, request)
        response.set_cookie("visitor", "1")
        return response

    async def _searxng(self, request: web.Request) -> web.Response:
        if request.query.get("format") == "json" and not self.allows_json:
            return web.Response(status=403, text="Forbidden")
        self.queries.append(request.query["q"])
        results = [
            {"url": url, "title": title, "content": text, "engine": "test", "score": 1.0}
            for title, url, text in self.hits
        ]
        return web.json_response(
            {"query": request.query["q"], "results": results, "unresponsive_engines": []}
        )

    async def _brave(self, request: web.Request) -> web.Response:
        if request.headers.get("X-Subscription-Token") != KEY:
            return _problem(422, "SUBSCRIPTION_TOKEN_INVALID")
        query, count = request.query["q"], int(request.query.get("count", "20"))
        if len(query) > 400 or len(query.split()) > 50 or not 1 <= count <= 20:
            return _problem(422, "VALIDATION")
        self.queries.append(query)
        results = [
            {"title": title, "url": url, "description": text}
            for title, url, text in self.hits[:count]
        ]
        return web.json_response(
            {"type": "search", "query": {"original": query}, "web": {"results": results}}
        )

    async def _tavily(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return web.json_response({"detail": {"error": "Unauthorized"}}, status=401)
        body = await request.json()
        if len(body["query"]) > 400 or not 0 <= body.get("max_results", 5) <= 20:
            return web.json_response({"detail": {"error": "Bad request"}}, status=400)
        self.queries.append(body["query"])
        results = [
            {"title": title, "url": url, "content": text, "score": 0.9, "raw_content": None}
            for title, url, text in self.hits[: body["max_results"]]
        ]
        return web.json_response({"query": body["query"], "answer": None, "results": results})

    async def _firecrawl(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return web.json_response({"success": False, "error": "Unauthorized"}, status=401)
        body: dict[str, Any] = await request.json()
        if request.path.endswith("/scrape"):
            if (markdown := self.scraped.get(body["url"])) is None:
                return web.json_response({"success": False, "error": "unreachable"}, status=500)
            metadata = {"title": "A page", "sourceURL": body["url"], "statusCode": 200}
            return web.json_response(
                {"success": True, "data": {"markdown": markdown, "metadata": metadata}}
            )
        if len(body["query"]) > 500 or not 1 <= body.get("limit", 5) <= 100:
            return web.json_response({"success": False, "error": "Bad Request"}, status=400)
        self.queries.append(body["query"])
        found = [
            {"url": url, "title": title, "description": text, "position": number}
            for number, (title, url, text) in enumerate(self.hits[: body["limit"]], 1)
        ]
        return web.json_response({"success": True, "data": {"web": found}})

    async def _duckduckgo(self, request: web.Request) -> web.Response:
        form = await request.post()
        self.queries.append(str(form["q"]))
        results = "".join(
            f'<div class="links_main links_deep result__body"><h2 class="result__title">'
            f'<a class="result__a" href="{escape(url)}">{escape(title)}</a></h2>'
            f'<a class="result__snippet" href="{escape(url)}">{escape(text)}</a></div>'
            for title, url, text in self.hits
        )
        page = f"<html><body><div id='links'>{results}</div></body></html>"
        return web.Response(text=page, content_type="text/html")


_ROUTES = {
    "/searxng/search": SearchServices._searxng,
    "/brave/web/search": SearchServices._brave,
    "/tavily/search": SearchServices._tavily,
    "/firecrawl/search": SearchServices._firecrawl,
    "/firecrawl/scrape": SearchServices._firecrawl,
    "/duckduckgo/html/": SearchServices._duckduckgo,
}


def _problem(status: int, code: str) -> web.Response:
    error = {"code": code, "status": status}
    return web.json_response({"type": "ErrorResponse", "error": error}, status=status)


@asynccontextmanager
async def serving_searches() -> AsyncIterator[SearchServices]:
    """The services, running on this machine."""
    services = SearchServices()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", services.answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        services.base = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield services
    finally:
        await runner.cleanup()
