"""Whatever a provider answers is read without failing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.model_reply import MAX_COUNT, free_id, read_reply
from agent_core.thinking import split_thinking
from tests.agent_core.host import call, model_reply

names = st.sampled_from(
    ["choices", "message", "content", "tool_calls", "function", "name", "arguments", "id", "usage",
     "prompt_tokens", "error", "text", "type", "function_call", "refusal", "finish_reason"]
)  # fmt: skip
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(json_values)
def test_any_answer_is_read(response: Any) -> None:
    reply = read_reply(response)
    assert reply.error or isinstance(reply.content, str)


@given(json_values, json_values)
def test_any_message_is_read(message: Any, usage: Any) -> None:
    reply = read_reply({"choices": [{"message": message}], "usage": usage})
    ids = [one.id for one in reply.calls]
    assert len(set(ids)) == len(ids)
    assert all(ids)
    assert reply.usage is None or all(0 <= n <= 2 * MAX_COUNT for n in reply.usage.values())


@pytest.mark.parametrize(
    ("given_ids", "expected"),
    [
        (["a", "b"], ["a", "b"]),
        (["a", "a", "a"], ["a", "a_2", "a_3"]),
        (["a_2", "a", "a"], ["a_2", "a", "a_3"]),
        (["", None, 5], ["call_1", "call_2", "call_3"]),
        (["call_2", ""], ["call_2", "call_2_2"]),
    ],
)
def test_each_call_has_an_id_of_its_own(given_ids: list[Any], expected: list[str]) -> None:
    calls = [{**call("x", "look_up"), "id": call_id} for call_id in given_ids]
    reply = read_reply(model_reply(None, *calls)["response"])
    assert [one.id for one in reply.calls] == expected


@given(st.text(max_size=3), st.sets(st.text(max_size=5)))
def test_a_free_id_is_free(wanted: str, taken: set[str]) -> None:
    assert free_id(wanted, taken) not in taken


@pytest.mark.parametrize(
    ("text", "shown", "thought"),
    [
        ("Hello.", "Hello.", ""),
        ("<think>Hm.</think>Hello.", "Hello.", "Hm."),
        ("<THINKING>\nHm.\n</thinking>\n\nHello.", "Hello.", "Hm."),
        ("<think>a</think><think>b</think>Hello.", "Hello.", "a\n\nb"),
        ("Hm.</think>Hello.", "Hello.", "Hm."),
        ("<think>never closed", "", "never closed"),
        ("The tag <think> opens a block.", "The tag <think> opens a block.", ""),
        ("```\n<think>code</think>\n```", "```\n<think>code</think>\n```", ""),
        ("", "", ""),
    ],
)
def test_thinking_is_taken_out(text: str, shown: str, thought: str) -> None:
    assert split_thinking(text) == (shown, thought)


tags = st.sampled_from(["<think>", "</think>", "a", "\n", "```", " ", "`", "<thought>", "~~~\n"])


@given(st.lists(tags, max_size=12).map("".join))
def test_no_text_appears_that_was_not_there(text: str) -> None:
    shown, thought = split_thinking(text)
    assert len(shown) + len(thought.replace("\n\n", "")) <= len(text)
    if "<" not in text:
        assert shown == text


@pytest.mark.parametrize("piece", ["<think></think>", "<think>", "</think>", "<think>\n", "```\n"])
def test_many_tags_take_time_in_proportion(piece: str) -> None:
    split_thinking(piece * 50_000)


def test_reasoning_is_kept_apart() -> None:
    for field in ("reasoning", "reasoning_content"):
        reply = read_reply(model_reply(None, message={field: "Hm."})["response"])
        assert (reply.content, reply.reasoning) == ("", "Hm.")


def test_usage_counts_are_bounded() -> None:
    usage = {"prompt_tokens": 10**400, "completion_tokens": -1, "total_tokens": "many"}
    reply = read_reply({"choices": [], "usage": usage})
    assert reply.usage is not None
    assert reply.usage["prompt_tokens"] == MAX_COUNT
    assert reply.usage["completion_tokens"] == 0
