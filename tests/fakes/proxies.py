"""Proxies on loopback ports: HTTP (RFC 9112, absolute-form) and SOCKS5 (RFC 1928, RFC 1929).

Each passes bytes on to wherever it is asked, and notes where that was. Both want a user and a
password if they are given one. They serve one request for each connection of HTTP,
or one WebSocket (RFC 6455).
"""

import asyncio
import base64
import re
from asyncio import StreamReader, StreamWriter
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

_HEAD = re.compile(rb"(\S+) ((?:http|ws)://\S+) HTTP/1\.1\r\n")
_UPGRADE = re.compile(rb"\r\nupgrade: websocket\r\n", re.IGNORECASE)
_AUTHORIZATION = re.compile(rb"\r\nproxy-authorization: (\S+ \S+)\r\n", re.IGNORECASE)


class Proxy:
    """Listens while the context lasts. `user` is `name:password`."""

    scheme = "http"

    def __init__(self, user: str | None = None) -> None:
        self.targets: list[str] = []  # host:port, of each connection
        self._user = user
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()

    @property
    def url(self) -> str:
        """What a client is given."""
        assert self._server is not None
        port = self._server.sockets[0].getsockname()[1]
        user = f"{self._user}@" if self._user else ""
        return f"{self.scheme}://{user}127.0.0.1:{port}"

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            await self._pass_on(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # one of the two has gone
        finally:
            writer.close()

    async def _pass_on(self, reader: StreamReader, writer: StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        said = _AUTHORIZATION.search(head)
        wanted = self._user and b"Basic " + base64.b64encode(self._user.encode())
        if wanted and (said is None or said[1] != wanted):
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")
            return
        line = _HEAD.match(head)
        assert line is not None, head
        url = urlsplit(line[2].decode())
        path = url.path + (f"?{url.query}" if url.query else "")
        rest = head[line.end() :]
        if not _UPGRADE.search(head):
            rest = rest.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n")
        await self._connect(reader, writer, str(url.hostname), url.port or 80).carry(
            line[1] + b" " + path.encode() + b" HTTP/1.1\r\n" + rest
        )

    def _connect(
        self, reader: StreamReader, writer: StreamWriter, host: str, port: int
    ) -> "_Tunnel":
        self.targets.append(f"{host}:{port}")
        return _Tunnel(reader, writer, host, port)


class SocksProxy(Proxy):
    """The same by SOCKS5; names are resolved by the client (`socks5`) or here (`socks5h`)."""

    scheme = "socks5"

    async def _pass_on(self, reader: StreamReader, writer: StreamWriter) -> None:
        _, count = await reader.readexactly(2)
        methods = await reader.readexactly(count)
        method = 2 if self._user else 0
        if method not in methods:
            writer.write(b"\x05\xff")
            return
        writer.write(bytes([5, method]))
        if self._user and not await self._is_allowed(reader, writer):
            return
        _, command, _, kind = await reader.readexactly(4)
        assert command == 1, "only CONNECT"
        if kind == 1:
            host = ".".join(map(str, await reader.readexactly(4)))
        else:
            assert kind == 3, "an IPv4 address or a name"
            host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
        port = int.from_bytes(await reader.readexactly(2), "big")
        writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
        await self._connect(reader, writer, host, port).carry(b"")

    async def _is_allowed(self, reader: StreamReader, writer: StreamWriter) -> bool:
        _, length = await reader.readexactly(2)
        name = await reader.readexactly(length)
        password = await reader.readexactly((await reader.readexactly(1))[0])
        is_allowed = (name + b":" + password).decode() == self._user
        writer.write(b"\x01\x00" if is_allowed else b"\x01\x01")
        return is_allowed


class _Tunnel:
    def __init__(self, reader: StreamReader, writer: StreamWriter, host: str, port: int) -> None:
        self._near = (reader, writer)
        self._far = (host, port)

    async def carry(self, first: bytes) -> None:
        """Pass bytes on in both directions until the far end has no more."""
        far_reader, far_writer = await asyncio.open_connection(*self._far)
        far_writer.write(first)
        there = asyncio.create_task(_copy(self._near[0], far_writer))
        try:
            await _copy(far_reader, self._near[1])
        finally:
            there.cancel()
            far_writer.close()


async def _copy(reader: StreamReader, writer: StreamWriter) -> None:
    while piece := await reader.read(65_536):
        writer.write(piece)
        await writer.drain()
