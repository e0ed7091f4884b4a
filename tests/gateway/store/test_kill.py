"""SIGKILL while writing, and a disk that is full: nothing that was stored is lost."""

import asyncio
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from gateway.store.sqlite import SqliteStore

ROOT = Path(__file__).parents[3]

WRITER = """
import asyncio, sys
from datetime import UTC, datetime
from pathlib import Path
from gateway.store.sqlite import SqliteStore

async def main():
    store = await SqliteStore.open(Path(sys.argv[1]), now=lambda: datetime.now(UTC))
    session = await store.current_session("console")
    number = len(await store.history(session.id))
    while True:
        messages = [{"role": "user", "content": str(number + n)} for n in range(3)]
        await store.append_messages(session.id, messages)
        number += 3
        await store.set_memory("memory", "console", str(number))
        print(number, flush=True)

asyncio.run(main())
"""

# Fills the disk, says so, waits for a line that room was made, and goes on.
FILLER = """
import asyncio, resource, sys
from datetime import UTC, datetime
from pathlib import Path
from gateway.store.errors import StoreFull
from gateway.store.sqlite import SqliteStore

async def main():
    path = Path(sys.argv[1])
    limit = int(sys.argv[2])
    store = await SqliteStore.open(path, now=lambda: datetime.now(UTC))
    session = await store.current_session("console")
    await store.set_memory("user", "ada", "likes tea")
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    stored, failures = 0, 0
    while failures < 3:
        try:
            message = {"role": "user", "content": str(stored) + "x" * 5000}
            await store.append_messages(session.id, [message, message])
            stored += 2
        except StoreFull as error:
            failures += 1
            print(error, flush=True)
    print(stored, len(await store.history(session.id)), await store.memory("user", "ada"))
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    else:
        (path.parent / "ballast").unlink()
    await store.append_messages(session.id, [message])
    print(stored + 1, len(await store.history(session.id)), flush=True)
    await store.close()

asyncio.run(main())
"""


@pytest.mark.parametrize("acknowledged", [1, 40, 150])
def test_what_was_stored_before_a_kill_is_there_after_it(
    acknowledged: int, path: Path, clock: Callable[[], datetime]
) -> None:
    said = 0
    for _ in range(2):  # the second writer goes on in the file that the first one left
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True, cwd=ROOT
        ) as writer:
            assert writer.stdout is not None
            for _ in range(acknowledged):
                said = int(writer.stdout.readline())
            writer.send_signal(signal.SIGKILL)
            last = writer.stdout.read().split("\n")[-2:-1]
            said = int(last[0]) if last else said
        assert writer.returncode == -signal.SIGKILL

    async def look() -> tuple[list[str], str]:
        async with await SqliteStore.open(path, now=clock) as store:
            session = await store.current_session("console")
            history = await store.history(session.id)
            return [m["content"] for m in history], await store.memory("memory", "console")

    contents, memory = asyncio.run(look())
    assert contents == [str(n) for n in range(len(contents))]
    assert len(contents) % 3 == 0  # three were written together, always
    assert said <= len(contents) <= said + 3
    assert said <= int(memory) <= said + 3
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def check_filler(output: str, sentence: str) -> None:
    *complaints, full, after = output.strip().split("\n")
    assert len(complaints) == 3
    assert all(sentence in complaint for complaint in complaints)
    stored, kept, memory = full.split(" ", 2)
    assert int(stored) > 0
    assert (kept, memory) == (stored, "likes tea")
    assert after == f"{int(stored) + 1} {int(stored) + 1}"


def test_when_the_file_can_grow_no_further_what_was_stored_stays_and_writing_resumes(
    path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FILLER, str(path), "400000"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    check_filler(done.stdout, "the disk is full or failing")


def can_mount() -> bool:
    """Whether a small disk of our own can be made here (root on Linux, outside a container)."""
    unshare = shutil.which("unshare")
    if sys.platform != "linux" or unshare is None or os.geteuid() != 0:
        return False
    trial = [unshare, "-m", "sh", "-c", "mount -t tmpfs -o size=64k none /mnt"]
    return subprocess.run(trial, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not can_mount(), reason="mounting a small disk needs root")
def test_on_a_full_disk_what_was_stored_stays_and_writing_resumes(tmp_path: Path) -> None:
    script = (
        'mount -t tmpfs -o size=1m none "$1" && '
        'dd if=/dev/zero of="$1/ballast" bs=1k count=400 2>/dev/null && '
        'exec "$2" -c "$3" "$1/hermes.db" 0'
    )
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", str(tmp_path), sys.executable, FILLER],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    check_filler(done.stdout, "There is no room left")
