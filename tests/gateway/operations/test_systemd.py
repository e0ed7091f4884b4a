"""What a service manager is told, over a real socket."""

import asyncio
import os
import socket
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gateway.operations.readiness import Readiness
from gateway.operations.systemd import STORE, Systemd, watchdog_s
from gateway.store.connection import Database
from gateway.store.sqlite import FILE_NAME, SqliteStore
from tests.gateway.operations.service_manager import ServiceManager


async def test_fields_arrive_as_lines_of_one_message(tmp_path: Path) -> None:
    async with ServiceManager(tmp_path) as manager:
        Systemd({"NOTIFY_SOCKET": manager.address}).notify(READY=1, STATUS="serving")
        assert await manager.next() == {"READY": "1", "STATUS": "serving"}


async def test_a_line_break_in_a_text_begins_no_field(tmp_path: Path) -> None:
    async with ServiceManager(tmp_path) as manager:
        Systemd({"NOTIFY_SOCKET": manager.address}).notify(STATUS="lost\nMAINPID=1")
        assert await manager.next() == {"STATUS": "lost MAINPID=1"}


async def test_a_socket_may_have_an_abstract_name() -> None:
    name = f"hermes-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(f"\0{name}")
        Systemd({"NOTIFY_SOCKET": f"@{name}"}).notify(STOPPING=1)
        manager.setblocking(False)
        assert manager.recv(100) == b"STOPPING=1"


async def test_without_a_manager_nothing_is_said_and_nothing_runs(tmp_path: Path) -> None:
    systemd = Systemd({"WATCHDOG_USEC": "1000"})
    systemd.notify(READY=1)
    await systemd.feed_watchdog(Readiness())
    without_watchdog = Systemd({"NOTIFY_SOCKET": str(tmp_path / "notify")})
    await without_watchdog.feed_watchdog(Readiness())


async def test_a_manager_that_has_gone_is_no_failure(tmp_path: Path) -> None:
    Systemd({"NOTIFY_SOCKET": str(tmp_path / "nobody")}).notify(READY=1)


@pytest.mark.parametrize(
    ("environ", "seconds"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "30000000"}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
    ],
)
def test_the_watchdog_is_this_processs_own(environ: dict[str, str], seconds: float | None) -> None:
    assert watchdog_s(environ, pid=7) == seconds


async def test_the_watchdog_is_fed_only_while_the_store_answers(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / FILE_NAME)
    store = SqliteStore(database, lambda: datetime.now(UTC))
    readiness = Readiness(patience_s=0.01)
    readiness.add(STORE, lambda: store.memory("memory", ""))
    async with ServiceManager(tmp_path) as manager:
        environ = {"NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "30000"}
        feeding = asyncio.create_task(Systemd(environ).feed_watchdog(readiness))
        assert await manager.next() == {"WATCHDOG": "1"}
        async with database.writing():  # whoever holds the database keeps the store from answering
            while manager.has_more():
                await manager.next()
            for _ in range(3):
                assert await readiness.failure(STORE) == "no answer within 0.01 s"
            while manager.has_more():  # fed before the database was taken
                await manager.next()
            for _ in range(5):
                assert await readiness.failure(STORE) == "no answer within 0.01 s"
            assert not manager.has_more()
        assert await manager.next() == {"WATCHDOG": "1"}
        feeding.cancel()
        await asyncio.wait([feeding])
    await store.close()
