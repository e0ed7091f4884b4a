"""A service manager's end of the notify socket, as sd_notify(3) describes it."""

import asyncio
import socket
from pathlib import Path
from typing import Self


class ServiceManager:
    """`async with ServiceManager(folder)`: collects what it is told, datagram by datagram."""

    def __init__(self, folder: Path) -> None:
        self.address = str(folder / "notify")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._told: list[dict[str, str]] = []

    async def __aenter__(self) -> Self:
        self._socket.bind(self.address)
        return self

    async def __aexit__(self, *_exception: object) -> None:
        self._socket.close()

    async def next(self) -> dict[str, str]:
        """The next message, its fields by name."""
        async with asyncio.timeout(20):
            data = await asyncio.get_running_loop().sock_recv(self._socket, 4_096)
        return dict(line.split("=", 1) for line in data.decode().split("\n"))

    async def until(self, field: str) -> dict[str, str]:
        """The next message that has this field."""
        while field not in (message := await self.next()):
            pass
        return message

    def has_more(self) -> bool:
        """Whether something has been told that nobody has looked at."""
        try:
            self._socket.recv(4_096, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        return True
