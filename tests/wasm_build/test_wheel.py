"""A wheel carries the compiled agent; one without it can't be made."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from wasm_build import manifest
from wasm_build.wheel_hook import IN_WHEEL, AgentHook

ROOT = Path(__file__).parents[2]
AGENT = (manifest.COMMAND, manifest.SNAPSHOT, manifest.MANIFEST)
SANDBOX = (manifest.SANDBOX, manifest.SANDBOX_MANIFEST)
NAMES = {f"{IN_WHEEL}/{name}" for name in (*AGENT, *SANDBOX)}


def make_wheel(root: Path, folder: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    return subprocess.run(
        [*command, "--directory", str(folder)],
        cwd=root,
        check=False,
        capture_output=True,
        text=True,
    )


def files_of(folder: Path) -> dict[str, bytes]:
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name in NAMES}


def test_a_wheel_carries_all_modules_and_their_manifests(built: Path, tmp_path: Path) -> None:
    done = make_wheel(ROOT, tmp_path)
    assert done.returncode == 0, done.stderr
    assert files_of(tmp_path) == {
        f"{IN_WHEEL}/{path.name}": path.read_bytes()
        for path in built.iterdir()
        if path.suffix in {".wasm", ".json"}
    }


def test_an_editable_install_finds_the_agent_in_the_checkout(tmp_path: Path) -> None:
    hook = AgentHook(str(tmp_path), {}, None, None, str(tmp_path), "wheel")  # type: ignore[arg-type]  # as hatchling's own tests do
    build_data: dict[str, Any] = {"force_include": {}}
    hook.initialize("editable", build_data)
    assert build_data == {"force_include": {}}


@pytest.fixture
def unbuilt(tmp_path: Path) -> Path:
    """The project as it is cloned: no dist."""
    root = tmp_path / "project"
    skipped = shutil.ignore_patterns("__pycache__")
    for name in ("agent_core", "wasm_build", "config", "adapters", "gateway"):
        shutil.copytree(ROOT / name, root / name, ignore=skipped)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, root)
    return root


def test_without_a_built_agent_one_sentence_says_what_to_run(unbuilt: Path, tmp_path: Path) -> None:
    done = make_wheel(unbuilt, tmp_path / "wheels")
    assert done.returncode != 0
    assert "run `./build.sh build` first" in done.stderr
    assert not list((tmp_path / "wheels").glob("*.whl"))
