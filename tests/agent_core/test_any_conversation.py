"""Whatever a host, a model and a person do: the agent never fails and its promises hold."""

import json
import os
import subprocess
import sys
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_core import Agent
from agent_core.__main__ import feed
from agent_core.wire import encode
from tests.agent_core.host import Host, call, model_reply, tool
from tests.agent_core.soundness import faults

Message = dict[str, Any]

words = st.sampled_from(
    ["", " ", "hello", "[SILENT]", "<think>hm</think>", "§", "你好", "long " * 90]
)
texts = words | st.text(max_size=20)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
ids = st.sampled_from(["a", "b", "call_0", "", "a_2"])
tool_names = st.sampled_from(
    ["look_up"] * 3 + ["LookUp", "memory", "todo", "clarify", "nothing", ""]
)
good_arguments = st.sampled_from(
    [
        {"what": "x"},
        {"action": "add", "content": "A fact.", "target": "user"},
        {"action": "add", "content": "x" * 300},
        {"action": "remove", "old_text": "fact"},
        {"todos": [{"id": "1", "content": "do", "status": "pending"}], "merge": True},
        {"question": "Which?", "choices": ["this", "that"]},
        {"question": "And?"},
        {},
    ]
).map(json.dumps)
arguments = (
    good_arguments
    | good_arguments
    | texts
    | st.sampled_from(['{"what": "x",}', '{"what": "x', "[1", "NaN"])
)
calls = st.builds(call, ids, tool_names, arguments)
odd_calls = st.lists(calls | json_values, max_size=3)
usages = st.fixed_dictionaries(
    {}, optional={"prompt_tokens": st.integers(0, 5_000) | json_values, "total_tokens": json_values}
)
model_replies = st.builds(
    lambda content, tool_calls, finish, usage: model_reply(
        content, finish_reason=finish, usage=usage, message={"tool_calls": tool_calls}
    ),
    texts | json_values,
    st.lists(calls, max_size=3) | odd_calls,
    st.sampled_from(["stop", "tool_calls", "length", "content_filter", None]),
    usages,
)
model_answers = (
    st.just(model_reply("An answer."))
    | st.builds(lambda made: model_reply(None, *made), st.lists(calls, min_size=1, max_size=3))
    | model_replies
    | st.builds(lambda value: {"type": "api_response", "response": value}, json_values)
    | st.builds(
        lambda code: {"type": "error", "message": "no", "code": code},
        st.sampled_from(["context_overflow", "unavailable", None]),
    )
)
summaries = st.builds(
    lambda text, error: {"type": "compress_response", "summary": text, "error": error},
    texts,
    st.sampled_from([None, "failed"]),
)
tool_results = st.builds(
    lambda content, is_error: {
        "type": "tool_result",
        "name": "look_up",
        "content": content,
        "is_error": is_error,
    },
    texts | json_values | st.just("long " * 700),
    st.booleans(),
)
clarify_answers = st.builds(
    lambda text, outcome: {"type": "clarify_response", "content": text, "outcome": outcome},
    texts,
    st.sampled_from(["answered", "timeout", "undeliverable"]),
)
answers = {
    "api_request": model_answers,
    "compress_request": summaries,
    "tool_call": tool_results,
    "clarify_request": clarify_answers,
    "request_memory": st.just({"type": "memory_data", "memory": "m", "user": None}),
    "request_skills": st.just({"type": "skills_data", "skills": [{"name": "s"}]}),
}
part = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, texts),
    st.just({"type": "image_url", "image_url": {"url": "data:,"}}),
    st.just({"type": "image_url"}),
)
senders = st.fixed_dictionaries({}, optional={"id": texts, "name": texts}) | st.none()
histories = st.lists(
    json_values
    | st.builds(
        lambda role, content: {"role": role, "content": content},
        st.sampled_from(["user", "assistant", "tool", "system"]),
        texts,
    )
    | st.builds(lambda c: {"role": "assistant", "content": None, "tool_calls": c}, odd_calls)
    | st.builds(lambda i: {"role": "tool", "tool_call_id": i, "content": "found"}, ids),
    max_size=6,
)


def well_formed(history: list[Any]) -> list[Message]:
    """What of a history the protocol lets through: objects with a role."""
    return [m for m in history if isinstance(m, dict) and "role" in m]


user_messages = st.fixed_dictionaries(
    {"type": st.just("user_message"), "content": texts | st.lists(part, max_size=3)},
    optional={
        "sender": senders,
        "now": st.sampled_from(["2026-02-01T10:00:00+01:00", "x", None]),
        "context": st.lists(json_values, max_size=2),
        "conversation_history": histories.map(well_formed),
        "system_message": texts,
    },
)
commands = st.fixed_dictionaries(
    {"type": st.just("command"), "name": st.sampled_from(["undo", "retry", "compress", "reset"])},
    optional={"args": st.fixed_dictionaries({}, optional={"n": json_values, "topic": json_values})},
)
others = st.one_of(
    st.builds(lambda p: {"type": "interrupt", "partial": p}, texts | json_values),
    st.builds(lambda c, s: {"type": "steer", "content": c, "sender": s}, texts, senders),
    st.dictionaries(texts | st.just("type"), json_values, max_size=3),
    st.builds(lambda t, f: {**f, "type": t}, st.sampled_from(
        ["init", "api_response", "tool_result", "error", "clarify_response", "compress_response",
         "memory_data", "skills_data", "user_message", "interrupt", "steer", "command"]),
        st.dictionaries(st.sampled_from(
            ["content", "tool_call_id", "request_id", "response", "name", "skills", "memory"]),
            json_values, max_size=3)),
)  # fmt: skip
configs = st.fixed_dictionaries(
    {"host_tool_schemas": st.just([tool("look_up", required=["what"])])},
    optional={
        "max_iterations": st.integers(1, 4),
        "context_length": st.sampled_from([1, 900, 2_000, 128_000]),
        "chat": st.sampled_from([{"kind": "group", "title": "T"}, {"kind": "direct"}]),
        "memory_limit_chars": st.sampled_from([1, 100, 2_200]),
        "max_result_chars": st.just(1_000),
        "replay_reasoning": st.booleans(),
        "quiet_mode": st.booleans(),
        "now": st.just("2026-01-31"),
    },
)
levels = st.sampled_from([1, 2])
often = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def converse(host: Host, data: st.DataObject) -> None:
    """Let host, model and person do what they like."""
    for _ in range(data.draw(st.integers(1, 25), label="steps")):
        if data.draw(st.sampled_from([True, True, True, False]), label="answers"):
            which = data.draw(st.integers(0, len(host.open) - 1)) if len(host.open) > 1 else 0
            if host.open:
                message = data.draw(answers[host.open[which]["type"]])
                host.answer(message, which)
            else:
                host.feed({"type": "user_message", "content": "Go on."})
        else:
            host.feed(data.draw(user_messages | commands | others))


@often
@given(st.data(), configs, levels, histories.map(well_formed))
def test_no_conversation_makes_it_fail_or_leaves_a_history_that_a_provider_refuses(
    data: st.DataObject, config: Message, level: int, history: list[Message]
) -> None:
    host = Host()
    host.init(config, level=level, history=history)
    converse(host, data)
    session = host.agent._session
    assert session is not None
    if level == 2:
        assert as_lines(session.history) == as_lines(host.history)
    if not host.open:
        assert faults(session.history) == []


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), configs, levels)
def test_the_same_lines_in_give_the_same_lines_out(
    data: st.DataObject, config: Message, level: int
) -> None:
    host = Host()
    host.init(config, level=level)
    converse(host, data)
    lines = "".join(encode(message) + "\n" for message in host.fed).encode()
    first, second = feed(Agent(), lines), feed(Agent(), lines)
    assert first == second
    assert b'"ready"' in first


def as_lines(messages: list[Message]) -> list[str]:
    return [encode(message) for message in messages]


def test_the_hash_seed_changes_nothing() -> None:
    config = {"host_tool_schemas": [tool(name) for name in ("lookup", "look_up", "look-up")]}
    reply = model_reply(
        None, call("a", "lookupp"), call("b", "memroy", {"action": "read"}), call("c", "x")
    )
    lines: list[Message] = [
        {"type": "init", "protocol": 2, "config": config, "skills": [{"name": "s"}]},
        {"type": "user_message", "content": "Hello", "sender": {"id": "1", "name": "A"}},
        reply,
    ]
    data = "".join(encode(line) + "\n" for line in lines).encode()
    written = {
        subprocess.run(
            [sys.executable, "-m", "agent_core"],
            input=data,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(written) == 1
    assert b'"tool_call"' in written.pop()
