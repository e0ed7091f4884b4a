"""What `check` tries of services that tools depend on: the search, and MCP servers.

A search that needs no key is not tried: whether public pages answer says little about tomorrow.
"""

import os
import time
from collections.abc import Awaitable, Callable
from functools import partial

from config.settings import Settings
from gateway.errors import StartupError
from gateway.web.search.choosing import chosen, make_engine

Check = Callable[[Settings], Awaitable[str]]


def outside(settings: Settings) -> list[tuple[str, Check]]:
    """The checks that these settings call for, each with the name of its row."""
    checks: list[tuple[str, Check]] = []
    if "web" in settings.tools.toolsets and chosen(settings.web) != "ddgs":
        checks.append(("search", _search))
    servers = settings.mcp.servers.items()
    checks += [("mcp", partial(_server, name)) for name, each in servers if each.enabled]
    return checks


async def _search(settings: Settings) -> str:
    engine = make_engine(settings.web)
    began = time.monotonic()
    try:
        found = await engine.search("weather", 1)
    finally:
        await engine.close()
    what = "found something" if found else "answered, and found nothing,"
    return f"{engine.name} {what} in {time.monotonic() - began:.1f} s"


async def _server(name: str, settings: Settings) -> str:
    try:
        from gateway.mcp.server import McpServer, reason_of  # noqa: PLC0415 - an optional package
    except ImportError as error:
        raise StartupError(f"{name}: the package {error.name!r} is not installed") from error
    server = McpServer(name, settings.mcp.servers[name], dict(os.environ), lambda _: None)
    try:
        tools = await server.look()
    except Exception as error:  # a strange server raises anything, in groups
        raise StartupError(f"{name} can't be used: {reason_of(error)}") from error
    return f"{name} has {len(tools)} tools that are allowed"
