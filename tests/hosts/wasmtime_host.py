"""Runs the agent's Wasm modules for many conversations, with wasmtime and nothing of ours.

    python wasmtime_host.py command  hermes_agent.wasm          IN_FOLDER OUT_FOLDER CODE_FOLDER
    python wasmtime_host.py snapshot hermes_agent.snapshot.wasm IN_FOLDER OUT_FOLDER CODE_FOLDER

Each file of IN_FOLDER is what a host sends; the file of the same name in OUT_FOLDER gets all that
a fresh agent answers. The command gets it on stdin, the snapshot line by line through the two
functions of its ABI. Compiled code is kept in CODE_FOLDER.
"""

import hashlib
import os
import sys
from importlib.metadata import version
from pathlib import Path

import wasmtime


def main() -> None:
    """Run all conversations."""
    kind, wasm, in_folder, out_folder, code_folder = sys.argv[1], *map(Path, sys.argv[2:])
    engine = wasmtime.Engine()
    module = _module(engine, wasm, code_folder)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    for source in sorted(in_folder.iterdir()):
        run = _run_command if kind == "command" else _run_snapshot
        run(engine, linker, module, source, out_folder / source.name)


def _run_command(
    engine: wasmtime.Engine,
    linker: wasmtime.Linker,
    module: wasmtime.Module,
    source: Path,
    target: Path,
) -> None:
    store = wasmtime.Store(engine)
    wasi = wasmtime.WasiConfig()
    wasi.argv = ["hermes_agent"]
    wasi.stdin_file = source
    wasi.stdout_file = target
    wasi.inherit_stderr()
    store.set_wasi(wasi)
    start = linker.instantiate(store, module).exports(store)["_start"]
    assert isinstance(start, wasmtime.Func)
    try:
        start(store)
    except wasmtime.ExitTrap as end:
        if end.code != 0:
            raise


def _run_snapshot(
    engine: wasmtime.Engine,
    linker: wasmtime.Linker,
    module: wasmtime.Module,
    source: Path,
    target: Path,
) -> None:
    store = wasmtime.Store(engine)
    wasi = wasmtime.WasiConfig()
    wasi.inherit_stderr()
    store.set_wasi(wasi)
    exports = linker.instantiate(store, module).exports(store)
    memory, alloc, step = exports["memory"], exports["agent_alloc"], exports["agent_step"]
    assert isinstance(memory, wasmtime.Memory)
    assert isinstance(alloc, wasmtime.Func)
    assert isinstance(step, wasmtime.Func)
    out = bytearray()
    *lines, _ = source.read_bytes().split(b"\n")
    for line in (line + b"\n" for line in lines):
        pointer = alloc(store, len(line)) & 0xFFFF_FFFF
        memory.write(store, line, pointer)
        answer = step(store, pointer, len(line)) & 0xFFFF_FFFF_FFFF_FFFF
        length, address = answer >> 32, answer & 0xFFFF_FFFF
        out += memory.read(store, address, address + length)
    target.write_bytes(out)


def _module(engine: wasmtime.Engine, wasm: Path, code_folder: Path) -> wasmtime.Module:
    content = wasm.read_bytes()
    name = hashlib.sha256(content + version("wasmtime").encode()).hexdigest()
    kept = code_folder / f"{name}.cwasm"
    if kept.exists():
        return wasmtime.Module.deserialize_file(engine, str(kept))
    module = wasmtime.Module(engine, content)
    # Whole or not at all: another test process may look for it at the same time.
    written = code_folder / f"{name}.{os.getpid()}"
    written.write_bytes(module.serialize())
    written.replace(kept)
    return module


if __name__ == "__main__":
    main()
