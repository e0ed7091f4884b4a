"""A snapshot continues where the module stood: same memory, same globals, nothing else."""

from hypothesis import given
from hypothesis import strategies as st
from wasmtime import Engine, Func, Instance, Store, wat2wasm
from wasmtime import Module as CompiledModule

from wasm_build.snapshot import segments, snapshot_module
from wasm_build.startup import State
from wasm_build.wasm_module import Module

PAGE = 4096
COUNTER = Module.parse(
    bytes(
        wat2wasm(
            """(module
                 (memory (export "memory") 1)
                 (global $calls (mut i32) (i32.const 0))
                 (func $begin (global.set $calls (i32.const 1000)))
                 (func (export "next") (result i32)
                   (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
                   (i32.add (global.get $calls) (i32.load (i32.const 8))))
                 (start $begin)
                 (data (i32.const 8) "\\09"))"""
        )
    )
)

pages = st.lists(
    st.sampled_from([b"", b"x", b"\0" * 100 + b"y", b"z" * PAGE]), min_size=1, max_size=40
)


@given(pages)
def test_segments_hold_all_that_is_not_zero(contents: list[bytes]) -> None:
    memory = b"".join(content.ljust(PAGE, b"\0") for content in contents)
    rebuilt = bytearray(len(memory))
    for segment in segments(memory):
        rebuilt[segment.offset : segment.offset + len(segment.data)] = segment.data
    assert rebuilt == memory


@given(pages)
def test_segments_are_in_order_begin_on_pages_and_leave_large_gaps_out(
    contents: list[bytes],
) -> None:
    memory = b"".join(content.ljust(PAGE, b"\0") for content in contents)
    found = list(segments(memory))
    ends = [segment.offset + len(segment.data) for segment in found]
    assert all(segment.offset % PAGE == 0 for segment in found)
    assert all(end < segment.offset for end, segment in zip(ends, found[1:], strict=False))
    assert all(bytes(5 * PAGE) not in segment.data for segment in found)


def test_a_snapshot_goes_on_from_its_state_and_starts_nothing() -> None:
    memory = bytearray(65536)
    memory[8] = 100
    taken = snapshot_module(COUNTER, State(bytes(memory), {0: 41}), ["next"])
    store = Store(Engine())
    instance = Instance(store, CompiledModule(store.engine, taken.encode()), [])
    count = instance.exports(store)["next"]
    assert isinstance(count, Func)
    assert count(store) == 142
    assert count(store) == 143
