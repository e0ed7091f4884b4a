"""Pages of memory: what is an agent's own, and what it gives back without losing anything."""

import ctypes
import mmap
import sys
from pathlib import Path

import pytest

from benchmarks.conversation import api_response, ask, init, of_type, text, turn
from gateway.runtime.artefact import Artefact
from gateway.runtime.engine import Engine, EngineSettings
from gateway.runtime.pages import PAGE_BYTES, private_bytes, private_pages, runs
from tests.gateway.runtime import wat_agents
from tests.gateway.runtime.wat_agents import WRITTEN_BYTES, do

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells about single pages")


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [([], []), ([3], [(3, 1)]), ([1, 2, 3, 7, 9, 10], [(1, 3), (7, 1), (9, 2)])],
)
def test_numbers_are_told_as_runs(numbers: list[int], expected: list[tuple[int, int]]) -> None:
    assert list(runs(numbers)) == expected


@linux
def test_a_page_is_private_once_it_was_written_to() -> None:
    memory = mmap.mmap(-1, 8 * PAGE_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    first = ctypes.c_char.from_buffer(memory)
    address = ctypes.addressof(first)
    assert private_bytes(address, len(memory)) == 0
    memory[2 * PAGE_BYTES] = 1
    memory[5 * PAGE_BYTES] = 1
    assert private_pages(address, len(memory)) == b"\0\0\1\0\0\1\0\0"
    del first
    memory.close()


@linux
def test_at_rest_an_agent_gives_back_what_is_as_it_was(engine: Engine) -> None:
    agent = engine.start("a")
    agent.step([do("count")])
    counted = agent.memory_bytes()
    agent.step([do("write")])
    assert agent.memory_bytes() == counted + WRITTEN_BYTES
    agent.step([do("erase")])
    assert agent.memory_bytes() == counted + WRITTEN_BYTES
    assert agent.rest() == counted  # what differs from the image stays
    assert agent.step([do("count")]) == ['{"n":4}']
    agent.close()
    assert agent.rest() == 0


@linux
def test_what_an_agent_has_written_stays(engine: Engine) -> None:
    agent = engine.start("a")
    agent.step([do("write")])
    written = agent.memory_bytes()
    assert agent.rest() == written
    agent.close()


@linux
def test_an_image_that_is_copied_and_not_mapped_is_left_alone(
    tmp_path: Path, settings: EngineSettings
) -> None:
    # Data whose place is only known when an agent starts can't be laid out beforehand.
    wat = """(module
      (import "wasi_snapshot_preview1" "sched_yield" (func $unused (result i32)))
      (memory (export "memory") 1)
      (data $answer "{\\22n\\22:0}\\0a")
      (func $place (memory.init $answer (i32.const 64) (i32.const 0) (i32.const 8)))
      (start $place)
      (func (export "agent_alloc") (param i32) (result i32) (i32.const 4096))
      (func (export "agent_step") (param i32 i32) (result i64) (i64.const 0x0000000800000040)))"""
    engine = Engine(wat_agents.artefact(tmp_path, wat), settings)
    agent = engine.start("a")
    agent.rest()
    assert agent.step(["{}"]) == ['{"n":0}']
    agent.close()
    engine.close()


def test_resting_after_every_step_changes_no_answer(real_engine: Engine) -> None:
    rests, never = real_engine.start("rests"), real_engine.start("never")
    for agent in (rests, never):
        agent.step([init()])
    for number in range(10):
        requests = []
        for agent in (rests, never):
            requests.append(ask(agent, text(1_000, number)))
            if agent is rests:
                agent.rest()
        assert requests[0] == requests[1]
        answers = [
            agent.step([api_response(requests[0], text(1_000, number))]) for agent in (rests, never)
        ]
        rests.rest()
        assert answers[0] == answers[1]
        assert of_type(answers[0], "done")
    rests.close()
    never.close()


@linux
def test_a_resting_agent_weighs_less_than_after_its_turn(
    real_engine: Engine, snapshot: Artefact
) -> None:
    agent = real_engine.start("a")
    agent.step([init()])
    turn(agent, "Hello", "Hello!")
    after_turn = agent.memory_bytes()
    assert agent.rest() < after_turn
    assert after_turn < len(snapshot.wasm)
    agent.close()
