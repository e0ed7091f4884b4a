"""A website on this machine: pages as a test lays them out, over real HTTP, friendly or hostile.

    site.page("/a", "<p>Hello</p>")                        # any type, headers, status
    site.redirect("/there", "http://169.254.169.254/")
    site.drip("/endless", itertools.repeat(bytes(65_536))) # piece by piece, without a length
    site.paths                                             # what was asked for, in order

It listens on 127.0.0.1 and, with the same port, on ::1 where there is one. `Names` is a name server
in small: it answers what a test tells it, reads odd spellings of addresses as the C library does
(inet_aton), and counts.
"""

import asyncio
import socket
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address

from aiohttp import web

from gateway.web.addresses import IPAddress


@dataclass
class Website:
    """The site, while it runs."""

    port: int = 0
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    _pages: dict[str, web.Response | Iterable[bytes] | None] = field(default_factory=dict)
    hanging: asyncio.Event = field(default_factory=asyncio.Event)  # a client waits for nothing
    broken: asyncio.Event = field(default_factory=asyncio.Event)  # a client left in mid-answer

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        """The address of a page."""
        return f"http://{host}:{self.port}{path}"

    def page(
        self,
        path: str,
        body: str | bytes = b"",
        media_type: str | None = "text/html; charset=utf-8",
        status: int = 200,
        **headers: str,
    ) -> str:
        """Lay a page out; returns its address. A header `content_encoding` is Content-Encoding."""
        named = {name.replace("_", "-").title(): value for name, value in headers.items()}
        if media_type is not None:
            named["Content-Type"] = media_type
        content = body.encode() if isinstance(body, str) else body
        self._pages[path] = web.Response(body=content, status=status, headers=named)
        return self.url(path)

    def redirect(self, path: str, to: str, status: int = 302) -> str:
        """Lay out a page that leads elsewhere; returns its address."""
        return self.page(path, b"", None, status, location=to)

    def drip(self, path: str, pieces: Iterable[bytes]) -> str:
        """Lay out a page that comes piece by piece; returns its address."""
        self._pages[path] = pieces
        return self.url(path)

    def hang(self, path: str) -> str:
        """Lay out a page that never comes; returns its address."""
        self._pages[path] = None
        return self.url(path)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """aiohttp's handler."""
        self.paths.append(request.path)
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        page = self._pages.get(request.path, web.Response(status=404))
        if page is None:
            self.hanging.set()
            try:
                await asyncio.Event().wait()
                raise AssertionError
            finally:
                self.broken.set()
        if isinstance(page, web.Response):
            return web.Response(body=page.body, status=page.status, headers=page.headers)
        response = web.StreamResponse(headers={"Content-Type": "text/plain"})
        await response.prepare(request)
        try:
            for piece in page:
                await response.write(piece)
        except (ConnectionError, asyncio.CancelledError):
            self.broken.set()
            raise
        return response


@asynccontextmanager
async def serving(
    site: Website, also_on: Sequence[str] = ("::1",), tls: ssl.SSLContext | None = None
) -> AsyncIterator[Website]:
    """Serve a site on the loopback addresses; with `tls`, its addresses begin with https."""
    runner = web.AppRunner(_app(site), access_log=None, handler_cancellation=True)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
        site.port = runner.addresses[0][1]
        for address in also_on if socket.has_ipv6 else ():
            await web.TCPSite(runner, address, site.port, ssl_context=tls).start()
        yield site
    finally:
        await runner.cleanup()


def _app(site: Website) -> web.Application:
    app = web.Application()
    app.router.add_get("/{path:.*}", site.answer)
    return app


class Names:
    """A `Resolver` that knows what it is told; of several answers each is given once, in order."""

    def __init__(self, **answers: str) -> None:
        self.known: dict[str, list[Sequence[str]]] = {}
        self.asked: Counter[str] = Counter()
        for name, addresses in answers.items():
            self.add(name.replace("_", "."), *addresses.split())

    def add(self, name: str, *addresses: str) -> None:
        """One more answer for a name; the last one stays."""
        self.known.setdefault(name, []).append(addresses)

    async def __call__(self, host: str, port: int) -> list[IPAddress]:
        self.asked[host] += 1
        if (answers := self.known.get(host)) is not None:
            found = answers.pop(0) if len(answers) > 1 else answers[0]
            return [ip_address(each) for each in found]
        return [ip_address(socket.inet_aton(host))]  # OSError where it is no spelling of an address
