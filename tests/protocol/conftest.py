"""What the agent's other forms answer to the transcripts: each form runs all of them once."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from gateway.runtime.artefact import COMMAND_NAME, SNAPSHOT_NAME, artefact_folder
from tests.protocol.transcripts import Transcript, load_all

HOSTS = Path(__file__).parents[1] / "hosts"

Answers = dict[str, bytes]  # transcript → all that the agent answered


@pytest.fixture(scope="session")
def transcripts() -> list[Transcript]:
    return load_all()


@pytest.fixture(scope="session")
def conversations(transcripts: list[Transcript], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the host sends, a file per transcript."""
    folder = tmp_path_factory.mktemp("conversations")
    for transcript in transcripts:
        (folder / transcript.name).write_bytes(transcript.data)
    return folder


@pytest.fixture(scope="session")
def code_folder(request: pytest.FixtureRequest) -> Path:
    """Where compiled code stays from one test run to the next."""
    assert request.config.cache is not None
    return request.config.cache.mkdir("wasm_code")


@pytest.fixture(scope="session")
def command_answers(
    conversations: Path, code_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Answers:
    host = [*under_wasmtime("command", COMMAND_NAME), conversations]
    return answers(tmp_path_factory, "command", lambda out: [*host, out, code_folder])


@pytest.fixture(scope="session")
def snapshot_answers(
    conversations: Path, code_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Answers:
    host = [*under_wasmtime("snapshot", SNAPSHOT_NAME), conversations]
    return answers(tmp_path_factory, "snapshot", lambda out: [*host, out, code_folder])


@pytest.fixture(scope="session")
def node_answers(conversations: Path, tmp_path_factory: pytest.TempPathFactory) -> Answers:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on the PATH")
    # V8 of Node 20 now and then crashes when it recompiles so large a module for speed.
    flags = ["--no-warnings", "--liftoff-only"]
    host: list[str | Path] = [node, *flags, HOSTS / "node_host.mjs", built(COMMAND_NAME)]
    return answers(tmp_path_factory, "node", lambda out: [*host, conversations, out])


def under_wasmtime(kind: str, artefact: str) -> list[str | Path]:
    """The command of a host for the artefact."""
    return [sys.executable, HOSTS / "wasmtime_host.py", kind, built(artefact)]


def answers(
    factory: pytest.TempPathFactory, form: str, command: Callable[[Path], list[str | Path]]
) -> Answers:
    """What a form answers; of the workers of one test run the first has it made for all."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return made(factory.mktemp(form), command)
    shared = factory.getbasetemp().parent / f"answers-{form}"  # the run's own folder
    with FileLock(shared.with_suffix(".lock")):
        if not shared.exists():
            made(unnamed := factory.mktemp(form), command)
            unnamed.rename(shared)
    return read(shared)


def made(folder: Path, command: Callable[[Path], list[str | Path]]) -> Answers:
    """Run a host that fills the folder."""
    done = subprocess.run(command(folder), check=False, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "the agent writes on stderr only when it fails inside"
    return read(folder)


def read(folder: Path) -> Answers:
    """What a host has left in a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def built(name: str) -> Path:
    """An artefact, which must be there."""
    path = artefact_folder() / name
    assert path.exists(), f"{path} is missing: run `./build.sh build`"
    return path
