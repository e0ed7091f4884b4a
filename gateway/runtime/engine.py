"""The Wasm engine: one per process, shared by all agents, whatever thread they run on.

Owns the compiled module (kept on disk, see code_cache.py), the epoch ticker and the limits that
every agent gets. What an agent does with its memory is instance.py's business; which agents are
kept warm is pool.py's.
"""

import hashlib
import platform
import threading
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final

import structlog
import wasmtime

from gateway.runtime.artefact import Artefact, load_artefact
from gateway.runtime.code_cache import CodeCache, UntrustedPath, default_folder
from gateway.runtime.errors import ArtefactError
from gateway.runtime.instance import Limits, WasmInstance
from gateway.runtime.ticker import Ticker, deadline_ticks, tick_interval_s

_WASM_PAGE_BYTES: Final = 65_536
_MIB: Final = 1_048_576

# Native stack for Wasm frames; half of it is wasmtime's default. CPython's own recursion limit is
# to be met before this. Threads have 8 MiB (glibc) or 16 MiB (macOS, set by CPython).
_STACK_BYTES: Final = _MIB

# Whatever changes the compiled code must change this or the key would name two things.
_CONFIG_NAME: Final = "epochs-speed-v1"

_SIGNATURES: Final = {
    "agent_alloc": (("i32",), ("i32",)),
    "agent_step": (("i32", "i32"), ("i64",)),
}

_log = structlog.get_logger(__name__)


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
        settings = settings or EngineSettings()
        self._engine = wasmtime.Engine(_config())
        cache = CodeCache(settings.cache_folder or default_folder())
        module = _compiled(self._engine, artefact, cache)
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
                f"{artefact.path} asks for more than an agent gets: {_first_line(error)}"
            ) from error
        interval_s = tick_interval_s(settings.step_timeout_s)
        self._limits = Limits(
            memory_bytes=settings.agent_memory_bytes,
            image_bytes=image_bytes,
            step_timeout_s=settings.step_timeout_s,
            deadline_ticks=deadline_ticks(settings.step_timeout_s, interval_s),
        )
        self._closing = threading.Lock()
        self._ticker = Ticker(self._engine.increment_epoch, interval_s)

    def start(self, chat: str) -> WasmInstance:
        """A new agent as the snapshot has it. Raises `AgentFailure` or `NoRoom`."""
        return WasmInstance(self._engine, self._snapshot, chat, self._limits)

    def close(self) -> None:
        """Stop the clock; agents still running are not to be stepped any more."""
        with self._closing:
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


def _compiled(engine: wasmtime.Engine, artefact: Artefact, cache: CodeCache) -> wasmtime.Module:
    key = _cache_key(artefact)
    try:
        module = _load(engine, cache, key)
    except (UntrustedPath, OSError) as error:
        _log.warning("compiled code is not kept", reason=str(error))
        return _compile(engine, artefact)
    if module is not None:
        return module
    module = _compile(engine, artefact)
    try:
        cache.write(key, module.serialize())
        # From the file the code is shared with other processes and needs no memory of our own.
        return _load(engine, cache, key) or module
    except (UntrustedPath, OSError) as error:
        _log.warning("compiled code is not kept", reason=str(error))
        return module


def _load(engine: wasmtime.Engine, cache: CodeCache, key: str) -> wasmtime.Module | None:
    with cache.open(key) as path:
        if path is None:
            return None
        try:
            return wasmtime.Module.deserialize_file(engine, str(path))
        except wasmtime.WasmtimeError as error:
            # Whole, but e.g. made on a processor with features that this one lacks.
            _log.warning("compiled code refused", reason=_first_line(error))
    cache.discard(key)
    return None


def _compile(engine: wasmtime.Engine, artefact: Artefact) -> wasmtime.Module:
    _log.info("compiling the agent, once", path=str(artefact.path))
    started = time.monotonic()
    try:
        module = wasmtime.Module(engine, artefact.wasm)
    except wasmtime.WasmtimeError as error:
        raise ArtefactError(
            f"{artefact.path} is damaged ({_first_line(error)}):"
            " run `./build.sh build` in a checkout, or install the wheel again"
        ) from error
    _log.info("compiled", seconds=round(time.monotonic() - started, 1))
    return module


def _cache_key(artefact: Artefact) -> str:
    made_by = f"wasmtime-{version('wasmtime')}/{_CONFIG_NAME}/{_STACK_BYTES}"
    made_for = f"{platform.system()}-{platform.machine()}"
    return hashlib.sha256(f"{artefact.sha256}/{made_by}/{made_for}".encode()).hexdigest()[:32]


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


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
