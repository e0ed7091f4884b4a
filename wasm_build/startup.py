"""Runs the compiled module until Python is up and the agent imported: the state of a snapshot.

The run ends in `os._exit` (`staged/hermes_agent.py`). What comes after, `agent_prepare`, is a call
from within it: the stack stays as it was then, and Python is never taken apart.
"""

from dataclasses import dataclass
from typing import TypeVar

from wasmtime import (
    Caller,
    Engine,
    ExitTrap,
    Func,
    FuncType,
    Global,
    Instance,
    Linker,
    Memory,
    Store,
    Trap,
    ValType,
    WasiConfig,
    WasmtimeError,
)
from wasmtime import Module as CompiledModule

from wasm_build.errors import BuildError
from wasm_build.wasm_module import GLOBAL_KIND, Export, Module

PLAN, PREPARE = "agent_plan", "agent_prepare"
_GLOBAL_PREFIX = "global "

_Extern = TypeVar("_Extern", Func, Memory, Global)


@dataclass(frozen=True, slots=True)
class State:
    """What a started module holds: its memory, and the values of its mutable globals by index."""

    memory: bytes
    mutable_globals: dict[int, int]


class Startup:
    """A module that can be started several times, each time with another plan for its heap."""

    def __init__(self, engine: Engine, compiled: Module) -> None:
        """Compiles to machine code, which takes seconds. Raises `BuildError`."""
        self._engine = engine
        self._compiled = compiled
        self._machine_code = CompiledModule(engine, with_globals_in_sight(compiled).encode())

    def run(self, plan: bytes) -> State:
        """Start with `plan` in the place of native/heap.c's. Raises `BuildError`."""
        store, instance = instantiate(self._engine, self._machine_code)
        memory = extern(store, instance, "memory", Memory)
        memory.write(store, plan, extern(store, instance, PLAN, Func)(store))
        try:
            extern(store, instance, "_start", Func)(store)
        except ExitTrap as stop:
            if stop.code != 0:
                raise BuildError(f"the agent's start-up ended with exit code {stop.code}") from stop
        except (Trap, WasmtimeError) as error:
            raise BuildError(f"the agent's start-up failed: {error}") from error
        else:
            raise BuildError("the agent's start-up ran to its end instead of stopping")
        if extern(store, instance, PREPARE, Func)(store) != 1:
            raise BuildError("the compiled agent has no step function")
        return state_of(self._compiled, store, instance)


def with_globals_in_sight(compiled: Module) -> Module:
    """The module with its mutable globals exported, so that `state_of` can read them."""
    extra = [Export(f"{_GLOBAL_PREFIX}{index}", GLOBAL_KIND, index) for index in _mutable(compiled)]
    return compiled.with_exports([*compiled.exports(), *extra])


def state_of(compiled: Module, store: Store, instance: Instance) -> State:
    """What an instance of `with_globals_in_sight(compiled)` holds now."""
    values = {
        index: int(extern(store, instance, f"{_GLOBAL_PREFIX}{index}", Global).value(store))
        for index in _mutable(compiled)
    }
    return State(bytes(extern(store, instance, "memory", Memory).read(store)), values)


def _mutable(compiled: Module) -> list[int]:
    return [index for index, each in enumerate(compiled.globals()) if each.is_mutable]


def instantiate(engine: Engine, machine_code: CompiledModule) -> tuple[Store, Instance]:
    """An agent's instance that is told to stop for a snapshot, and gets nothing but stderr."""
    store = Store(engine)
    wasi = WasiConfig()
    wasi.argv = ["hermes_agent"]
    wasi.env = [("HERMES_SNAPSHOT", "1")]
    wasi.inherit_stderr()
    store.set_wasi(wasi)
    return store, repeatable_linker(engine).instantiate(store, machine_code)


def repeatable_linker(engine: Engine) -> Linker:
    """WASI with clocks that stand still and dice that show zero: one module, one image."""
    linker = Linker(engine)
    linker.define_wasi()
    linker.allow_shadowing = True
    i32, i64 = ValType.i32(), ValType.i64()
    wasi_module = "wasi_snapshot_preview1"
    clock, dice = FuncType([i32, i64, i32], [i32]), FuncType([i32, i32], [i32])
    linker.define_func(wasi_module, "clock_time_get", clock, _stopped_clock, access_caller=True)
    linker.define_func(wasi_module, "random_get", dice, _zeros, access_caller=True)
    return linker


def _stopped_clock(caller: Caller, _clock: int, _precision: int, result: int) -> int:
    return _zeros(caller, result, 8)


def _zeros(caller: Caller, address: int, size: int) -> int:
    memory = caller["memory"]
    assert isinstance(memory, Memory)  # noqa: S101 - for the type checker; WASI demands it
    memory.write(caller, bytes(size), address)
    return 0


def extern(store: Store, instance: Instance, name: str, kind: type[_Extern]) -> _Extern:
    """An export of the kind that is expected. Raises `BuildError` if it is not there."""
    found = instance.exports(store).get(name)
    if not isinstance(found, kind):
        raise BuildError(f"the compiled module exports no {kind.__name__.lower()} {name}")
    return found
