"""A streamed answer comes out as the completion it was, in whatever dialect it is streamed."""

import itertools
from collections.abc import Sequence
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.llm import sse
from gateway.llm.assembly import Assembler
from gateway.llm.errors import ModelError
from gateway.llm.think import ThinkFilter

Json = dict[str, Any]

TEXT = st.text(max_size=40)
ARGUMENTS = st.dictionaries(TEXT, TEXT | st.integers(), max_size=3)


def assembled(chunks: Sequence[Json], *, is_done: bool = True) -> tuple[str, Json]:
    assembler = Assembler()
    text = "".join(map(assembler.feed, chunks))
    if is_done:
        assembler.mark_done()
    rest, completion = assembler.finish()
    return text + rest, completion


def chunk(finish_reason: str | None = None, **delta: Any) -> Json:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}


def message_of(completion: Json) -> Json:
    message: Json = completion["choices"][0]["message"]
    return message


@st.composite
def completions(draw: st.DrawFn) -> Json:
    message: Json = {"role": "assistant", "content": draw(TEXT) or None}
    if reasoning := draw(st.none() | TEXT):
        message[draw(st.sampled_from(["reasoning_content", "reasoning"]))] = reasoning
    names = draw(st.lists(st.sampled_from(["memory", "todo", "read_file"]), max_size=3))
    if names:
        message["tool_calls"] = [
            {
                "id": f"call_{number}",
                "type": "function",
                "function": {"name": name, "arguments": draw(_arguments())},
            }
            for number, name in enumerate(names)
        ]
    return {
        "id": "chatcmpl-1",
        "model": "m",
        "object": "chat.completion",
        "choices": [
            {"index": 0, "message": message, "finish_reason": "tool_calls" if names else "stop"}
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
    }


def _arguments() -> st.SearchStrategy[str]:
    import json

    return ARGUMENTS.map(lambda value: json.dumps(value, ensure_ascii=False))


def _pieces(draw: st.DrawFn, text: str) -> list[str]:
    cuts = draw(st.lists(st.integers(0, max(0, len(text) - 1)), max_size=6))
    borders = sorted({0, len(text), *cuts})
    return [text[a:b] for a, b in itertools.pairwise(borders)]


@st.composite
def streamed(draw: st.DrawFn) -> tuple[Json, list[Json]]:
    """A completion, and one of the many ways to stream it."""
    whole = draw(completions())
    message = message_of(whole)
    head = {"id": whole["id"], "model": whole["model"]}
    deltas: list[Json] = [{"role": "assistant", "content": draw(st.sampled_from([None, ""]))}]
    for name in ("reasoning_content", "reasoning", "content"):
        deltas += [{name: piece} for piece in _pieces(draw, message.get(name) or "")]
    first_index = draw(st.integers(0, 1))
    for index, call in enumerate(message.get("tool_calls", []), first_index):
        name = call["function"]["name"]
        begin = {"index": index, "id": call["id"], "function": {"name": name, "arguments": ""}}
        deltas.append({"tool_calls": [begin]})
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
            for piece in _pieces(draw, call["function"]["arguments"])
        ]
    chunks = [{**head, **chunk(**delta)} for delta in deltas]
    if draw(st.booleans()):
        chunks.insert(draw(st.integers(0, len(chunks))), {"choices": []})
    chunks.append({**head, **chunk(whole["choices"][0]["finish_reason"])})
    if draw(st.booleans()):
        chunks.append({**head, "choices": [], "usage": whole["usage"]})
    else:
        chunks[-1]["usage"] = whole["usage"]
    return whole, chunks


class Cut(httpx.AsyncByteStream):
    """Bytes in given pieces."""

    def __init__(self, pieces: list[bytes]) -> None:
        self.pieces = pieces

    async def __aiter__(self) -> Any:
        for piece in self.pieces:
            yield piece


@given(streamed())
def test_a_completion_cut_into_chunks_comes_out_as_itself(case: tuple[Json, list[Json]]) -> None:
    whole, chunks = case
    text, completion = assembled(chunks)
    assert completion == whole
    thoughts = ThinkFilter()
    assert text == thoughts.feed(message_of(whole)["content"] or "") + thoughts.flush()


@given(streamed())
def test_a_plain_answer_is_taken_like_a_streamed_one(case: tuple[Json, list[Json]]) -> None:
    whole, chunks = case
    assert assembled([whole]) == assembled(chunks)


@given(
    streamed(),
    st.lists(st.integers(0, 2_000), max_size=30),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["data:", "data: "]),
    st.booleans(),
)
async def test_a_stream_cut_into_any_bytes_comes_out_as_itself(
    case: tuple[Json, list[Json]], cuts: list[int], newline: str, field: str, is_closed: bool
) -> None:
    import json

    whole, chunks = case
    lines = [": a comment", "", "event: message"]
    for item in chunks:
        lines += [field + json.dumps(item, ensure_ascii=False), ""]
    body = (newline.join(lines) + newline * 2 * is_closed).encode()
    borders = sorted({0, len(body), *(cut for cut in cuts if cut < len(body))})
    pieces = [body[a:b] for a, b in itertools.pairwise(borders)]
    received = sse.Body(httpx.Response(200, stream=Cut(pieces)))
    assert await received.first_byte() == b":"
    events = [json.loads(event.data) async for event in sse.events(received)]
    assert assembled(events, is_done=False)[1] == whole


def test_a_finish_reason_without_done_is_a_good_end() -> None:
    text, completion = assembled([chunk(content="Hi"), chunk("stop")], is_done=False)
    assert (text, completion["choices"][0]["finish_reason"]) == ("Hi", "stop")


def test_done_without_a_finish_reason_is_a_good_end() -> None:
    _, completion = assembled([chunk(content="Hi")])
    assert completion["choices"][0]["finish_reason"] == "stop"
    call = {"id": "a", "function": {"name": "todo", "arguments": "{}"}}
    _, completion = assembled([chunk(tool_calls=[call])])
    assert completion["choices"][0]["finish_reason"] == "tool_calls"


def test_a_stream_that_ends_with_neither_is_a_cut_one() -> None:
    with pytest.raises(ModelError) as caught:
        assembled([chunk(content="Half of")], is_done=False)
    assert (caught.value.code, caught.value.retryable) == ("bad_response", True)


@pytest.mark.parametrize("chunks", [[], [{"choices": []}], [{"id": "x"}], [{"choices": None}]])
def test_a_stream_without_an_answer_is_a_bad_response(chunks: list[Json]) -> None:
    with pytest.raises(ModelError) as caught:
        assembled(chunks)
    assert caught.value.code == "bad_response"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"message": "boom"}, "bad_response"),
        ("boom", "bad_response"),
        ({"code": 502, "message": "Upstream"}, "unavailable"),
        ({"code": "429", "message": "Slow down"}, "rate_limited"),
        ({"type": "overloaded_error", "message": "Overloaded"}, "unavailable"),
        ({"code": "context_length_exceeded", "message": "Too long"}, "context_overflow"),
        ({"code": 500, "message": "Context size has been exceeded."}, "context_overflow"),
    ],
)
def test_an_error_object_in_mid_stream_is_raised(error: object, code: str) -> None:
    assembler = Assembler()
    assembler.feed(chunk(content="Half"))
    with pytest.raises(ModelError) as caught:
        assembler.feed({"error": error, "choices": [{"delta": {}, "finish_reason": "error"}]})
    assert caught.value.code == code


def test_the_finish_reason_error_is_an_error() -> None:
    with pytest.raises(ModelError) as caught:
        assembled([chunk(content="Half"), chunk("error")])
    assert caught.value.code == "bad_response"


def test_thinking_is_kept_in_the_completion_and_not_shown() -> None:
    chunks = [chunk(content=piece) for piece in ("<th", "ink>hm</th", "ink>\n", "\nHello")]
    text, completion = assembled(chunks)
    assert text == "Hello"
    assert message_of(completion)["content"] == "<think>hm</think>\n\nHello"


def test_reasoning_in_a_field_of_its_own_is_not_shown() -> None:
    chunks = [chunk(reasoning_content="Let me "), chunk(reasoning_content="see."), chunk("stop")]
    text, completion = assembled(chunks)
    assert text == ""
    assert message_of(completion)["reasoning_content"] == "Let me see."
    assert message_of(completion)["content"] is None


def test_content_in_parts_is_split_into_text_and_reasoning() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    text, completion = assembled([chunk(content=[thinking, {"type": "text", "text": "Hello"}])])
    assert text == "Hello"
    assert message_of(completion) == {
        "role": "assistant",
        "content": "Hello",
        "reasoning_content": "hm",
    }


def test_a_refusal_is_the_answer() -> None:
    text, completion = assembled(
        [chunk(refusal="I can't "), chunk(refusal="do that."), chunk("stop")]
    )
    assert text == message_of(completion)["content"] == "I can't do that."


def test_the_last_of_many_usages_counts() -> None:
    chunks = [{**chunk(content="x"), "usage": {"total_tokens": n}} for n in (1, 2)]
    assert assembled([*chunks, {"choices": [], "usage": None}])[1]["usage"] == {"total_tokens": 2}
    assert "usage" not in assembled([chunk(content="x")])[1]
    groq = {**chunk("stop"), "x_groq": {"usage": {"total_tokens": 9}}}
    assert assembled([groq])[1]["usage"] == {"total_tokens": 9}


def test_a_second_choice_is_not_mixed_in() -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "No"}}]}
    assert assembled([chunk(content="Yes"), other, chunk("stop")])[0] == "Yes"


def test_a_last_chunk_that_repeats_the_whole_message_adds_nothing() -> None:
    last = {"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]}
    assert assembled([chunk(content="Hi"), last])[0] == "Hi"
