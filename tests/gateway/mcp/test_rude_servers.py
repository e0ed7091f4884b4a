"""Servers that break rules, limits and themselves: none of it is the gateway's end."""

import asyncio
import json
import os
import signal
import time
import tracemalloc
from pathlib import Path

import pytest

from gateway.mcp import server as module
from gateway.mcp.errors import McpFailure, Misbehaved, NotRunning
from gateway.mcp.limits import MAX_MESSAGES_PER_WINDOW, WINDOW_S, Meter
from tests.fakes.rude_mcp_server import WAYS
from tests.gateway.mcp.conftest import rude, running


async def test_its_tools_are_known_and_can_be_called() -> None:
    async with running(rude()) as one:
        assert one.names == sorted(WAYS)
        assert (await one.call("ok", x="ä")).text == 'ok {"x": "\\u00e4"}'


async def test_it_gets_a_small_environment_and_what_it_is_given() -> None:
    async with running(rude(env={"KEY": "abc def"})) as one:
        environment = json.loads((await one.call("env")).text)
    assert environment["KEY"] == "abc def"
    assert "TELEGRAM_BOT_TOKEN" not in environment
    assert set(environment) <= {"KEY", "PATH", "HOME", "LC_CTYPE"}  # Python sets the last itself


@pytest.mark.parametrize("way", ["die", "huge", "endless", "flood", "wrong", "nothing"])
async def test_a_call_that_breaks_it_is_an_error_and_the_next_one_works(way: str) -> None:
    async with running(rude()) as one:
        tracemalloc.start()
        try:
            with pytest.raises(McpFailure):
                await one.call(way)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 20_000_000, peak
        assert (await one.call("ok")).text == "ok {}"


@pytest.mark.parametrize(
    ("way", "says"),
    [("junk", "after the junk"), ("shout", "after the noise"), ("twice", "once")],
)
async def test_small_offences_are_overlooked(way: str, says: str) -> None:
    async with running(rude()) as one:
        assert (await one.call(way)).text == says
        assert (await one.call("ok")).text == "ok {}"


async def test_the_largest_result_does_not_take_much_memory() -> None:
    async with running(rude()) as one:
        tracemalloc.start()
        try:
            found = await one.call("largest")
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert len(found.text) == 4_000_000
    assert peak < 20_000_000, peak


async def test_what_it_refuses_is_told_in_its_words() -> None:
    async with running(rude()) as one:
        with pytest.raises(Misbehaved, match="Obey me"):
            await one.call("refuse")
        assert (await one.call("ok")).text == "ok {}"


async def test_a_call_without_an_answer_ends_in_time() -> None:
    async with running(rude(timeout_s=0.3)) as one:
        with pytest.raises(Misbehaved):
            await one.call("hang")
        assert (await one.call("ok")).text == "ok {}"


async def test_new_tools_are_taken_when_it_says_that_there_are_some() -> None:
    async with running(rude()) as one:
        assert "grown" not in await one.changes.get()
        await one.call("grow")
        assert "grown" in await one.changes.get()
        assert (await one.call("grown")).text == "ok {}"


async def test_a_program_that_is_not_there_is_tried_again_and_again(tmp_path: Path) -> None:
    program = tmp_path / "server"
    async with running({"command": str(program), "timeout_s": 0.2}) as one:
        with pytest.raises(NotRunning, match="being started again"):
            await one.call("ok")


async def test_a_server_that_dies_at_its_start_is_started_again(tmp_path: Path) -> None:
    async with running(rude("--once", str(tmp_path / "been here"))) as one:
        assert await one.changes.get() == sorted(WAYS)
        assert (await one.call("ok")).text == "ok {}"


async def test_a_list_without_an_end_ends() -> None:
    async with running(rude("--pages")) as one:
        assert one.names == sorted(WAYS)


async def test_what_it_has_started_ends_with_it() -> None:
    async with running(rude()) as one:
        child = int((await one.call("child")).text)
        os.kill(child, 0)
    await asyncio.to_thread(_wait_for_its_end, child)


def _children_with(word: str) -> list[int]:
    """The children of this process whose command has a word in it."""
    pids = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    return [int(pid) for pid in pids if word in Path(f"/proc/{pid}/cmdline").read_text()]


async def test_what_it_has_let_go_does_not_hold_the_gateway() -> None:
    async with running(rude()) as one:
        daemon = int((await one.call("daemon")).text)  # it holds the pipes
        try:
            with pytest.raises(NotRunning):
                await one.call("die")
            assert (await one.call("ok")).text == "ok {}"
        finally:
            os.kill(daemon, signal.SIGKILL)


def _wait_for_its_end(pid: int) -> None:
    """It has been killed by now; the system may take a moment. pytest-timeout says if it is not."""
    while _is_alive(pid):
        time.sleep(0.01)


def _is_alive(pid: int) -> bool:
    """Whether a process runs; one that is dead and was not asked about does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def test_a_server_that_does_not_listen_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.mcp.stdio.GRACE_S", 0.1)
    async with running(rude()) as one:
        assert (await one.call("deaf")).text == "I no longer listen"
        (pid,) = await asyncio.to_thread(_children_with, "rude_mcp_server.py")
    assert not _is_alive(pid)


def test_waits_grow_and_have_an_end() -> None:
    assert [module.wait_s(number) for number in (0, 1, 2, 3)] == [0.5, 1, 2, 4]
    assert module.wait_s(7) == module.wait_s(10_000) == 60


def test_a_flood_is_told_from_much_talk() -> None:
    now = [0.0]
    meter = Meter(lambda: now[0])
    for _ in range(3):
        for _ in range(MAX_MESSAGES_PER_WINDOW):
            meter.count(100)
        now[0] += WINDOW_S + 1
    for _ in range(MAX_MESSAGES_PER_WINDOW):
        meter.count(100)
    with pytest.raises(Misbehaved):
        meter.count(100)
    with pytest.raises(Misbehaved):
        Meter(lambda: 0.0).count(40_000_000)
