"""Connections that go where `Guard` has looked, and to no other address.

The engine is httpcore, which httpx is built on, with a network backend of ours under it: there is
no moment between the check of an address and its use, and no way around it. httpx's client is left
out on purpose: cookies, credentials, proxies from the environment and redirects are its business,
and none of them is wanted here.
"""

import asyncio
import ssl
from collections.abc import Iterable

import httpcore

from gateway.web.errors import Forbidden, Unreachable
from gateway.web.guard import Guard

MAX_CONNECTIONS = 64
MAX_IDLE_CONNECTIONS = 8
IDLE_S = 10.0


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """httpcore's way to the network, by the addresses that a guard gives."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address that answers. Raises `Forbidden`, `Unreachable`, httpcore's.

        TLS and its check of the name come above this, and are about the name.
        """
        failure: Exception = Unreachable("No address.")
        try:
            async with asyncio.timeout(timeout):
                for address in await self._guard.addresses(host, port):
                    try:
                        stream = await self._network.connect_tcp(
                            str(address), port, None, local_address, socket_options
                        )
                    except httpcore.ConnectError as error:
                        failure = error
                        continue
                    if _is_this_machine(stream) and not self._guard.is_allowed(host, port):
                        await stream.aclose()
                        raise Forbidden("The server is this very machine.")
                    return stream
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(f"{host} does not answer.") from error
        raise failure

    async def sleep(self, seconds: float) -> None:
        """httpcore waits between tries."""
        await asyncio.sleep(seconds)


def _is_this_machine(stream: httpcore.AsyncNetworkStream) -> bool:
    """Whether a connection ends where it begins, as one to any address of this machine does.

    That address may be a public one, of which only the system knows that it is ours.
    """
    here: tuple[str, int] = stream.get_extra_info("client_addr")
    there: tuple[str, int] = stream.get_extra_info("server_addr")
    return here[0] == there[0]


def guarded_pool(guard: Guard, tls: ssl.SSLContext) -> httpcore.AsyncConnectionPool:
    """A pool of connections under a guard."""
    return httpcore.AsyncConnectionPool(
        ssl_context=tls,
        max_connections=MAX_CONNECTIONS,
        max_keepalive_connections=MAX_IDLE_CONNECTIONS,
        keepalive_expiry=IDLE_S,
        network_backend=GuardedBackend(guard),
    )
