"""A server by the official SDK, over both transports: one start each, since it takes a second."""

import asyncio
import sys

from tests.fakes.mcp_server import PIXEL
from tests.gateway.mcp.conftest import Running, running

MODULE = ("-m", "tests.fakes.mcp_server")
WITH_TESTS = {"PYTHONPATH": ":".join(sys.path)}


async def use(one: Running) -> None:
    """All that a server can do."""
    assert one.names == ["add", "fail", "grow", "picture", "slow"]
    assert (await one.call("add", a=2, b=3)).text == "5"
    assert [file.content for file in (await one.call("picture")).files] == [PIXEL]
    assert (await one.call("slow")).text == "done"
    assert one.reported == ["1 of 3", "2 of 3", "3 of 3"]
    failed = await one.call("fail")
    assert failed.is_error
    assert "fail" in failed.text
    wrong = await one.call("add", a="x")
    assert wrong.is_error
    await one.changes.get()
    await one.call("grow")
    assert "grown" in await one.changes.get()
    assert (await one.call("grown")).text == "new"


async def test_over_stdio() -> None:
    async with running({"command": sys.executable, "args": MODULE, "env": WITH_TESTS}) as one:
        await use(one)


async def test_over_http_and_when_it_has_been_away() -> None:
    port = 0
    process = await _served(port)
    assert process.stdout is not None
    url = (await process.stdout.readline()).decode().strip()
    port = int(url.split(":")[2].split("/")[0])
    try:
        async with running({"url": url, "headers": {"X-Key": "abc def"}}) as one:
            await use(one)
            process.kill()
            await process.communicate()
            process = await _served(port)
            assert process.stdout is not None
            await process.stdout.readline()
            assert "grown" not in await one.changes.get()
            assert (await one.call("add", a=1, b=1)).text == "2"
    finally:
        process.kill()
        await process.communicate()


async def _served(port: int) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *MODULE,
        "--port",
        str(port),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=WITH_TESTS,
    )
