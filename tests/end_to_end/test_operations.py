"""Health, metrics and systemd of a real gateway process."""

import asyncio
import re
import signal
from asyncio.subprocess import Process
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.end_to_end.process import finished, running
from tests.fakes.telegram import FakeTelegram, Person
from tests.fakes.telegram.faults import bad_gateway
from tests.gateway.operations.service_manager import ServiceManager


@pytest.fixture
def folder(tmp_path: Path, telegram: FakeTelegram, ada: Person) -> Path:
    """A folder with a configuration for the demo model, Telegram and a free HTTP port."""
    (tmp_path / "hermes.yaml").write_text(
        f"telegram:\n  token: {telegram.token}\n  base_url: {telegram.base_url}\n"
        f"  allowed_users: [{ada.id}]\nhttp:\n  port: 0\n"
    )
    return tmp_path


async def address_of(gateway: Process) -> str:
    """Where its HTTP port is, as it says at its start."""
    assert gateway.stderr is not None
    while line := (await gateway.stderr.readline()).decode():
        if found := re.search(r"http://127\.0\.0\.1:\d+", line):
            return found[0]
    raise AssertionError("it ended without saying where its port is")


async def readiness(client: httpx.AsyncClient) -> tuple[int, dict[str, Any]]:
    answer = await client.get("/readyz")
    body: dict[str, Any] = answer.json()
    return answer.status_code, body


async def test_a_serving_gateway_is_ready_and_tells_what_it_did(
    folder: Path, telegram: FakeTelegram, ada: Person
) -> None:
    async with (
        running("run", cwd=folder) as gateway,
        httpx.AsyncClient(base_url=await address_of(gateway)) as client,
    ):
        telegram.people.say(ada, "hello")
        await telegram.wait_for(lambda: telegram.replies(ada))
        assert await readiness(client) == (200, {"status": "ready"})
        assert (await client.get("/healthz")).json() == {"status": "alive"}
        async with asyncio.timeout(30):
            while 'turns_total{outcome="answered"} 1.0' not in (
                text := (await client.get("/metrics")).text
            ):
                pass
        assert 'hermes_phase_seconds_count{phase="wake"} 1.0' in text
        assert 'hermes_phase_seconds_count{phase="queue"} 1.0' in text
        assert 'hermes_deliveries_total{outcome="shown",platform="telegram"} 1.0' in text
        assert 'hermes_model_calls_total{outcome="answered",provider="demo"} 1.0' in text
        assert "hermes_agents_started_total 1.0" in text
        assert 'hermes_model_tokens_total{kind="output",model="demo",provider="demo"}' in text
        assert telegram.token not in text
        kind = (await client.get("/metrics")).headers["Content-Type"]
        assert kind == "text/plain; version=0.0.4; charset=utf-8"
        assert (await client.get("/")).status_code == 404
        assert (await client.post("/readyz")).status_code == 405


async def test_check_can_run_beside_a_gateway_that_runs(folder: Path) -> None:
    async with running("run", cwd=folder) as gateway:
        port = (await address_of(gateway)).rpartition(":")[2]
        settings = folder / "hermes.yaml"
        settings.write_text(settings.read_text().replace("port: 0", f"port: {port}"))
        run = await finished("check", "--dev", cwd=folder)
    assert run.code == 0
    assert "in use by a gateway that runs" in run.stdout
    assert f"127.0.0.1:{port}, in use while a gateway runs" in run.stdout


async def test_a_platform_that_was_given_up_makes_it_not_ready(
    folder: Path, telegram: FakeTelegram
) -> None:
    settings = folder / "hermes.yaml"
    settings.write_text(
        settings.read_text().replace(telegram.token, "123:wrong") + "console:\n  enabled: yes\n"
    )
    async with (
        running("run", cwd=folder) as gateway,
        httpx.AsyncClient(base_url=await address_of(gateway)) as client,
    ):
        async with asyncio.timeout(30):
            while "given up" not in str((found := await readiness(client))[1]):
                pass
        status, body = found
        assert status == 503
        assert list(body["reasons"]) == ["telegram"]
        assert "123:wrong" not in str(body)


async def test_a_platform_that_has_not_answered_yet_is_not_connected(
    folder: Path, telegram: FakeTelegram
) -> None:
    telegram.fail("getUpdates", bad_gateway(), times=100)
    async with (
        running("run", cwd=folder) as gateway,
        httpx.AsyncClient(base_url=await address_of(gateway)) as client,
    ):
        status, body = await readiness(client)
        assert (status, body["reasons"]) == (503, {"telegram": "not connected yet"})


async def test_a_port_that_is_taken_is_a_sentence(folder: Path) -> None:
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        settings = folder / "hermes.yaml"
        settings.write_text(settings.read_text().replace("port: 0", f"port: {port}"))
        run = await finished("run", "--dev", cwd=folder)
    assert run.code == 1
    assert f"The HTTP port 127.0.0.1:{port} can't be opened" in run.stderr
    assert "Traceback" not in run.stderr


async def test_a_service_manager_is_told_of_start_life_and_end(folder: Path) -> None:
    async with (
        ServiceManager(folder) as manager,
        running(
            "run",
            cwd=folder,
            NOTIFY_SOCKET=manager.address,
            WATCHDOG_USEC="300000",
        ) as gateway,
    ):
        assert (await manager.next())["READY"] == "1"
        for _ in range(2):
            assert await manager.next() == {"WATCHDOG": "1"}
        gateway.send_signal(signal.SIGTERM)
        assert (await manager.until("STOPPING"))["STOPPING"] == "1"
        assert await gateway.wait() == 0
