"""All MCP servers of a gateway: started together, each for itself, and ended together."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from config.mcp import McpSettings
from gateway.mcp.server import McpServer

START_WAIT_S = 10.0
"""The gateway starts without those that have not listed their tools by then; they come later."""


@asynccontextmanager
async def running(
    settings: McpSettings, on_change: Callable[[McpServer], None]
) -> AsyncIterator[list[McpServer]]:
    """The servers, while the gateway runs. No fault of theirs comes out of here."""
    servers = [
        McpServer(name, each, dict(os.environ), on_change)
        for name, each in settings.servers.items()
        if each.enabled
    ]
    for server in servers:
        server.start()
    asked = [asyncio.create_task(server.has_been_asked.wait()) for server in servers]
    try:
        if asked:
            await asyncio.wait(asked, timeout=START_WAIT_S)
        yield servers
    finally:
        for task in asked:
            task.cancel()
        await asyncio.gather(*(server.close() for server in servers))
