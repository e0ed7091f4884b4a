"""Runs the compiled module until Python is up and the agent imported, and keeps that state.

Linear memory and globals after the run become the data segments and initial globals of a second
module, which therefore has nothing left to start. A host that instantiates it maps the same image
copy-on-write into every agent. `staged/hermes_agent.py` and `native/entry.c` are the other side.
"""

from collections.abc import Iterator

from wasmtime import Config, Engine, ExitTrap, Linker, Store, Trap, WasiConfig, WasmtimeError
from wasmtime import Module as CompiledModule

from wasm_build.errors import BuildError
from wasm_build.wasm_module import (
    GLOBAL_KIND,
    PAGE,
    START,
    Export,
    Module,
    Segment,
    i32_const,
)
from wasm_build.wasm_module import Global as GlobalValue

COMMAND_EXPORTS = ("_start", "memory")
SNAPSHOT_EXPORTS = ("agent_alloc", "agent_step", "memory")

_PREPARE = "agent_prepare"
_GLOBAL_PREFIX = "global "
_OS_PAGE = 4096
_GAP_PAGES = 4  # a run of fewer zero pages than this stays inside its segment


def take_snapshot(compiled: Module) -> Module:
    """The module that starts where `compiled` stands after its start-up. Raises `BuildError`."""
    module = compiled.without(START)
    mutable = [index for index, each in enumerate(module.globals()) if each.is_mutable]
    exports = {export.name: export for export in module.exports()}
    run = module.with_exports(
        [
            *(exports[name] for name in ("_start", _PREPARE, *SNAPSHOT_EXPORTS)),
            *(Export(f"{_GLOBAL_PREFIX}{index}", GLOBAL_KIND, index) for index in mutable),
        ]
    )
    memory, values = _run_to_the_end(run.encode(), mutable)
    globals_then = [
        GlobalValue(each.value_type, each.is_mutable, i32_const(values[index]))
        if index in values
        else each
        for index, each in enumerate(module.globals())
    ]
    return (
        module.keeping_exports(SNAPSHOT_EXPORTS)
        .with_globals(globals_then)
        .with_memory_pages(len(memory) // PAGE)
        .with_segments(list(segments(memory)))
    )


def segments(memory: bytes) -> Iterator[Segment]:
    """What is not zero in `memory`, in whole pages of the operating system."""
    zero = bytes(_OS_PAGE)
    used = [
        offset
        for offset in range(0, len(memory), _OS_PAGE)
        if memory[offset : offset + _OS_PAGE] != zero
    ]
    start = None
    for offset, following in zip(used, [*used[1:], None], strict=True):
        if start is None:
            start = offset
        if following is None or following - offset > _GAP_PAGES * _OS_PAGE:
            yield Segment(start, memory[start : offset + _OS_PAGE].rstrip(b"\0"))
            start = None


def _run_to_the_end(binary: bytes, mutable: list[int]) -> tuple[bytes, dict[int, int]]:
    """Memory and the mutable globals' values after start-up."""
    engine = Engine(Config())
    store = Store(engine)
    wasi = WasiConfig()
    wasi.argv = ["hermes_agent"]
    wasi.env = [("HERMES_SNAPSHOT", "1")]
    wasi.inherit_stderr()
    store.set_wasi(wasi)
    linker = Linker(engine)
    linker.define_wasi()
    instance = linker.instantiate(store, CompiledModule(engine, binary))
    exports = instance.exports(store)
    try:
        exports["_start"](store)
    except ExitTrap as stop:
        if stop.code != 0:
            raise BuildError(f"the agent's start-up ended with exit code {stop.code}") from stop
    except (Trap, WasmtimeError) as error:
        raise BuildError(f"the agent's start-up failed: {error}") from error
    else:
        raise BuildError("the agent's start-up ran to its end instead of stopping")
    if exports[_PREPARE](store) != 1:
        raise BuildError("the compiled agent has no step function")
    memory = exports["memory"]
    image = bytes(memory.read(store, 0, memory.data_len(store)))
    values = {index: exports[f"{_GLOBAL_PREFIX}{index}"].value(store) for index in mutable}
    return image, values
