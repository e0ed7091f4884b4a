"""From a module to code: compiled once per module, wasmtime version and configuration.

Compiling takes seconds, loading what was kept takes milliseconds (most of them for its digest).
Where it is kept, and when it is trusted, is code_cache.py's business.
"""

import hashlib
import platform
import time
from importlib.metadata import version

import structlog
import wasmtime

from gateway.runtime.artefact import Artefact
from gateway.runtime.code_cache import CodeCache, UntrustedPath
from gateway.runtime.errors import ArtefactError

_log = structlog.get_logger(__name__)


def compiled(
    engine: wasmtime.Engine, artefact: Artefact, cache: CodeCache, config_name: str
) -> wasmtime.Module:
    """The module's code: from the cache if it may be trusted, else made now, and kept.

    `config_name` stands for the engine's configuration. Blocks for some milliseconds, or for some
    seconds to compile. Raises `ArtefactError` if the module is not valid.
    """
    key = _cache_key(artefact, config_name)
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
            _log.warning("compiled code refused", reason=first_line(error))
    cache.discard(key)
    return None


def _compile(engine: wasmtime.Engine, artefact: Artefact) -> wasmtime.Module:
    _log.info("compiling, once", path=str(artefact.path))
    started = time.monotonic()
    try:
        module = wasmtime.Module(engine, artefact.wasm)
    except wasmtime.WasmtimeError as error:
        raise ArtefactError(
            f"{artefact.path} is damaged ({first_line(error)}):"
            " run `./build.sh build` in a checkout, or install the wheel again"
        ) from error
    _log.info("compiled", seconds=round(time.monotonic() - started, 1))
    return module


def _cache_key(artefact: Artefact, config_name: str) -> str:
    made_by = f"wasmtime-{version('wasmtime')}/{config_name}"
    made_for = f"{platform.system()}-{platform.machine()}"
    return hashlib.sha256(f"{artefact.sha256}/{made_by}/{made_for}".encode()).hexdigest()[:32]


def first_line(error: Exception) -> str:
    """What wasmtime says, without its backtrace."""
    return str(error).partition("\n")[0]
