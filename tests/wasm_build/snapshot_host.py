"""The smallest host of the snapshot: what docs/wasm.md says, in a few lines."""

import ctypes
from dataclasses import dataclass

from wasmtime import Engine, Func, Linker, Memory, Module, Store, WasiConfig


@dataclass(frozen=True, slots=True)
class Agent:
    """An instance of the snapshot, driven as docs/wasm.md says."""

    store: Store
    memory: Memory
    alloc: Func
    step_function: Func

    def step(self, lines: bytes) -> bytes:
        """Feed lines, get lines."""
        length, address = self.raw_step(lines)
        return bytes(self.memory.read(self.store, address, address + length))

    def raw_step(self, lines: bytes) -> tuple[int, int]:
        """Length and address of the answer."""
        room = self.alloc(self.store, len(lines))
        self.memory.write(self.store, lines, room)
        result = self.step_function(self.store, room, len(lines)) & (1 << 64) - 1
        assert result, "the step failed"
        return result >> 32, result & 0xFFFF_FFFF

    def address(self) -> int:
        """Where its memory begins in this process."""
        return ctypes.addressof(self.memory.data_ptr(self.store).contents)


def start_agent(engine: Engine, snapshot: Module) -> Agent:
    """A fresh agent, which gets nothing of the world."""
    store = Store(engine)
    store.set_wasi(WasiConfig())
    linker = Linker(engine)
    linker.define_wasi()
    exports = linker.instantiate(store, snapshot).exports(store)
    memory, alloc, step = exports["memory"], exports["agent_alloc"], exports["agent_step"]
    assert isinstance(memory, Memory)
    assert isinstance(alloc, Func)
    assert isinstance(step, Func)
    return Agent(store, memory, alloc, step)
