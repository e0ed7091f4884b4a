"""`python -m gateway.runtime.command FILE`: runs the command module on stdin, stdout and stderr.

It is what the `wasmtime` program would do, from the Python package: a process of its own for one
agent, with no folders, no environment and a limit of memory. Gateways run snapshots instead
(engine.py), thousands in one process.
"""

import sys

import wasmtime

MEMORY_BYTES = 256 * 1_048_576


def main(path: str) -> int:
    """Run until the agent ends; its exit code."""
    config = wasmtime.Config()
    config.cache = True  # wasmtime's own cache of compiled code, in the user's cache folder
    engine = wasmtime.Engine(config)
    try:
        module = wasmtime.Module.from_file(engine, path)
    except (OSError, wasmtime.WasmtimeError) as error:
        print(f"{path} can't be run: {str(error).partition(chr(10))[0]}", file=sys.stderr)
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
