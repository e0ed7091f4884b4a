"""Where the gateway may be led by a URL that a model, a page or a person gives.

Two questions, asked for every hop: is the URL one that may be followed at all (`Guard.check`), and
is every address that its name has at this moment public (`Guard.addresses`). The connection goes to
exactly the addresses that were looked at, so a name that changes its mind changes nothing.
"""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address

import httpx

from gateway.web.addresses import IPAddress, not_public
from gateway.web.errors import BadUrl, Forbidden, Unreachable

Resolver = Callable[[str, int], Awaitable[list[IPAddress]]]
"""A host name and a port → its addresses, best first. Raises `OSError`."""

DEFAULT_PORTS = {"http": 80, "https": 443}
MAX_URL_CHARS = 2_048
MAX_LOOKUPS = 8  # at a time, in threads of their own: a name server can take long to say nothing

_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_-]+)*")
# The last label of a name is never a number; inet_aton reads what looks like one as an address:
# 2130706433, 0x7f.1, 017700000001 (WHATWG URL, "ends in a number").
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


class SystemResolver:
    """What the system says: hosts file, name servers. Looks up in threads of its own."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(MAX_LOOKUPS, thread_name_prefix="name-lookup")

    async def __call__(self, host: str, port: int) -> list[IPAddress]:
        """All addresses of a name. Raises `OSError`."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _look_up, host, port)


def _look_up(host: str, port: int) -> list[IPAddress]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(ip_address(where[0]) for *_, where in found))


class Guard:
    """The rules of one gateway. `allowed_hosts` are `name` or `name:port`, in any case."""

    def __init__(
        self, resolver: Resolver, allowed_hosts: Iterable[str] = (), ports: Iterable[int] = ()
    ) -> None:
        self._resolver = resolver
        self._allowed = frozenset(_plain_host(host) for host in allowed_hosts)
        self._ports = frozenset(ports) or frozenset(DEFAULT_PORTS.values())

    def check(self, text: str | httpx.URL) -> httpx.URL:
        """A URL that may be asked for, with its host in plain form and without its fragment.

        Raises `BadUrl`, `Forbidden`.
        """
        url = _parsed(text)
        if url.userinfo:
            raise Forbidden("Addresses with a user name or a password in them are not fetched.")
        host = _plain_host(url.host)
        if not _is_address(host):
            if not _NAME.fullmatch(host):
                raise BadUrl(f"{_short(url.host)} is no name of a server.")
            if _NUMBER.fullmatch(host.rpartition(".")[2]):
                raise Forbidden(f"{_short(host)} is an odd way to write an address of a machine.")
        port = url.port or DEFAULT_PORTS[url.scheme]
        if port not in self._ports and f"{host}:{port}" not in self._allowed:
            raise Forbidden(f"Port {port} is not fetched from; web servers have 80 and 443.")
        return url.copy_with(host=host, fragment=None)

    def is_allowed(self, host: str, port: int) -> bool:
        """Whether an administrator has named this host: it may be inside."""
        return not self._allowed.isdisjoint((host, f"{host}:{port}"))

    async def addresses(self, host: str, port: int) -> list[IPAddress]:
        """The addresses to connect to. Raises `Forbidden`, `Unreachable`."""
        try:
            found = [ip_address(host)] if _is_address(host) else await self._resolver(host, port)
        except (OSError, UnicodeError) as error:
            raise Unreachable(f"There is no server named {_short(host)}.") from error
        if not found:
            raise Unreachable(f"There is no server named {_short(host)}.")
        if not self.is_allowed(host, port):
            for address in found:
                if (what := not_public(address)) is not None:
                    raise Forbidden(
                        f"{_short(host)} is not on the public internet but {what}; "
                        "nothing is fetched from there."
                    )
        return found


def _parsed(text: str | httpx.URL) -> httpx.URL:
    if len(str(text)) > MAX_URL_CHARS:
        raise BadUrl(f"The address is too long: at most {MAX_URL_CHARS:,} characters.")
    try:
        # The one parse: what is checked here is what is connected to later.
        url = httpx.URL(text.strip() if isinstance(text, str) else text)
        scheme, host = url.scheme, url.host
    except (httpx.InvalidURL, ValueError) as error:
        raise BadUrl(f"{_short(str(text))} is no address of a web page.") from error
    if scheme not in DEFAULT_PORTS or not host:
        raise BadUrl(f"{_short(str(text))} is no address that starts with http:// or https://.")
    return url


def _plain_host(host: str) -> str:
    """A host as it is compared: lower case, without the dot that ends a full name."""
    return host.strip().lower().removesuffix(".")


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _short(text: str) -> str:
    return repr(text if len(text) <= 100 else f"{text[:99]}…")
