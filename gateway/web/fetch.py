"""Fetches what a URL leads to, within limits of size, kind, time and redirects, and never inside.

    page = await fetcher.get(url, max_bytes=1_000_000, types=("text/*",))      # in memory
    async with fetcher.stream(url, max_bytes=100_000_000) as body:             # piece by piece
        async for piece in body.pieces: ...

It sends no cookies, no credentials and no referrer, and asks for nothing but GET. Whatever comes is
untrusted.
"""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Protocol, Self

import httpcore
import httpx

from agent_core import __version__
from config.web import WebSettings
from gateway.web.errors import BadAnswer, BadUrl, TooSlow, Unreachable, WrongType
from gateway.web.guard import DEFAULT_PORTS, Guard, Resolver, SystemResolver
from gateway.web.inflating import ACCEPTED, is_packed, too_large, unpacked
from gateway.web.transport import guarded_pool

ANY_TYPE = ("*/*",)
UNKNOWN_TYPE = "application/octet-stream"
REDIRECTS = frozenset({301, 302, 303, 307, 308})
# RFC 9110, 8.3.1, of names in RFC 6838, 4.2: at most 64 characters is what it recommends.
_KIND = re.compile(r"\s*([\w!#$&^.+-]{1,64}/[\w!#$&^.+-]{1,64})\s*(?:;|$)", re.ASCII)
_CHARSET = re.compile(
    r";\s*charset\s*=\s*\"?([\w.:+-]{1,40})(?=[\"\s;,]|$)", re.ASCII | re.IGNORECASE
)
USER_AGENT = f"Mozilla/5.0 (compatible; hermes-pywasm/{__version__})"


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer, whole."""

    url: str  # where it came from in the end
    media_type: str  # `text/html`, in lower case
    charset: str | None  # as the server says
    content: bytes


@dataclass(frozen=True, slots=True)
class Body:
    """An answer that is being received. `pieces` raises `WebError` as `Fetcher.stream` does."""

    url: str
    media_type: str
    charset: str | None
    pieces: AsyncIterator[bytes]


class Gets(Protocol):
    """What fetches into memory: a `Fetcher`, or the process that has one."""

    async def get(self, url: str, *, max_bytes: int, types: Collection[str] = ANY_TYPE) -> Fetched:
        """See `Fetcher.get`."""


class Fetcher:
    """One for a whole process; any number of fetches at a time."""

    def __init__(self, settings: WebSettings, tls: ssl.SSLContext, resolver: Resolver) -> None:
        self._settings = settings
        self.guard = Guard(resolver, settings.allowed_hosts, settings.ports)
        self._pool = guarded_pool(self.guard, tls)

    @classmethod
    def make(cls, settings: WebSettings) -> Self:
        """With the certificates of certifi, unless SSL_CERT_FILE or SSL_CERT_DIR name others, and
        the system's name servers. Blocks while it reads the former.
        """
        # Of the environment that is all: no proxies, no .netrc.
        return cls(settings, httpx.create_ssl_context(trust_env=True), SystemResolver())

    async def close(self) -> None:
        """Close connections."""
        await self._pool.aclose()

    async def get(self, url: str, *, max_bytes: int, types: Collection[str] = ANY_TYPE) -> Fetched:
        """Fetch into memory. `types` are patterns of media types: `image/*`.

        Raises `WebError`; `TooLarge` as soon as it is known that there is more than `max_bytes`.
        """
        async with self.stream(url, max_bytes=max_bytes, types=types) as body:
            content = b"".join([piece async for piece in body.pieces])
            return Fetched(body.url, body.media_type, body.charset, content)

    async def checked(self, url: str) -> str:
        """An address in plain form, if it is one that would be fetched from. Raises `WebError`."""
        address = self.guard.check(url)
        await self.guard.addresses(address.host, address.port or DEFAULT_PORTS[address.scheme])
        return str(address)

    @asynccontextmanager
    async def stream(
        self, url: str, *, max_bytes: int, types: Collection[str] = ANY_TYPE
    ) -> AsyncIterator[Body]:
        """Fetch piece by piece; `web.timeout_s` is for all of it. Raises `WebError`."""
        accept = ", ".join(types)
        try:
            async with asyncio.timeout(self._settings.timeout_s) as limit:
                address, response = await self._follow(self.guard.check(url), accept)
                try:
                    yield _body(address, response, max_bytes, types)
                finally:
                    await response.aclose()
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise TooSlow(
                f"The server took longer than {self._settings.timeout_s:g} seconds."
            ) from error
        except httpcore.TimeoutException as error:
            raise TooSlow("The server does not answer.") from error
        except (httpcore.NetworkError, ssl.SSLError) as error:
            raise Unreachable(f"No connection to the server: {error}"[:200]) from error
        except httpcore.ProtocolError as error:
            raise BadAnswer("The server's answer broke off, or is none by the rules.") from error

    async def _follow(self, url: httpx.URL, accept: str) -> tuple[httpx.URL, httpcore.Response]:
        """Ask, and go where redirects lead; each is checked as if it had been asked for."""
        for _ in range(self._settings.max_redirects + 1):
            response = await self._pool.handle_async_request(_request(url, accept))
            location = _header(response, b"location")
            if response.status not in REDIRECTS or location is None:
                return url, response
            await response.aclose()
            url = self._redirected(url, location)
        raise BadAnswer(f"The server redirects more than {self._settings.max_redirects} times.")

    def _redirected(self, url: httpx.URL, location: str) -> httpx.URL:
        try:
            return self.guard.check(url.join(location))
        except (BadUrl, httpx.InvalidURL, ValueError) as error:
            # What it says instead of an address is nobody's to read.
            raise BadUrl("The server redirects to something that is no address.") from error


def _request(url: httpx.URL, accept: str) -> httpcore.Request:
    headers = (
        ("Host", url.netloc),
        ("User-Agent", USER_AGENT),
        ("Accept", accept),
        ("Accept-Encoding", ACCEPTED),
    )
    target = httpcore.URL(
        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
    )
    return httpcore.Request("GET", target, headers=headers)


def _body(
    url: httpx.URL, response: httpcore.Response, max_bytes: int, types: Collection[str]
) -> Body:
    if not 200 <= response.status < 300:
        raise BadAnswer(f"The server answers with status {response.status}.", response.status)
    media_type, charset = _media_type(_header(response, b"content-type"))
    if not any(fnmatchcase(media_type, pattern) for pattern in types):
        raise WrongType(f"What is there is {media_type}, not what was asked for.")
    length = _header(response, b"content-length") or ""
    if length.isascii() and length.isdigit() and int(length) > max_bytes:
        raise too_large(max_bytes)
    packed = is_packed(_header(response, b"content-encoding"))
    pieces = unpacked(response.aiter_stream(), max_bytes, packed=packed)
    return Body(str(url), media_type, charset, pieces)


def _header(response: httpcore.Response, name: bytes) -> str | None:
    found = (value for key, value in response.headers if key.lower() == name)
    value = next(found, None)
    return None if value is None else value.decode("utf-8", "replace")


def _media_type(header: str | None) -> tuple[str, str | None]:
    """`Text/HTML; charset="utf-8"` → `text/html`, `utf-8`.

    These reach whoever reads an error, and codecs: what is no plain word is not taken.
    """
    kind = _KIND.match(header or "")
    if header is None or kind is None:
        return UNKNOWN_TYPE, None
    charset = _CHARSET.search(header)
    return kind[1].lower(), charset[1].lower() if charset else None
