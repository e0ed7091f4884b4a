"""Programs that are no MCP servers at all, and servers that never finish introducing themselves."""

import shutil

import pytest

from gateway.mcp import server as module
from gateway.mcp.errors import NotRunning
from tests.gateway.mcp.conftest import rude, running


@pytest.mark.parametrize("command", [("sleep", "600"), ("cat",), ("yes",), ("true",), ("false",)])
async def test_a_program_that_is_no_server_is_given_up_and_tried_again(
    command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CONNECT_TIMEOUT_S", 0.5)
    monkeypatch.setattr("gateway.mcp.stdio.GRACE_S", 0.1)
    program = str(shutil.which(command[0]))
    async with running({"command": program, "args": command[1:], "timeout_s": 0.1}) as one:
        assert one.names == []
        with pytest.raises(NotRunning):
            await one.call("ok")


async def test_a_list_that_can_not_be_read_is_no_list() -> None:
    async with running(rude("--list", '[{"name": 5}]', timeout_s=0.1)) as one:
        with pytest.raises(NotRunning):
            await one.call("ok")
