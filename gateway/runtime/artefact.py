"""Where the compiled modules are, and whether they are those that this gateway was made for.

Reads the folder that `./build.sh build` writes, or the same folder inside an installed wheel.
Knows nothing of engines: what the module exports is checked in engine.py.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agent_core import PROTOCOL_VERSION
from gateway.runtime.errors import ArtefactError

ABI_VERSION: Final = 1
"""The exports that a host calls: `memory`, `agent_alloc`, `agent_step`."""

SNAPSHOT_NAME: Final = "hermes_agent.snapshot.wasm"
COMMAND_NAME: Final = "hermes_agent.wasm"
MANIFEST_NAME: Final = "build.json"

SANDBOX_ABI_VERSION: Final = 1
"""What `gateway/sandbox` calls and is called by."""

SANDBOX_NAME: Final = "python_sandbox.wasm"
SANDBOX_MANIFEST_NAME: Final = "python_sandbox.json"

_MAGIC = b"\0asm\x01\0\0\0"
_CURE = "run `./build.sh build` in a checkout, or install the wheel again"


@dataclass(frozen=True, slots=True)
class Artefact:
    """A snapshot module, checked and read into memory."""

    path: Path
    wasm: bytes
    sha256: str  # of `wasm`, in hex


def artefact_folder() -> Path:
    """The folder of the artefacts: the wheel's own if it carries them, else the checkout's."""
    in_wheel = Path(__file__).parent / "artefacts"
    if in_wheel.is_dir():
        return in_wheel
    return Path(__file__).parents[2] / "dist" / "wasm"


def load_artefact(folder: Path | None = None) -> Artefact:
    """Read the snapshot of a folder and compare it with its build.json.

    Raises `ArtefactError` if it is missing, damaged, or of another ABI or protocol.
    """
    folder = folder or artefact_folder()
    wanted = {"abi": ABI_VERSION, "protocol": PROTOCOL_VERSION}
    return _load(folder / SNAPSHOT_NAME, folder / MANIFEST_NAME, wanted)


def load_sandbox(folder: Path | None = None) -> Artefact:
    """Read the code sandbox of a folder and compare it with its manifest.

    Raises `ArtefactError` if it is missing, damaged, or of another ABI.
    """
    folder = folder or artefact_folder()
    wanted = {"abi": SANDBOX_ABI_VERSION}
    return _load(folder / SANDBOX_NAME, folder / SANDBOX_MANIFEST_NAME, wanted)


def _load(module: Path, manifest_path: Path, wanted: Mapping[str, int]) -> Artefact:
    manifest = _read_manifest(manifest_path)
    _check_versions(manifest, module, wanted)
    artefact = read_module(module)
    if artefact.sha256 != _recorded_sha256(manifest, manifest_path, module.name):
        raise ArtefactError(
            f"{module} is damaged or not the file that {manifest_path.name} describes: {_CURE}"
        )
    return artefact


def read_module(path: Path) -> Artefact:
    """Read a module that nothing vouches for but its own form, e.g. one named by the user."""
    try:
        wasm = path.read_bytes()
    except FileNotFoundError:
        raise ArtefactError(f"there is no agent at {path}: {_CURE}") from None
    except OSError as error:
        raise ArtefactError(f"{path} can't be read ({error.strerror}): {_CURE}") from error
    if not wasm.startswith(_MAGIC):
        raise ArtefactError(f"{path} is not a WebAssembly module: {_CURE}")
    return Artefact(path, wasm, hashlib.sha256(wasm).hexdigest())


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise ArtefactError(f"there is no agent in {path.parent}: {_CURE}") from None
    except (OSError, ValueError) as error:
        raise ArtefactError(f"{path} can't be read ({error}): {_CURE}") from error
    if not isinstance(manifest, dict):
        raise ArtefactError(f"{path} is not the description of a build: {_CURE}")
    return manifest


def _check_versions(manifest: dict[str, Any], module: Path, wanted: Mapping[str, int]) -> None:
    for key, ours in wanted.items():
        theirs = manifest.get(key)
        if theirs != ours:
            raise ArtefactError(
                f"{module} speaks {key} version {theirs}"
                f" and this gateway {key} version {ours}: {_CURE}"
            )


def _recorded_sha256(manifest: dict[str, Any], path: Path, module_name: str) -> str:
    try:
        return str(manifest["files"][module_name]["sha256"])
    except (KeyError, TypeError):
        raise ArtefactError(f"{path} doesn't tell the sha256 of {module_name}: {_CURE}") from None
