"""The code sandbox as it is shipped: what it asks of a host is all that a program can reach."""

from pathlib import Path

import pytest
from wasmtime import Engine, FuncType, Module

from wasm_build import manifest
from wasm_build.sandbox.build import EXPORTS, WASI_IMPORTS
from wasm_build.sandbox.freeze import LEFT_OUT, frozen
from wasm_build.wasm_module import START
from wasm_build.wasm_module import Module as Sections

OURS = {"print", "may_write", "sleep", "tool_call", "tool_answer"}


@pytest.fixture(scope="module")
def module(built: Path, engine: Engine) -> Module:
    return Module(engine, (built / manifest.SANDBOX).read_bytes())


def test_it_exports_what_a_host_calls_and_nothing_else(module: Module) -> None:
    assert tuple(export.name for export in module.exports) == EXPORTS
    _, alloc, run, postmortem = (export.type for export in module.exports)
    assert isinstance(alloc, FuncType)
    assert isinstance(run, FuncType)
    assert isinstance(postmortem, FuncType)
    assert [str(kind) for kind in (*alloc.params, *alloc.results)] == ["i32", "i32"]
    assert [str(kind) for kind in (*run.params, *run.results)] == ["i32", "i32", "i32"]
    assert not [*postmortem.params, *postmortem.results]


def test_it_imports_files_clocks_dice_and_our_own_functions(module: Module) -> None:
    asked = {(each.module, each.name) for each in module.imports}
    assert {name for module_name, name in asked if module_name == "hermes"} == OURS
    wasi = {name for module_name, name in asked if module_name == "wasi_snapshot_preview1"}
    assert wasi == set(WASI_IMPORTS.split())
    assert len(asked) == len(wasi) + len(OURS)


@pytest.mark.parametrize("word", ["sock", "link", "poll", "thread", "allocate", "renumber"])
def test_no_import_opens_a_way_out(module: Module, word: str) -> None:
    names = {str(each.name) for each in module.imports} - {"path_readlink", "path_unlink_file"}
    assert not [name for name in names if word in name]


def test_it_has_nothing_to_start(built: Path) -> None:
    sections = Sections.parse((built / manifest.SANDBOX).read_bytes()).sections
    assert START not in {identifier for identifier, _ in sections}


def test_it_is_small_enough_to_ship(built: Path) -> None:
    assert (built / manifest.SANDBOX).stat().st_size < 21_000_000


def test_the_library_is_bytecode_without_what_cannot_work(tmp_path: Path) -> None:
    for name in ("json/__init__.py", "json/tests/test_it.py", "socket.py", "abc.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text('"""Documented."""\nx = 1\n')
    library = frozen(tmp_path)
    assert {name: is_package for name, (is_package, _) in library.items()} == {
        "abc": False,
        "json": True,
    }
    assert "socket" in LEFT_OUT.split()
    assert b"Documented" not in library["json"][1]
