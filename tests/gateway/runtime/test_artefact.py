"""The agent's file: found, checked, and refused with a sentence that says what to do."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import wasmtime

from agent_core import PROTOCOL_VERSION
from gateway.runtime.artefact import (
    ABI_VERSION,
    MANIFEST_NAME,
    SNAPSHOT_NAME,
    artefact_folder,
    load_artefact,
    read_module,
)
from gateway.runtime.errors import ArtefactError
from tests.gateway.runtime.wat_agents import OBEDIENT

MakeBuild = Callable[..., Path]


@pytest.fixture
def make_build(tmp_path: Path) -> MakeBuild:
    """A folder as a build leaves it, with changes to its manifest."""

    def make(**changes: Any) -> Path:
        wasm = bytes(wasmtime.wat2wasm(OBEDIENT))
        (tmp_path / SNAPSHOT_NAME).write_bytes(wasm)
        sha256 = hashlib.sha256(wasm).hexdigest()
        manifest = {
            "abi": ABI_VERSION,
            "protocol": PROTOCOL_VERSION,
            "files": {SNAPSHOT_NAME: {"sha256": sha256}},
        }
        (tmp_path / MANIFEST_NAME).write_text(json.dumps(manifest | changes))
        return tmp_path

    return make


def test_a_good_build_is_loaded(make_build: MakeBuild) -> None:
    folder = make_build()
    artefact = load_artefact(folder)
    assert artefact.path == folder / SNAPSHOT_NAME
    assert artefact.wasm == artefact.path.read_bytes()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"abi": ABI_VERSION + 1}, "abi version"),
        ({"abi": None}, "abi version"),
        ({"protocol": 1}, "protocol version 1"),
        ({"files": {SNAPSHOT_NAME: {"sha256": "0" * 64}}}, "is damaged"),
        ({"files": {}}, "sha256"),
        ({"files": None}, "sha256"),
    ],
)
def test_a_build_that_does_not_fit_is_refused_with_what_to_do(
    make_build: MakeBuild, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(ArtefactError, match=words) as caught:
        load_artefact(make_build(**changes))
    assert "./build.sh build" in str(caught.value)


@pytest.mark.parametrize("manifest", ["", "{", "[]", '"abi"', "\udcff"])
def test_a_damaged_manifest_is_refused(make_build: MakeBuild, manifest: str) -> None:
    folder = make_build()
    (folder / MANIFEST_NAME).write_bytes(manifest.encode(errors="surrogateescape"))
    with pytest.raises(ArtefactError, match=r"\./build\.sh build"):
        load_artefact(folder)


@pytest.mark.parametrize("missing", [MANIFEST_NAME, SNAPSHOT_NAME])
def test_a_missing_file_is_told(make_build: MakeBuild, missing: str) -> None:
    folder = make_build()
    (folder / missing).unlink()
    with pytest.raises(ArtefactError, match="there is no agent"):
        load_artefact(folder)


@pytest.mark.parametrize("length", [0, 7, 100])
def test_a_truncated_snapshot_is_refused(make_build: MakeBuild, length: int) -> None:
    folder = make_build()
    snapshot = folder / SNAPSHOT_NAME
    snapshot.write_bytes(snapshot.read_bytes()[:length])
    with pytest.raises(ArtefactError, match=r"damaged|not a WebAssembly module"):
        load_artefact(folder)


def test_a_folder_in_the_place_of_a_module_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArtefactError, match="can't be read"):
        read_module(tmp_path)


def test_a_checkout_has_its_artefacts_in_dist(pytestconfig: pytest.Config) -> None:
    assert artefact_folder() == pytestconfig.rootpath / "dist" / "wasm"
