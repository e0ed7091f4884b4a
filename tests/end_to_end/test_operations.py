"""Health, metrics and systemd of a real gateway process."""

import asyncio
import re
import shutil
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.end_to_end.process import ROOT, finished, running
from tests.fakes.telegram import FakeTelegram, Person
from tests.fakes.telegram.faults import bad_gateway
from tests.gateway.operations.service_manager import ServiceManager

OPERATIONS = ROOT / "docs" / "operations.md"
ANALYZE = shutil.which("systemd-analyze")


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


def unit_on_the_page() -> str:
    """The unit file that docs/operations.md gives."""
    unit = re.search(r"```ini\n(.*?)```", OPERATIONS.read_text(encoding="utf-8"), re.DOTALL)
    assert unit
    return unit[1]


def program_of(unit: str) -> list[str]:
    """What a unit starts."""
    line = re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    assert line
    return line[1].split()


async def test_what_the_unit_on_the_page_starts_is_a_gateway(tmp_path: Path) -> None:
    config = tmp_path / "hermes.yaml"
    config.write_text("model: {provider: demo}\n")
    here = {"/etc/hermes/hermes.yaml": str(config), "/var/lib/hermes": str(tmp_path / "data")}
    _, *arguments = program_of(unit_on_the_page())
    assert here.keys() < set(arguments)
    run = await finished(*[here.get(one, one) for one in arguments], cwd=tmp_path, stdin="hello")
    assert run.code == 0
    assert "Hello!" in run.stdout
    assert (tmp_path / "data" / "hermes.db").exists()


@pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not installed")
async def test_systemd_understands_all_of_the_unit_on_the_page(tmp_path: Path) -> None:
    assert ANALYZE is not None
    unit = unit_on_the_page()
    program = program_of(unit)[0]
    file = tmp_path / "hermes-on-the-page.service"
    file.write_text(unit.replace(program, sys.executable))  # a program has to be there
    verify = await asyncio.create_subprocess_exec(
        ANALYZE, "verify", file, stdout=PIPE, stderr=STDOUT
    )
    said, _ = await verify.communicate()
    # It may have something to say about other units of the machine, too.
    assert [line for line in said.decode().splitlines() if file.name in line] == []
