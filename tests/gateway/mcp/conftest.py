"""MCP servers, run as the gateway runs them."""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from config.mcp import McpServerSettings
from gateway.mcp.results import Brought
from gateway.mcp.server import McpServer
from tests.fakes import rude_mcp_server

RUDE = str(Path(rude_mcp_server.__file__))
GATEWAY_ENV = {"PATH": "/usr/bin:/bin", "HOME": "/root", "TELEGRAM_BOT_TOKEN": "123:secret"}


@dataclass
class Running:
    """A server that runs."""

    server: McpServer
    changes: asyncio.Queue[list[str]] = field(default_factory=asyncio.Queue)
    reported: list[str] = field(default_factory=list)

    async def call(self, tool: str, **arguments: object) -> Brought:
        """What a call brings."""
        return await self.server.call(tool, dict(arguments), self.reported.append)

    @property
    def names(self) -> list[str]:
        """The servers' own names of what it offers."""
        return [offer.tool for offer in self.server.tools]


@asynccontextmanager
async def running(settings: Mapping[str, object], name: str = "rude") -> AsyncIterator[Running]:
    """Run a server; it has been asked what it can when this begins."""
    given = McpServerSettings.model_validate({"timeout_s": 20, **settings})
    found: list[Running] = []

    def note(server: McpServer) -> None:
        found[0].changes.put_nowait([offer.tool for offer in server.tools])

    server = McpServer(name, given, GATEWAY_ENV, note)
    found.append(Running(server))
    server.start()
    try:
        await server.has_been_asked.wait()
        yield found[0]
    finally:
        await server.close()


def rude(*options: str, **settings: object) -> dict[str, object]:
    """Settings of the server without manners."""
    return {"command": sys.executable, "args": (RUDE, *options), **settings}
