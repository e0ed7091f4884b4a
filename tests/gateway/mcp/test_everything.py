"""The reference server in TypeScript, over both transports.

`./build.sh test` installs it where there is npm; tests/fakes/everything says which version.
"""

import asyncio
import json
import os
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.gateway.mcp.conftest import Running, running

FOLDER = Path(__file__).parents[2] / "fakes" / "everything"
PROGRAM = FOLDER / "node_modules/@modelcontextprotocol/server-everything/dist/index.js"

pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed"),
    pytest.mark.skipif(
        not PROGRAM.exists(), reason="not installed: `./build.sh test` does, where there is npm"
    ),
]


async def use(one: Running) -> None:
    assert {"echo", "get-sum", "get-tiny-image", "trigger-long-running-operation"} <= set(one.names)
    assert (await one.call("echo", message="hello")).text == "Echo: hello"
    assert "2 and 3 is 5" in (await one.call("get-sum", a=2, b=3)).text
    (picture,) = (await one.call("get-tiny-image")).files
    assert picture.content.startswith(b"\x89PNG")
    weather = json.loads((await one.call("get-structured-content", location="Chicago")).text)
    assert "temperature" in weather
    assert (
        "resource 1"
        in (
            await one.call("get-resource-reference", resourceType="Text", resourceId=1)
        ).text.lower()
    )
    slow = await one.call("trigger-long-running-operation", duration=0.02, steps=2)
    assert "completed" in slow.text
    assert one.reported == ["1 of 2", "2 of 2"]
    assert (await one.call("get-sum", a="x")).is_error
    assert (await one.call("no-such-tool")).is_error


async def test_over_stdio() -> None:
    settings = {"command": str(shutil.which("node")), "args": (str(PROGRAM), "stdio")}
    async with running(settings, "everything") as one:
        await use(one)
        environment = json.loads((await one.call("get-env")).text)
        assert "TELEGRAM_BOT_TOKEN" not in environment


@asynccontextmanager
async def served_over_http() -> AsyncIterator[str]:
    """The server's address. It takes a port only by its number, so a free one is looked for."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        str(shutil.which("node")),
        str(PROGRAM),
        "streamableHttp",
        env={**os.environ, "PORT": str(port)},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stderr is not None
        while b"listening" not in (line := await process.stderr.readline()):
            assert line, "the server has ended"
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        await process.communicate()


async def test_over_streamable_http() -> None:
    async with served_over_http() as url, running({"url": url}, "everything") as one:
        await use(one)
