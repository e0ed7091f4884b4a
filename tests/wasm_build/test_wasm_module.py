"""Modules are read and written back unharmed; edits change what they say and nothing else."""

from pathlib import Path

import pytest
from wasmtime import Engine, Memory, Store, wat2wasm
from wasmtime import Instance as WasmInstance
from wasmtime import Module as CompiledModule

from wasm_build import manifest
from wasm_build.errors import BuildError
from wasm_build.wasm_module import (
    CUSTOM,
    EXPORT,
    FUNCTION_KIND,
    GLOBAL_KIND,
    I32,
    MEMORY_KIND,
    Export,
    Global,
    Module,
    Segment,
    i32_const,
)

SAMPLE = Module.parse(
    bytes(
        wat2wasm(
            """(module
                 (memory (export "memory") 1 9)
                 (global $a (mut i32) (i32.const -5))
                 (global $b i32 (i32.const 70000))
                 (func (export "get") (result i32) (global.get $a))
                 (func (export "grüß") (result i32) (i32.load (i32.const 4)))
                 (data (i32.const 4) "\\01\\02\\03\\04"))"""
        )
    )
)


@pytest.mark.parametrize("name", [manifest.COMMAND, manifest.SNAPSHOT])
def test_a_real_module_is_written_back_byte_for_byte(built: Path, name: str) -> None:
    binary = (built / name).read_bytes()
    assert Module.parse(binary).encode() == binary


def test_exports_are_read_with_name_kind_and_index() -> None:
    assert SAMPLE.exports() == [
        Export("memory", MEMORY_KIND, 0),
        Export("get", FUNCTION_KIND, 0),
        Export("grüß", FUNCTION_KIND, 1),
    ]


def test_only_the_exports_that_were_asked_for_stay_in_that_order() -> None:
    kept = SAMPLE.keeping_exports(["grüß", "memory"])
    assert [export.name for export in kept.exports()] == ["grüß", "memory"]
    compiled = CompiledModule(Engine(), kept.encode())
    assert [export.name for export in compiled.exports] == ["grüß", "memory"]


def test_an_export_that_is_missing_is_named() -> None:
    with pytest.raises(BuildError, match="does not export agent_step, agent_alloc"):
        SAMPLE.keeping_exports(["memory", "agent_step", "agent_alloc"])


def test_everything_can_be_exported() -> None:
    shown = SAMPLE.with_exports([Export("a", GLOBAL_KIND, 0)])
    assert shown.exports() == [Export("a", GLOBAL_KIND, 0)]


def test_globals_are_read_and_written_back_the_same() -> None:
    assert SAMPLE.globals() == [
        Global(I32, True, i32_const(-5)),
        Global(I32, False, i32_const(70_000)),
    ]
    assert SAMPLE.with_globals(SAMPLE.globals()).encode() == SAMPLE.encode()


def test_a_global_of_another_type_is_refused() -> None:
    other = Module.parse(bytes(wat2wasm("(module (global f64 (f64.const 1)))")))
    with pytest.raises(BuildError, match="not an i32 constant"):
        other.globals()


def test_memory_holds_the_new_segments_and_has_the_new_size() -> None:
    changed = SAMPLE.with_memory_pages(3).with_segments(
        [Segment(0, b"first"), Segment(2 * 65536 + 7, b"last")]
    )
    store = Store(Engine())
    module = CompiledModule(store.engine, changed.encode())
    memory = WasmInstance(store, module, []).exports(store)["memory"]
    assert isinstance(memory, Memory)
    assert memory.size(store) == 3
    assert memory.type(store).limits.max == 9
    assert bytes(memory.read(store, 0, 6)) == b"first\0"
    assert bytes(memory.read(store, 2 * 65536 + 7, 2 * 65536 + 11)) == b"last"


def test_custom_sections_go_and_the_rest_stays() -> None:
    named = Module(((CUSTOM, b"\x01x?"), *SAMPLE.sections, (CUSTOM, b"\x01y?")))
    assert named.without(CUSTOM) == SAMPLE.without(CUSTOM)
    assert CUSTOM not in [identifier for identifier, _ in named.without(CUSTOM).sections]


def test_what_is_not_a_module_is_refused() -> None:
    with pytest.raises(BuildError, match="not a WebAssembly module"):
        Module.parse(b"<html>")


def test_a_module_that_is_cut_off_is_refused() -> None:
    with pytest.raises(BuildError, match="cut off"):
        Module.parse(SAMPLE.encode()[:-1])


def test_a_section_that_is_missing_is_named() -> None:
    with pytest.raises(BuildError, match=f"has no section {EXPORT}"):
        Module(()).exports()
