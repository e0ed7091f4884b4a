"""The agent as it was built: many at once, apart from each other, and the same as plain Python."""

import json
from collections.abc import Sequence

import pytest

from benchmarks.conversation import api_response, ask, init, of_type, past, turn, user_message
from gateway.runtime.artefact import Artefact
from gateway.runtime.base import Instance
from gateway.runtime.engine import Engine, EngineSettings
from gateway.runtime.errors import AgentFailure, ArtefactError, FailureKind
from gateway.runtime.native import NativeRuntime
from gateway.runtime.pool import AgentPool
from tests.gateway.runtime.conftest import MIB


def asked(lines: Sequence[str]) -> tuple[str, str]:
    """The id of the one model call in an answer, and its messages as text."""
    (request,) = of_type(lines, "api_request")
    return request["request_id"], json.dumps(request["kwargs"]["messages"])


def test_two_hundred_agents_in_turns_know_only_their_own_chat(real_engine: Engine) -> None:
    names = [f"<chat {number}>" for number in range(200)]
    agents = {name: real_engine.start(name) for name in names}
    for name, agent in agents.items():
        agent.step([init(name)])
    first = {name: agent.step([user_message(f"I am {name}")]) for name, agent in agents.items()}
    for name, agent in agents.items():
        request_id, messages = asked(first[name])
        assert name in messages
        assert not any(other in messages for other in names if other != name)
        (done,) = of_type(agent.step([api_response(request_id, f"Hello {name}")]), "done")
        assert done["result"]["final_response"] == f"Hello {name}"
    for name, agent in reversed(agents.items()):
        _, messages = asked(agent.step([user_message("Who am I?")]))
        assert f"Hello {name}" in messages
        assert not any(other in messages for other in names if other != name)
        agent.close()


def test_it_answers_byte_for_byte_as_plain_python_does(real_engine: Engine) -> None:
    def conversation(agent: Instance) -> list[list[str]]:
        said = [agent.step([init("s", past(6, 300))]), agent.step(["nonsense"])]
        said.append(agent.step([user_message("Grüße, 你好 👩‍👩‍👧")]))
        request_id, _ = asked(said[-1])
        said.append(agent.step([api_response(request_id, "Hallo\u2028du"), '{"type":"what"}']))
        agent.close()
        return said

    native = conversation(NativeRuntime().start("a"))
    assert conversation(real_engine.start("a")) == native


def test_lines_that_are_nested_deeply_leave_an_agent_that_works(real_engine: Engine) -> None:
    agent = real_engine.start("a")
    agent.step([init()])
    for depth in (1_000, 100_000):
        (error,) = of_type(
            agent.step(['{"type":"user_message","content":' + "[" * depth + "]" * depth + "}"]),
            "error",
        )
        assert not error.get("fatal")
    assert ask(agent, "Are you there?")
    agent.close()


def test_an_agent_that_is_fed_too_much_is_out_of_memory_and_the_others_go_on(
    snapshot: Artefact,
) -> None:
    engine = Engine(snapshot, EngineSettings(agent_memory_bytes=48 * MIB))
    eater, other = engine.start("eats"), engine.start("other")
    for agent in (eater, other):
        agent.step([init()])
    with pytest.raises(AgentFailure) as caught:
        eater.step([user_message("x" * 60 * MIB)])
    assert caught.value.kind is FailureKind.OUT_OF_MEMORY
    turn(other, "Hello", "Hello!")
    eater.close()
    other.close()
    engine.close()


def test_a_limit_below_what_an_agent_starts_with_is_told_at_the_start(snapshot: Artefact) -> None:
    with pytest.raises(ArtefactError, match=r"raise runtime\.agent_memory_mb"):
        Engine(snapshot, EngineSettings(agent_memory_bytes=MIB))


@pytest.mark.parametrize("kind", ["wasm", "native"])
async def test_a_hibernated_chat_wakes_with_its_history(real_engine: Engine, kind: str) -> None:
    async def wake() -> list[str]:
        return [init("luna", history)]

    history = [
        {"role": "user", "content": "My cat is called Luna."},
        {"role": "assistant", "content": "Noted."},
    ]
    runtime = real_engine if kind == "wasm" else NativeRuntime()
    pool = AgentPool(runtime, max_agents=1, memory_budget_bytes=64 * MIB, threads=2)
    found = await pool.measure()
    assert found.agents == 1
    assert found.agent_bytes > 0
    for _ in range(2):
        async with pool.lease("luna", wake) as agent:
            assert of_type(agent.woken, "ready")
            _, messages = asked(await agent.step([user_message("What is my cat called?")]))
            assert "My cat is called Luna." in messages
        async with pool.lease("somebody else", wake):
            assert pool.stats().warm == 1
    assert pool.stats().hibernated == 3
    await pool.close()
