"""A control group holds a command's processes together, and leaves nothing behind."""

import os
import subprocess
from pathlib import Path

import pytest

from gateway.shell.cgroup import Cgroup


@pytest.fixture
def group() -> Cgroup:
    group = Cgroup.make(memory_mb=64, processes=4)
    if group is None:
        pytest.skip("no control group can be made here, by this user")
    return group


def test_a_command_runs_in_it_with_its_own_arguments(group: Cgroup) -> None:
    try:
        command = group.entered_by(
            ["/bin/sh", "-c", 'cat /proc/self/cgroup; echo "$1"', "-", "a b"]
        )
        done = subprocess.run(command, check=True, capture_output=True, text=True, env={})
    finally:
        group.close()
    assert "/hermes-" in done.stdout
    assert done.stdout.endswith("\na b\n")


def test_there_are_no_more_processes_than_it_allows(group: Cgroup) -> None:
    try:
        script = "for i in 1 2 3 4 5 6 7 8; do /bin/sleep 1 & done; wait"
        command = group.entered_by(["/bin/sh", "-c", script])
        done = subprocess.run(command, check=False, capture_output=True, text=True, env={})
    finally:
        group.close()
    assert "fork" in done.stderr.lower()


def test_it_is_removed_at_its_end(group: Cgroup) -> None:
    made = [path for path in group.folders if path.exists()]
    assert made
    group.close()
    assert not [path for path in made if path.exists()]


def test_where_nothing_can_be_limited_there_is_none(tmp_path: Path) -> None:
    assert Cgroup.make(memory_mb=64, processes=4, root=tmp_path) is None
    assert not os.listdir(tmp_path)  # noqa: PTH208 - names are enough


def test_version_2_without_controllers_gives_none(tmp_path: Path) -> None:
    (tmp_path / "cgroup.controllers").write_text("")
    assert Cgroup.make(memory_mb=64, processes=4, root=tmp_path) is None
    assert [path.name for path in tmp_path.iterdir()] == ["cgroup.controllers"]
