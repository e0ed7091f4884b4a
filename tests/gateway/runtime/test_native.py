"""The agent as plain Python behind the same interface."""

import json

import pytest

from benchmarks.conversation import init, user_message
from gateway.runtime.errors import AgentFailure, FailureKind
from gateway.runtime.native import NativeRuntime


def test_it_speaks_the_protocol() -> None:
    agent = NativeRuntime().start("a")
    assert json.loads(agent.step([init()])[0])["type"] == "ready"
    types = [json.loads(line)["type"] for line in agent.step([user_message("hello")])]
    assert "api_request" in types


def test_no_lines_in_means_no_lines_out() -> None:
    assert NativeRuntime().start("a").step([]) == []


def test_a_line_that_is_not_json_is_answered_and_not_a_failure() -> None:
    (answer,) = NativeRuntime().start("a").step(["nonsense"])
    assert json.loads(answer)["type"] == "error"


def test_agents_are_apart() -> None:
    runtime = NativeRuntime()
    first, second = runtime.start("a"), runtime.start("b")
    first.step([init("first")])
    ready = json.loads(second.step([init("second")])[0])
    assert ready["session_id"] == "second"


def test_a_closed_agent_steps_no_more_and_weighs_nothing() -> None:
    agent = NativeRuntime().start("a")
    agent.step([init()])
    assert agent.memory_bytes() > 0
    agent.close()
    agent.close()
    assert agent.memory_bytes() == 0
    with pytest.raises(AgentFailure) as caught:
        agent.step([init()])
    assert caught.value.kind is FailureKind.CLOSED
