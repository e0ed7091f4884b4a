"""Making a history shorter without breaking it."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent_core.compression import assemble, clip_results, divide, shrink_results
from agent_core.history import mend
from agent_core.summary import PREFIX, extract, summary_message, transcript
from agent_core.tokens import estimate_messages
from tests.agent_core.host import Host, call, tool
from tests.agent_core.soundness import faults

Message = dict[str, Any]

texts = st.sampled_from(["short", "long " * 100, "longer " * 400, "你好" * 200])


def turn(question: str, answers: list[tuple[list[str], str]], answer: str) -> list[Message]:
    messages: list[Message] = [{"role": "user", "content": question}]
    for number, (results, said) in enumerate(answers):
        calls = [call(f"c{number}_{i}", "look_up", {"what": said}) for i in range(len(results))]
        messages.append({"role": "assistant", "content": said or None, "tool_calls": calls})
        messages += [
            {"role": "tool", "tool_call_id": c["id"], "name": "look_up", "content": result}
            for c, result in zip(calls, results, strict=True)
        ]
    return [*messages, {"role": "assistant", "content": answer}]


turns = st.builds(
    turn,
    texts,
    st.lists(st.tuples(st.lists(texts, min_size=1, max_size=3), texts | st.just("")), max_size=3),
    texts,
)
histories = st.builds(
    lambda many, cut: mend([m for one in many for m in one][: cut or None]),
    st.lists(turns, min_size=1, max_size=5),
    st.integers(0, 12),
)


@given(histories, st.integers(0, 3_000), st.integers(0, 1_000))
def test_a_division_keeps_everything_once_and_breaks_nothing(
    history: list[Message], tail_tokens: int, head_tokens: int
) -> None:
    assert faults(history) == []
    plan = divide(history, tail_tokens=tail_tokens, head_tokens=head_tokens)
    kept = [*plan.head, *plan.middle, *plan.question, *plan.tail]
    assert sorted(map(id, kept)) == sorted(map(id, history))
    questions = [m for m in history if m["role"] == "user"]
    assert any(m is questions[-1] for m in [*plan.head, *plan.question, *plan.tail])
    if plan.middle:
        new = assemble(plan, summary_message("They spoke.", []))
        assert faults(new) == []


@given(histories, st.integers(0, 4_000))
def test_cutting_results_breaks_nothing_and_only_shortens(
    history: list[Message], tokens: int
) -> None:
    for new in (
        shrink_results(history, keep_last=tokens % 5),
        clip_results(history, most_tokens=tokens),
    ):
        assert faults(new) == []
        assert [m for m in new if m["role"] != "tool"] == [
            m for m in history if m["role"] != "tool"
        ]
        assert sum(len(str(m["content"])) for m in new) <= sum(
            len(str(m["content"])) for m in history
        ) + 60 * len(history)


@given(histories, st.sampled_from(["", "A summary.", "x" * 20_000]), st.booleans())
def test_a_compressed_history_is_sound_smaller_and_keeps_the_last_word_of_the_user(
    history: list[Message], summary: str, is_overflow: bool
) -> None:
    host = Host()
    size = estimate_messages(history)
    context_length = 128_000 if is_overflow else max(size, 100)
    config = {"context_length": context_length, "disabled_toolsets": ["memory", "clarify"]}
    host.init(config, history=history, todos=[{"id": "1", "content": "TASK"}])
    if host.history and host.history[-1]["role"] == "user":
        return
    host.feed({"type": "user_message", "content": "THE LAST WORD"})
    if is_overflow:
        host.answer({"type": "error", "message": "too long", "code": "context_overflow"})
    while host.open and host.open[0]["type"] == "compress_request":
        request = host.open[0]
        assert len(request["messages"]) == 1
        host.answer({"type": "compress_response", "summary": summary})
    replaced = [m for m in host.said if m["type"] == "history" and m["op"] == "replace"]
    for one in replaced:
        users = [m["content"] for m in one["messages"] if m["role"] == "user"]
        assert users[-1] == "THE LAST WORD"
        assert estimate_messages(one["messages"]) < size + 10
        summaries = [text for text in users if text.startswith(PREFIX)]
        assert all("TASK" in text for text in summaries)
        assert faults(one["messages"]) == []


def test_a_failed_summary_is_an_extract_and_says_so() -> None:
    history = turn("A question", [(["result " * 200], "")], "An answer.") * 3
    text = extract(history)
    assert "User: A question" in text
    assert "Assistant called look_up" in text
    written = summary_message(text, [], is_extract=True)["content"]
    assert "no summary could be written" in written


def test_a_transcript_fits_the_window_of_who_reads_it() -> None:
    history = turn("long " * 5_000, [(["result " * 5_000] * 3, "")], "An answer.") * 10
    (message,) = transcript(history, window_tokens=1_000)
    assert estimate_messages([message]) < 700


def test_attempts_stop_when_they_save_nothing_and_begin_again_with_a_command() -> None:
    host = Host()
    history = [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]
    host.init({"context_length": 100}, history=history)
    for _ in range(5):
        host.feed({"type": "user_message", "content": "And?"})
        while host.open and host.open[0]["type"] == "compress_request":
            host.answer({"type": "compress_response", "summary": "long " * 400})
        host.reply("Well.")
    statuses = [m["kind"] for m in host.said if m["type"] == "status"]
    attempts = statuses.count("compressing")
    assert attempts == 2
    host.feed({"type": "command", "name": "undo"})
    host.feed({"type": "user_message", "content": "again"})
    statuses = [m["kind"] for m in host.said if m["type"] == "status"]
    assert statuses.count("compressing") > attempts


def test_the_latest_results_are_clipped_when_they_alone_are_too_much() -> None:
    host = Host()
    host.init({"host_tool_schemas": [tool("look_up")]})
    host.feed({"type": "user_message", "content": "Look."})
    host.reply(None, call("a", "look_up"), call("b", "look_up"))
    host.answer({"type": "tool_result", "content": "short"})
    host.answer({"type": "tool_result", "content": "x" * 40_000})
    host.answer({"type": "error", "message": "too long", "code": "context_overflow"})
    assert host.open[0]["type"] == "api_request"
    assert [len(m["content"]) < 25_000 for m in host.history[2:]] == [True, True]
    assert host.history[2]["content"] == "short"
