"""The Wasm engine: one per process, shared by all agents, whatever thread they run on.

Owns the compiled module (see compiling.py), the epoch ticker and the limits that
every agent gets. What an agent does with its memory is instance.py's business; which agents are
kept warm is pool.py's.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import wasmtime

from gateway.runtime.artefact import Artefact, load_artefact
from gateway.runtime.code_cache import CodeCache, default_folder
from gateway.runtime.compiling import compiled, first_line
from gateway.runtime.errors import ArtefactError
from gateway.runtime.instance import Limits, WasmInstance, untouched_image
from gateway.runtime.ticker import Ticker, deadline_ticks, tick_interval_s

_WASM_PAGE_BYTES: Final = 65_536
_MIB: Final = 1_048_576

# Native stack for Wasm frames; half of it is wasmtime's default. CPython's own recursion limit is
# to be met before this. Threads have 8 MiB (glibc) or 16 MiB (macOS, set by CPython).
_STACK_BYTES: Final = _MIB

# Whatever changes the compiled code must change this or the key would name two things.
_CONFIG_NAME: Final = f"agent-v1-epochs-speed-stack{_STACK_BYTES}"

_SIGNATURES: Final = {
    "agent_alloc": (("i32",), ("i32",)),
    "agent_step": (("i32", "i32"), ("i64",)),
}


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """What one agent may use, and where compiled code is kept (None: the user's cache folder)."""

    agent_memory_bytes: int = 256 * _MIB
    step_timeout_s: float = 10.0
    cache_folder: Path | None = None


class Engine:
    """Starts agents from a snapshot. Implements `gateway.runtime.base.Runtime`.

    Making one blocks: some milliseconds with compiled code at hand, 5 to 10 seconds without.
    Raises `ArtefactError` if the snapshot is not an agent of this ABI.
    """

    name = "wasm"

    def __init__(
        self, artefact: Artefact | None = None, settings: EngineSettings | None = None
    ) -> None:
        artefact = artefact or load_artefact()
        self.artefact = artefact.sha256
        settings = settings or EngineSettings()
        self._engine = wasmtime.Engine(_config())
        cache = CodeCache(settings.cache_folder or default_folder())
        module = compiled(self._engine, artefact, cache, _CONFIG_NAME)
        image_bytes = _check_exports(module, artefact.path)
        if image_bytes > settings.agent_memory_bytes:
            raise ArtefactError(
                f"an agent starts with {image_bytes // _MIB + 1} MiB of memory but may only have"
                f" {settings.agent_memory_bytes // _MIB}: raise runtime.agent_memory_mb"
            )
        linker = wasmtime.Linker(self._engine)
        linker.define_wasi()
        try:
            self._snapshot = linker.instantiate_pre(module)
        except wasmtime.WasmtimeError as error:
            raise ArtefactError(
                f"{artefact.path} asks for more than an agent gets: {first_line(error)}"
            ) from error
        interval_s = tick_interval_s(settings.step_timeout_s)
        self._limits = Limits(
            memory_bytes=settings.agent_memory_bytes,
            image_bytes=image_bytes,
            step_timeout_s=settings.step_timeout_s,
            deadline_ticks=deadline_ticks(settings.step_timeout_s, interval_s),
        )
        self._ticker = Ticker(self._engine.increment_epoch, interval_s)
        try:
            self._image = untouched_image(self._engine, self._snapshot, self._limits)
        except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
            self._ticker.close()
            raise ArtefactError(
                f"no agent can be started from {artefact.path}: {first_line(error)}"
            ) from error

    def start(self, chat: str) -> WasmInstance:
        """A new agent as the snapshot has it. Raises `AgentFailure` or `NoRoom`."""
        return WasmInstance(self._engine, self._snapshot, self._image, chat, self._limits)

    def close(self) -> None:
        """Stop the clock; agents still running are not to be stepped any more."""
        self._ticker.close()


def _config() -> wasmtime.Config:
    config = wasmtime.Config()
    config.epoch_interruption = True
    config.cranelift_opt_level = "speed"
    config.max_wasm_stack = _STACK_BYTES
    # 4 GiB of address space per memory, the default: no bounds checks in the compiled code, and
    # the memory never moves, so that its address can be kept.
    config.memory_may_move = False
    return config


def _check_exports(module: wasmtime.Module, path: Path) -> int:
    """Compare a module's exports with the ABI; the bytes of memory that it starts with."""
    exports = {export.name: export.type for export in module.exports}
    for name, (params, results) in _SIGNATURES.items():
        found = exports.get(name)
        if not isinstance(found, wasmtime.FuncType):
            raise ArtefactError(f"{path} is not an agent's snapshot: it has no function {name}")
        if _names(found.params) != params or _names(found.results) != results:
            raise ArtefactError(
                f"{path} was built for another ABI: {name} is"
                f" {_names(found.params)} -> {_names(found.results)}: run `./build.sh build`"
            )
    memory = exports.get("memory")
    if not isinstance(memory, wasmtime.MemoryType):
        raise ArtefactError(f"{path} is not an agent's snapshot: it has no memory")
    if memory.is_64 or memory.is_shared:
        raise ArtefactError(f"{path} was built for another ABI: its memory is 64-bit or shared")
    return memory.limits.min * _WASM_PAGE_BYTES


def _names(types: list[wasmtime.ValType]) -> tuple[str, ...]:
    return tuple(str(type_) for type_ in types)
