"""A gateway that knows ten thousand chats: what memory it takes, and how soon it serves again."""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from benchmarks.conversation import text
from benchmarks.figure import Figure, figure
from gateway.store.scopes import scope_of
from gateway.store.sqlite import FILE_NAME, SqliteStore
from tests.fakes.telegram import FakeTelegram

_CHATS = 10_000
_MESSAGES = 20  # in each of them
_CHARS = 300  # in each of these
_STARTS = 5
_GB = 1_000_000_000
_ROOT = Path(__file__).parents[1]


def measure() -> list[Figure]:
    """Memory with a tenth of the chats warm; the time from a process's start to its service."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data").mkdir()
        asyncio.run(_open(folder / "data" / FILE_NAME))
        _fill(folder / "data" / FILE_NAME)
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.long_run", "warm", str(folder / "data")],
            stdout=subprocess.PIPE,
            check=True,
            cwd=_ROOT,
        )
        warm = json.loads(done.stdout)
        starts_s = [asyncio.run(_start_s(folder)) for _ in range(_STARTS)]
    return [
        figure(
            f"{_CHATS:,} chats known, {warm['chats']:,} warm: memory",
            warm["all"] / _GB,
            "GB",
            "<=",
            2,
        ),
        figure("restart to serving, of them", median(starts_s), "s", "<=", 2),
    ]


async def _open(path: Path) -> None:
    async with await SqliteStore.open(path, now=lambda: datetime.now(UTC)):
        pass


def _fill(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            "INSERT INTO sessions (id, chat, started_at, updated_at) VALUES (?, ?, 't', 't')",
            [(f"s{number}", _chat(number)) for number in range(1, _CHATS + 1)],
        )
        connection.executemany(
            "INSERT INTO messages (session_id, position, role, text, message, created_at, scope) "
            "VALUES (?, ?, ?, ?, ?, '2031-01-01T00:00:00.000000+00:00', ?)",
            _messages(),
        )


def _messages() -> Iterator[tuple[str, int, str, str, str, str]]:
    for number in range(1, _CHATS + 1):
        for position in range(_MESSAGES):
            role = ("user", "assistant")[position % 2]
            said = text(_CHARS, number + position)
            message = json.dumps({"role": role, "content": said})
            yield f"s{number}", position, role, said, message, scope_of(_chat(number))


def _chat(number: int) -> str:
    return f"telegram:dm:{number}"


async def _start_s(folder: Path) -> float:
    """From the start of a process to the last call that it makes before it asks for messages."""
    async with FakeTelegram() as telegram:
        (folder / "hermes.yaml").write_text(
            f"telegram:\n  token: {telegram.token}\n  base_url: {telegram.base_url}\n"
            "  owners: [1]\n"
        )
        began = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "gateway", "run"),
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(_ROOT)},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            # What getUpdates waits for would count too: a call is on record once it is answered.
            await telegram.wait_for(lambda: telegram.calls_of("setMyCommands"), timeout_s=60)
            return time.perf_counter() - began
        finally:
            process.kill()
            await process.wait()
