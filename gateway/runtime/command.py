"""`python -m gateway.runtime.command FILE`: runs the command module on stdin, stdout and stderr.

It is what the `wasmtime` program would do, from the Python package: a process of its own for one
agent, with no folders, no environment and a limit of memory. Gateways run snapshots instead
(engine.py), thousands in one process.
"""

import logging
import sys
from pathlib import Path

import structlog
import wasmtime

from gateway.runtime.artefact import read_module
from gateway.runtime.code_cache import CodeCache, default_folder
from gateway.runtime.compiling import compiled
from gateway.runtime.errors import ArtefactError

MEMORY_BYTES = 256 * 1_048_576
_CONFIG_NAME = "command-v1"


def main(path: str) -> int:
    """Run until the agent ends; its exit code."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),  # stdout is the agent's
    )
    engine = wasmtime.Engine()
    try:
        module = compiled(
            engine, read_module(Path(path)), CodeCache(default_folder()), _CONFIG_NAME
        )
    except (ArtefactError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    wasi = wasmtime.WasiConfig()
    wasi.argv = ("hermes_agent",)
    wasi.inherit_stdin()
    wasi.inherit_stdout()
    wasi.inherit_stderr()
    store = wasmtime.Store(engine)
    store.set_limits(memory_size=MEMORY_BYTES)
    store.set_wasi(wasi)
    start = linker.instantiate(store, module).exports(store)["_start"]
    if not isinstance(start, wasmtime.Func):
        print(f"{path} is not a command: it exports no _start", file=sys.stderr)
        return 1
    try:
        start(store)
    except wasmtime.ExitTrap as ended:
        return ended.code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
