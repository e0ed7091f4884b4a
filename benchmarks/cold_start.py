"""The published design's host for one chat: a process that runs the command module.

`python benchmarks/cold_start.py CODE` serves the agent on stdin and stdout. Its code is compiled
beforehand, so only what every chat would pay is measured. Imports nothing but wasmtime.
"""

import sys
import time

import wasmtime


def main(code: str) -> int:
    """Run until stdin ends. On stderr: the monotonic clock, in ns, when the module was started."""
    engine = wasmtime.Engine()
    module = wasmtime.Module.deserialize_file(engine, code)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    wasi = wasmtime.WasiConfig()
    wasi.argv = ("hermes_agent",)
    wasi.inherit_stdin()
    wasi.inherit_stdout()
    store = wasmtime.Store(engine)
    store.set_wasi(wasi)
    print(time.monotonic_ns(), file=sys.stderr, flush=True)
    start = linker.instantiate(store, module).exports(store)["_start"]
    assert isinstance(start, wasmtime.Func)
    try:
        start(store)
    except wasmtime.ExitTrap as ended:
        return ended.code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
