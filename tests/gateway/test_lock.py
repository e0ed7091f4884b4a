"""One gateway to a data folder."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.errors import StartupError
from gateway.lock import lock_data_dir

ROOT = Path(__file__).parents[2]

HOLDER = """
import sys
from pathlib import Path
from gateway.lock import lock_data_dir
with lock_data_dir(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def hold_elsewhere(folder: Path) -> subprocess.Popen[str]:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def test_a_second_gateway_is_refused_and_told_which_folder_and_which_process(
    tmp_path: Path,
) -> None:
    with hold_elsewhere(tmp_path) as holder:
        with pytest.raises(StartupError) as caught:
            lock_data_dir(tmp_path)
        assert f"(process {holder.pid})" in str(caught.value)
        assert str(tmp_path) in str(caught.value)
        holder.communicate()
    lock_data_dir(tmp_path).release()


def test_a_gateway_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    with hold_elsewhere(tmp_path) as holder:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with lock_data_dir(tmp_path):
        assert (tmp_path / "gateway.pid").read_text() == f"{os.getpid()}\n"


def test_a_second_lock_in_the_same_process_is_refused_too(tmp_path: Path) -> None:
    with lock_data_dir(tmp_path), pytest.raises(StartupError, match=f"process {os.getpid()}"):
        lock_data_dir(tmp_path)


def test_being_refused_does_not_take_the_lock_from_its_holder(tmp_path: Path) -> None:
    with lock_data_dir(tmp_path):
        for _ in range(2):
            with pytest.raises(StartupError, match="process"):
                lock_data_dir(tmp_path)


def test_the_folder_is_made_for_its_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "data"
    with lock_data_dir(folder) as lock:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}
        lock.release()
        lock.release()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StartupError, match="file/data can't be used: Not a directory"):
        lock_data_dir(tmp_path / "file" / "data")
