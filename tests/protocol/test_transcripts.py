"""Every transcript, with every form of the agent; all forms answer the same to the byte."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_core import Agent
from agent_core.__main__ import feed
from gateway.runtime.artefact import load_artefact
from gateway.runtime.engine import Engine, EngineSettings
from tests.protocol.conftest import Answers
from tests.protocol.transcripts import Transcript, load_all, play

ALL = load_all()
ROOT = Path(__file__).parents[2]
each_transcript = pytest.mark.parametrize("transcript", ALL, ids=lambda t: t.name)
# The first test waits until all conversations have run; the others have nothing left to do.
runs_all_at_once = pytest.mark.timeout(300)


def native(transcript: Transcript) -> bytes:
    agent = Agent()
    return play(transcript, lambda line: feed(agent, line))


@each_transcript
def test_the_agent_answers_as_the_transcript_says(transcript: Transcript) -> None:
    native(transcript)


@each_transcript
def test_a_process_answers_the_same(transcript: Transcript) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agent_core"],
        input=transcript.data,
        capture_output=True,
        check=True,
        cwd=ROOT,
    )
    assert done.stderr == b""
    assert done.stdout == native(transcript)


@runs_all_at_once
@each_transcript
def test_the_wasm_command_answers_the_same(
    transcript: Transcript, command_answers: Answers
) -> None:
    assert command_answers[transcript.name] == native(transcript), STALE


@runs_all_at_once
@each_transcript
def test_the_snapshot_answers_the_same(transcript: Transcript, snapshot_answers: Answers) -> None:
    assert snapshot_answers[transcript.name] == native(transcript), STALE


@runs_all_at_once
@each_transcript
def test_the_wasm_command_answers_the_same_under_node(
    transcript: Transcript, node_answers: Answers
) -> None:
    assert node_answers[transcript.name] == native(transcript), STALE


@pytest.fixture(scope="module")
def engine(code_folder: Path) -> Iterator[Engine]:
    engine = Engine(load_artefact(), EngineSettings(cache_folder=code_folder))
    yield engine
    engine.close()


@runs_all_at_once
@each_transcript
def test_the_gateways_engine_gives_the_same(transcript: Transcript, engine: Engine) -> None:
    if any(not is_text(exchange.line) for exchange in transcript.exchanges):
        lines = [e.line.decode(errors="replace") for e in transcript.exchanges]
    else:
        lines = [exchange.line.decode() for exchange in transcript.exchanges]
    agent = Agent()
    expected = b"".join(feed(agent, line.encode() + b"\n") for line in lines)
    instance = engine.start(transcript.name)
    try:
        said = [answer for line in lines for answer in instance.step([line])]
    finally:
        instance.close()
    assert "".join(answer + "\n" for answer in said).encode() == expected, STALE


def is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


STALE = "if agent_core has changed since the last build, run `./build.sh build` first"
