"""A friendly MCP server, by the official SDK: what most servers in the world are like.

    python -m tests.fakes.mcp_server                  # stdio
    python -m tests.fakes.mcp_server --port 0         # streamable HTTP; prints its address

`add`, `picture`, `slow` (tells how far it is), `fail`, `grow` (brings one more tool, and says so).
"""

import argparse
import asyncio
import socket
import sys

import uvicorn
from mcp.server.mcpserver import Context, Image, MCPServer

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000 1f15c489"
    "0000000d49444154789c6360f8cf500f0003860180a9a0a4ea0000000049454e44ae426082".replace(" ", "")
)

server = MCPServer("friendly", log_level="ERROR")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def picture() -> Image:
    """A picture of nothing."""
    return Image(data=PIXEL, format="png")


@server.tool()
async def slow(context: Context) -> str:
    """Takes its time, and says how far it is."""
    for step in range(1, 4):
        await context.report_progress(step, 3)
    return "done"


@server.tool()
def fail() -> str:
    """Fails."""
    raise ValueError("it can't be done")


@server.tool()
async def grow(context: Context) -> str:
    """Brings one more tool."""

    def grown() -> str:
        """It was not there before."""
        return "new"

    server.add_tool(grown)
    await context.notify_tools_changed()  # those who subscribe
    await context.session.send_tool_list_changed()  # those of before
    return "there is more now"


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int)
    port = parser.parse_args().port
    if port is None:
        server.run("stdio")
        return
    listening = socket.create_server(("127.0.0.1", port))
    sys.stdout.write(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp\n")
    sys.stdout.flush()
    config = uvicorn.Config(server.streamable_http_app(), log_level="error")
    asyncio.run(uvicorn.Server(config).serve([listening]))


if __name__ == "__main__":
    main()
