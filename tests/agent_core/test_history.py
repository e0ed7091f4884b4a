"""Mending a history: any list comes out sound, and a sound one comes out as it was."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent_core.history import MISSING_RESULT, MISSING_START, groups, mend, text_of
from tests.agent_core.host import call
from tests.agent_core.soundness import faults

Message = dict[str, Any]

texts = st.sampled_from(["", " ", "hello", "again"]) | st.text(max_size=5)
ids = st.sampled_from(["a", "b", "c", ""])
odd = st.none() | st.integers() | texts | st.lists(st.integers() | st.dictionaries(
    st.just("type"), texts), max_size=2)  # fmt: skip
parts = st.lists(
    st.builds(lambda text: {"type": "text", "text": text}, texts)
    | st.just({"type": "image_url", "image_url": {"url": "x"}}) | st.just({"type": "image_url"}),
    max_size=3,
)  # fmt: skip
calls = st.builds(call, ids, st.sampled_from(["look_up", ""])) | st.just({"id": "d"}) | odd
messages = st.one_of(
    odd,
    st.builds(lambda r, c: {"role": r, "content": c},
              st.sampled_from(["user", "assistant", "system", "tool"]), texts | parts | odd),
    st.builds(lambda c, k: {"role": "assistant", "content": c, "tool_calls": k},
              texts | st.none(), st.lists(calls, max_size=3)),
    st.builds(lambda i, c: {"role": "tool", "tool_call_id": i, "name": "look_up", "content": c},
              ids, texts | odd),
)  # fmt: skip
histories = st.lists(messages, max_size=10)


@given(histories)
def test_what_comes_out_obeys_the_rules(history: list[Any]) -> None:
    assert faults(mend(history)) == []


@given(histories)
def test_mending_twice_is_mending_once(history: list[Any]) -> None:
    mended = mend(history)
    again = mend(mended)
    assert again == mended
    assert all(one is other for one, other in zip(again, mended, strict=True))


@given(histories)
def test_no_word_of_the_user_is_lost(history: list[Any]) -> None:
    kept = "\n".join(text_of(m["content"]) for m in mend(history) if m["role"] == "user")
    for message in history:
        if isinstance(message, dict) and message.get("role") == "user":
            assert text_of(message.get("content")).strip() in kept


@given(histories)
def test_every_result_that_stands_behind_its_call_is_kept(history: list[Any]) -> None:
    results = [m["content"] for m in mend(history) if m["role"] == "tool"]
    for index, message in enumerate(history):
        if not isinstance(message, dict) or not isinstance(message.get("tool_calls"), list):
            continue
        calls_made = [c for c in message["tool_calls"] if isinstance(c, dict) and c["id"]]
        sound = [c["id"] for c in calls_made if c.get("function", {}).get("name")]
        if message.get("role") != "assistant":
            continue
        for follower in history[index + 1 :]:
            if not isinstance(follower, dict):
                continue
            if follower.get("role") != "tool":
                break
            if follower.get("tool_call_id") in sound and isinstance(follower["content"], str):
                sound.remove(follower["tool_call_id"])
                assert follower["content"] in results


@given(histories)
def test_groups_are_the_history_in_pieces(history: list[Any]) -> None:
    mended = mend(history)
    grouped = groups(mended)
    assert [message for group in grouped for message in group] == mended
    assert all(faults([*group]) == [] for group in grouped if group[0]["role"] == "user")


def test_a_call_without_a_result_gets_one() -> None:
    asked = {"role": "assistant", "content": " ", "tool_calls": [call("a", "look_up")]}
    mended = mend([{"role": "user", "content": "x"}, asked])
    assert mended[1]["content"] is None
    assert mended[2]["content"] == MISSING_RESULT


def test_a_history_that_lost_its_beginning_says_so() -> None:
    mended = mend([{"role": "assistant", "content": "Hello."}])
    assert mended[0] == {"role": "user", "content": MISSING_START}


def test_results_are_put_in_the_order_of_the_calls() -> None:
    mended = mend(
        [
            {"role": "user", "content": "x"},
            {"role": "assistant", "tool_calls": [call("a", "look_up"), call("b", "look_up")]},
            {"role": "tool", "tool_call_id": "b", "content": "B"},
            {"role": "tool", "tool_call_id": "a", "content": "A"},
            {"role": "tool", "tool_call_id": "a", "content": "once more"},
        ]
    )
    assert [message["content"] for message in mended[2:]] == ["A", "B"]


def test_a_long_history_takes_time_in_proportion() -> None:
    # Quadratic, 40,000 messages would run into the time limit.
    history = [{"role": role, "content": "word " * 20} for role in ("user", "assistant")] * 20_000
    assert mend(history) == history
