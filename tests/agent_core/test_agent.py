"""What only a look at the agent itself can show; the rest is in tests/protocol/*.jsonl."""

import io
import json
from typing import Any

import pytest

from agent_core import Agent
from agent_core import __main__ as program
from agent_core.agent import MAX_EARLY
from agent_core.warm_up import LINES
from tests.agent_core.host import Host, call, kinds, model_reply, tool


def test_after_shutdown_nothing_works() -> None:
    host = Host()
    host.init()
    host.feed({"type": "shutdown"})
    answer = {"type": "api_response", "response": {}}
    command = {"type": "command", "name": "undo"}
    for message in (
        {"type": "user_message", "content": "x"},
        {"type": "interrupt"},
        command,
        answer,
    ):
        assert [m["code"] for m in host.feed(message)] == ["closed"]
    assert host.feed({"type": "shutdown"}) == []


def test_shutdown_before_init_closes_too() -> None:
    agent = Agent()
    assert agent.receive({"type": "shutdown", "partial": 5}) == []
    assert agent.is_closed


def test_early_answers_are_kept_up_to_a_bound_and_used_in_order() -> None:
    host = Host()
    host.init({"host_tool_schemas": [tool("look_up")], "max_iterations": 100})
    host.feed({"type": "user_message", "content": "Look."})
    for number in range(MAX_EARLY):
        early = {"type": "tool_result", "tool_call_id": f"c{number}", "content": str(number)}
        assert host.feed(early) == []
    refused = host.feed({"type": "tool_result", "tool_call_id": "c64", "content": "64"})
    assert [m["code"] for m in refused] == ["unexpected"]
    for number in range(MAX_EARLY):
        host.reply(None, call(f"c{number}", "look_up"))
    assert [m["content"] for m in host.history if m["role"] == "tool"] == [
        str(number) for number in range(MAX_EARLY)
    ]


def test_early_answers_that_nothing_asked_for_are_said_at_the_end_of_the_turn() -> None:
    host = Host()
    host.init()
    host.feed({"type": "user_message", "content": "x"})
    host.feed({"type": "tool_result", "tool_call_id": "never", "content": "x"})
    said = host.reply("Hello.")
    assert kinds(said) == ["history", "error", "assistant_message", "done"]
    host.feed({"type": "user_message", "content": "x"})
    said = host.reply(None, call("never", "todo"))
    assert "error" not in kinds(said)


def test_many_early_answers_do_not_pile_up_on_the_stack() -> None:
    agent = Agent()
    agent.receive({"type": "init", "config": {"max_iterations": 100}})
    agent.receive({"type": "user_message", "content": "x"})
    agent.receive({"type": "skills_data", "skills": []})
    for number in range(MAX_EARLY - 1):
        agent.receive(model_reply(None, call(f"c{number}", "todo")))
    said = agent.receive({"type": "memory_data"})
    assert [m["type"] for m in said].count("api_request") == MAX_EARLY


def test_a_long_session_takes_time_in_proportion_to_its_requests() -> None:
    # The largest part is putting each request together; anything quadratic beside it would show.
    host = Host()
    history = [{"role": role, "content": "word " * 20} for role in ("user", "assistant")] * 2_000
    host.init({"context_length": 10_000_000}, history=history)
    for _ in range(3):
        host.agent.receive({"type": "user_message", "content": "x"})
        host.agent.receive(model_reply("y"))


def test_the_warm_up_goes_through_without_a_failure() -> None:
    agent = Agent()
    said = [m for line in LINES for m in map(json.loads, _lines(program.feed(agent, line)))]
    assert not [m for m in said if m.get("code") == "internal"]
    asked = {"api_request", "clarify_request", "tool_call", "compress_request"}
    assert asked <= {m["type"] for m in said}


def test_the_warm_up_leaves_the_programs_agent_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "_agent", Agent())
    program.warm_up()
    answer = json.loads(program.step(b'{"type":"user_message","content":"x"}'))
    assert answer["code"] == "not_initialised"


def test_a_defect_is_reported_as_fatal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = Agent()

    def fail(message: Any) -> Any:
        raise RuntimeError("a detail for the log alone")

    monkeypatch.setattr(agent, "receive", fail)
    answer = json.loads(program.feed(agent, b'{"type":"init"}'))
    assert (answer["code"], answer["fatal"]) == ("internal", True)
    assert "detail" not in answer["message"]
    assert "a detail for the log alone" in capsys.readouterr().err


def test_the_program_stops_reading_at_shutdown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "_agent", Agent())
    stdin = io.BytesIO(b'{"type":"init"}\n\n{"type":"shutdown"}\n{"type":"init"}\n')
    stdout = io.BytesIO()
    assert program.serve(stdin, stdout) == 0
    assert [json.loads(line)["type"] for line in _lines(stdout.getvalue())] == ["ready"]
    assert stdin.read() == b'{"type":"init"}\n'


def test_a_last_line_without_an_end_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "_agent", Agent())
    stdout = io.BytesIO()
    program.serve(io.BytesIO(b'{"type":"init"}'), stdout)
    assert _lines(stdout.getvalue())


@pytest.mark.parametrize("text", ["[SILENT]", " [SILENT]\n"])
def test_silence_is_kept_in_the_history(text: str) -> None:
    host = Host()
    host.init({"chat": {"kind": "group"}})
    host.feed({"type": "user_message", "content": "x"})
    said = host.reply(text)
    assert said[-1]["result"]["reason"] == "silent"
    assert host.history[-1] == {"role": "assistant", "content": "[SILENT]"}


def test_tools_of_strangers_with_broken_schemas_can_be_called() -> None:
    host = Host()
    broken = [{"properties": 5}, {"required": 5}, {"anyOf": 5}, {"type": {}}, "no schema", None]
    schemas = [
        {"type": "function", "function": {"name": f"t{n}", "parameters": schema}}
        for n, schema in enumerate(broken)
    ]
    host.init({"host_tool_schemas": [*schemas, {}, {"function": 5}, {"function": {"name": 5}}]})
    host.feed({"type": "user_message", "content": "x"})
    said = host.reply(None, *[call(f"c{n}", f"t{n}", {"a": 1}) for n in range(len(broken))])
    assert kinds(said) == ["tool_call"] * len(broken)


def _lines(data: bytes) -> list[bytes]:
    return [line for line in data.split(b"\n") if line]
