"""Tiny agents written by hand, with the ABI of the real one, that do as they are told.

`OBEDIENT` reads what to do from its line, e.g. `do("loop")`. The other modules differ from an
agent in what they export or import.
"""

from pathlib import Path

import wasmtime

from gateway.runtime.artefact import Artefact, read_module

ALLOC = '(func (export "agent_alloc") (param i32) (result i32) (i32.const 4096))'
STEP = '(func (export "agent_step") (param i32 i32) (result i64) (i64.const 64))'
MEMORY = '(memory (export "memory") 1)'

INITIAL_BYTES = 40 * 65_536
WRITTEN_BYTES = 16 * 65_536

_DISPATCH_AT = len('{"do":"')
_FIRST = ord("A")

_ACTIONS = {
    "count": "",  # falls through to the end
    "loop": "(loop (br 0))",
    "eat": "(loop (br_if 0 (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) unreachable",
    "trap": "unreachable",
    "pointer": "(return (i64.const 0x00001000_fffff000))",
    "length": "(return (i64.const 0xffffffff_00001000))",
    "zero": "(return (i64.const 0))",
    "quit": "(call $exit (i32.const 3))",
    "memory": "(call $complain) (return (i64.const 0))",
    "utf8": "(return (i64.const 0x00000004_00000200))",
    "json": "(return (i64.const 0x00000006_00000210))",
    "open": "(return (i64.const 0x00000007_00000040))",  # without the newline at its end
    "recurse": "(call $recurse)",
    "write": f"(memory.fill (i32.const 0x20000) (i32.const 1) (i32.const {WRITTEN_BYTES}))",
    "erase": f"(memory.fill (i32.const 0x20000) (i32.const 0) (i32.const {WRITTEN_BYTES}))",
    "hush": "(return (i64.const 64))",
}


def do(action: str) -> str:
    """The line that makes `OBEDIENT` do something."""
    return f'{{"do":"{chr(_FIRST + list(_ACTIONS).index(action))}"}}'


def _cases() -> str:
    return "\n".join(
        f"(if (i32.eq (local.get $what) (i32.const {_FIRST + number})) (then {body}))"
        for number, body in enumerate(_ACTIONS.values())
    )


OBEDIENT = f"""
(module
  (import "wasi_snapshot_preview1" "fd_write"
    (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") {INITIAL_BYTES // 65_536})
  (data (i32.const 0x40) "{{\\22n\\22:0}}\\0a")
  (data (i32.const 0x80) "Traceback (most recent call last):\\0aMemoryError\\0a")
  (data (i32.const 0x200) "\\ff\\fe\\fd\\0a")
  (data (i32.const 0x210) "hello\\0a")
  (func $complain
    (i32.store (i32.const 0x300) (i32.const 0x80))
    (i32.store (i32.const 0x304) (i32.const 47))
    (drop (call $fd_write (i32.const 2) (i32.const 0x300) (i32.const 1) (i32.const 0x308))))
  (func $recurse (call $recurse) (call $recurse))
  {ALLOC}
  (func (export "agent_step") (param $pointer i32) (param $size i32) (result i64)
    (local $what i32)
    (if (i32.eqz (local.get $size)) (then (return (i64.const 64))))
    (local.set $what (i32.load8_u offset={_DISPATCH_AT} (local.get $pointer)))
    {_cases()}
    (i32.store8 (i32.const 0x45) (i32.add (i32.load8_u (i32.const 0x45)) (i32.const 1)))
    (i64.const 0x00000008_00000040)))
"""


def artefact(folder: Path, wat: str) -> Artefact:
    """The module on disk, as an artefact of its own."""
    path = folder / "agent.wasm"
    path.write_bytes(wasmtime.wat2wasm(wat))
    return read_module(path)
