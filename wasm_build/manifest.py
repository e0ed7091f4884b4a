"""`dist/wasm/build.json`: what the agent's modules were built from, so that a host can check it.
`python_sandbox.json` is the same for the code sandbox.

Also the hash over the sources, by which a build knows that it has nothing to do.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from wasm_build import ABI_VERSION, SANDBOX_ABI_VERSION
from wasm_build.compile import AgentFacts

COMMAND = "hermes_agent.wasm"
SNAPSHOT = "hermes_agent.snapshot.wasm"
MANIFEST = "build.json"
SANDBOX = "python_sandbox.wasm"
SANDBOX_MANIFEST = "python_sandbox.json"
FORMAT = 1

_BUILD = ("wasm_build/*.py", "wasm_build/native/*.[ch]", "wasm_build/*.txt")
AGENT_SOURCES = ("agent_core/**/*.py", "wasm_build/staged/*.py", *_BUILD)
SANDBOX_SOURCES = ("wasm_build/sandbox/*.py", "wasm_build/sandbox/*.c", *_BUILD)


def source_files(root: Path, sources: Iterable[str] = AGENT_SOURCES) -> list[Path]:
    """Every file whose content decides what comes out of a build, in a fixed order."""
    return sorted(path for pattern in sources for path in root.glob(pattern))


def input_hash(root: Path, sources: Iterable[str] = AGENT_SOURCES) -> str:
    """SHA-256 over names and contents of the sources under `root`, in hexadecimal."""
    digest = hashlib.sha256()
    for path in source_files(root, sources):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def has_agent(root: Path) -> bool:
    """Whether `dist/wasm` under `root` holds an undamaged agent of these very sources."""
    return is_up_to_date(root / "dist" / "wasm", input_hash(root))


def has_sandbox(root: Path) -> bool:
    """The same of the code sandbox."""
    inputs = input_hash(root, SANDBOX_SOURCES)
    return is_up_to_date(root / "dist" / "wasm", inputs, (SANDBOX,), SANDBOX_MANIFEST)


def pinned_tools(requirements: str) -> dict[str, str]:
    """Name → version of the tools that a requirements file pins."""
    pins = (line.partition(";")[0].strip() for line in requirements.splitlines())
    return dict(pin.split("==", 1) for pin in pins if "==" in pin and not pin.startswith("#"))


def describe(
    input_sha256: str,
    agent: AgentFacts,
    tools: Mapping[str, str],
    files: Mapping[str, bytes],
) -> dict[str, Any]:
    """The manifest, as JSON will hold it."""
    versions = {"abi": ABI_VERSION, "protocol": agent.protocol, "agent": agent.version}
    return _manifest(versions, input_sha256, tools, files)


def describe_sandbox(
    input_sha256: str, tools: Mapping[str, str], files: Mapping[str, bytes]
) -> dict[str, Any]:
    """The manifest of the code sandbox."""
    return _manifest({"abi": SANDBOX_ABI_VERSION}, input_sha256, tools, files)


def _manifest(
    versions: Mapping[str, Any],
    input_sha256: str,
    tools: Mapping[str, str],
    files: Mapping[str, bytes],
) -> dict[str, Any]:
    return {
        "format": FORMAT,
        **versions,
        "input_sha256": input_sha256,
        "tools": dict(sorted(tools.items())),
        "files": {
            name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in files.items()
        },
    }


def is_up_to_date(
    output: Path,
    input_sha256: str,
    names: Iterable[str] = (COMMAND, SNAPSHOT),
    manifest_name: str = MANIFEST,
) -> bool:
    """Whether `output` holds an undamaged build of these very sources."""
    try:
        manifest = json.loads((output / manifest_name).read_text())
        recorded = {name: manifest["files"][name]["sha256"] for name in names}
        if manifest["format"] != FORMAT or manifest["input_sha256"] != input_sha256:
            return False
        found = {name: hashlib.sha256((output / name).read_bytes()).hexdigest() for name in names}
    except (OSError, ValueError, KeyError, TypeError):
        return False  # missing or damaged: build
    return found == recorded
