"""How large the two files are, and what they are made of."""

from benchmarks.figure import Figure, figure
from gateway.runtime.artefact import COMMAND_NAME, SNAPSHOT_NAME, artefact_folder
from wasm_build.wasm_module import DATA, Module

_MB = 1_000_000
_CODE = 10  # WebAssembly Core Specification, 5.5.2


def measure() -> list[Figure]:
    """Each file's size, its code and its data; the rest is tables, types and names."""
    figures = []
    for name, reach in ((COMMAND_NAME, 12), (SNAPSHOT_NAME, 14)):
        wasm = (artefact_folder() / name).read_bytes()
        module = Module.parse(wasm)
        code, data = len(module.section(_CODE)), len(module.section(DATA))
        figures += [
            figure(name, len(wasm) / _MB, "MB", "<=", reach),
            figure(f"{name}: code", code / _MB, "MB"),
            figure(f"{name}: data", data / _MB, "MB"),
            figure(f"{name}: the rest", (len(wasm) - code - data) / _MB, "MB"),
        ]
    return figures
