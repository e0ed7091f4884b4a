"""One agent: what it can do wrong, and what is left of the others then."""

import pytest

from gateway.runtime.engine import Engine
from gateway.runtime.errors import AgentFailure, FailureKind
from tests.gateway.runtime.wat_agents import WRITTEN_BYTES, do


@pytest.mark.parametrize(
    ("action", "kind"),
    [
        ("loop", FailureKind.OUT_OF_TIME),
        ("eat", FailureKind.OUT_OF_MEMORY),
        ("memory", FailureKind.OUT_OF_MEMORY),
        ("trap", FailureKind.TRAPPED),
        ("recurse", FailureKind.TRAPPED),
        ("quit", FailureKind.TRAPPED),
        ("zero", FailureKind.RAISED),
        ("pointer", FailureKind.SPOKE_GARBAGE),
        ("length", FailureKind.SPOKE_GARBAGE),
        ("utf8", FailureKind.SPOKE_GARBAGE),
        ("json", FailureKind.SPOKE_GARBAGE),
        ("open", FailureKind.SPOKE_GARBAGE),
    ],
)
def test_every_way_to_fail_is_told_apart_and_names_the_chat(
    engine: Engine, action: str, kind: FailureKind
) -> None:
    agent = engine.start("telegram:dm:42")
    with pytest.raises(AgentFailure, match="telegram:dm:42") as caught:
        agent.step([do(action)])
    assert caught.value.kind is kind
    agent.close()


@pytest.mark.parametrize("action", ["loop", "eat", "trap", "recurse", "quit", "zero", "pointer"])
def test_after_a_failure_the_agent_only_closes_and_another_goes_on(
    engine: Engine, action: str
) -> None:
    broken, other = engine.start("a"), engine.start("b")
    assert other.step([do("count")]) == ['{"n":1}']
    with pytest.raises(AgentFailure):
        broken.step([do(action)])
    with pytest.raises(AgentFailure) as again:
        broken.step([do("count")])
    assert again.value.kind is FailureKind.CLOSED
    assert other.step([do("count")]) == ['{"n":2}']
    broken.close()
    broken.close()
    other.close()


def test_what_an_agent_writes_on_stderr_reaches_the_failure_and_not_the_terminal(
    engine: Engine, capfd: pytest.CaptureFixture[str]
) -> None:
    agent = engine.start("a")
    with pytest.raises(AgentFailure) as caught:
        agent.step([do("memory")])
    assert caught.value.stderr == "Traceback (most recent call last):\nMemoryError\n"
    assert caught.value.detail == "MemoryError"
    assert capfd.readouterr().err == ""
    agent.close()


def test_no_lines_in_and_no_lines_out_are_both_fine(engine: Engine) -> None:
    agent = engine.start("a")
    assert agent.step([]) == []
    assert agent.step([do("hush")]) == []
    assert agent.step([do("count")]) == ['{"n":1}']
    agent.close()


def test_a_line_break_within_a_line_is_refused_and_harms_nobody(engine: Engine) -> None:
    agent = engine.start("a")
    with pytest.raises(ValueError, match="line break"):
        agent.step([f"{do('count')}\n{do('count')}"])
    assert agent.step([do("count")]) == ['{"n":1}']
    agent.close()


def test_lines_larger_than_the_agents_memory_are_garbage_of_its_allocator(engine: Engine) -> None:
    agent = engine.start("a")
    with pytest.raises(AgentFailure) as caught:
        agent.step([do("count") + " " * 4_000_000])
    assert caught.value.kind is FailureKind.SPOKE_GARBAGE
    agent.close()


def test_an_agents_memory_is_the_pages_it_wrote_to(engine: Engine) -> None:
    agent = engine.start("a")
    agent.step([do("count")])
    before = agent.memory_bytes()
    agent.step([do("write")])
    assert agent.memory_bytes() - before == WRITTEN_BYTES
    agent.close()
    assert agent.memory_bytes() == 0


def test_each_step_has_all_the_time_there_is(engine: Engine) -> None:
    agent = engine.start("a")
    slow = engine.start("b")
    agent.step([do("count")])
    with pytest.raises(AgentFailure):
        slow.step([do("loop")])  # ends with the deadline that `agent` was given before
    assert agent.step([do("count")]) == ['{"n":2}']
    agent.close()
    slow.close()
