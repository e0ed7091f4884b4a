"""Whatever was said in a chat, the strict server takes it; whatever it says comes back whole."""

import base64
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from config.models import ModelSettings
from gateway.llm.anthropic.assembly import Assembler
from gateway.llm.anthropic.messages import KEPT
from gateway.llm.anthropic.request import CACHE_MARK, to_body
from tests.fakes.messages import find_problem, make_message, signature_of
from tests.fakes.messages.answers import events

Json = dict[str, Any]

SETTINGS = ModelSettings.model_validate({"provider": "anthropic", "name": "m", "api_key": "k"})
THINKING = SETTINGS.model_copy(update={"thinking_tokens": 1_024})

texts = st.text(max_size=20) | st.sampled_from(["", " ", "\n", "Hello", "I look.  "])
pictures = st.sampled_from(
    [
        "https://example.org/a.png",
        "data:image/png;base64," + base64.b64encode(b"png").decode(),
        "data:image/tiff;base64,AAAA",
        "data:image/png;base64," + "A" * 7_000_000,
        "data:image/png;base64,%%%",
        "file:///etc/passwd",
    ]
)
parts = st.lists(
    texts.map(lambda text: {"type": "text", "text": text})
    | pictures.map(lambda url: {"type": "image_url", "image_url": {"url": url}}),
    max_size=3,
)
contents = texts | parts | st.none()
names = st.sampled_from(["look", "memory", "functions.look:0", "", "ä" * 200])
ids = st.sampled_from(["call_1", "call_2", "functions.look:0", "", "ü"])
arguments = st.sampled_from(['{"a": 1}', "{}", "", "[1]", "{broken", '{"ä": "🪐"}', "null"])
json_objects = st.dictionaries(texts, texts | st.integers() | st.booleans(), max_size=3)


@st.composite
def rounds(draw: st.DrawFn) -> list[Json]:
    """A person's word, tools called any number of times, and mostly an answer."""
    said: list[Json] = [{"role": "user", "content": draw(contents)}]
    thought = draw(st.none() | st.sampled_from(["m", "another"]))
    for number in range(draw(st.integers(0, 3))):
        call_ids = draw(st.lists(ids, min_size=1, max_size=3, unique=True))
        calls = [
            {
                "id": call_id,
                "type": "function",
                "function": {"name": draw(names), "arguments": draw(arguments)},
            }
            for call_id in call_ids
        ]
        if thought and number == 0:
            block = {"type": "thinking", "thinking": "Hm.", "signature": signature_of("Hm.")}
            calls[0][KEPT] = {"model": thought, "thinking": [block]}
        said.append({"role": "assistant", "content": draw(contents), "tool_calls": calls})
        said += [
            {"role": "tool", "tool_call_id": call_id, "content": draw(contents)}
            for call_id in draw(st.permutations(call_ids))
        ]
    if draw(st.booleans()):
        said.append({"role": "assistant", "content": draw(contents)})
    return said


@st.composite
def requests(draw: st.DrawFn) -> Json:
    """What an agent may ask: sound histories, and now and then the tools it has."""
    system = [{"role": "system", "content": draw(texts)}] if draw(st.booleans()) else []
    history = [message for part in draw(st.lists(rounds(), max_size=4)) for message in part]
    # After a compression a history can begin in the middle of things.
    begin = draw(st.sampled_from([0, 0, 1]))
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
    tools = {"tools": [tool], "tool_choice": "auto"} if draw(st.booleans()) else {}
    return {"model": "m", "messages": [*system, *history[begin:]], **tools}


@settings(max_examples=300, deadline=None)
@given(requests(), st.sampled_from([SETTINGS, THINKING]))
def test_every_sound_history_becomes_a_request_that_is_taken(
    request: Json, settings_: ModelSettings
) -> None:
    before = json.dumps(request)
    body = to_body(request, settings_)
    assert find_problem(body) is None
    assert json.dumps(request) == before, "the agent's request was changed"


@settings(deadline=None)
@given(requests())
def test_the_system_prompt_and_the_last_three_messages_are_cached(request: Json) -> None:
    body = to_body(request, SETTINGS)
    marked = [n for n, m in enumerate(body["messages"]) if m["content"][-1].get("cache_control")]
    count = len(body["messages"])
    assert marked == list(range(max(0, count - 3), count))
    assert [block["cache_control"] for block in body.get("system", ())] in ([], [CACHE_MARK])


@settings(deadline=None)
@given(requests())
def test_what_is_said_later_changes_nothing_of_what_was_said_before(request: Json) -> None:
    def unmarked(body: Json) -> list[Json]:
        return [
            {
                **m,
                "content": [
                    {k: v for k, v in b.items() if k != "cache_control"} for b in m["content"]
                ],
            }
            for m in body["messages"]
        ]

    asked = [*request["messages"], {"role": "user", "content": "What now?"}]
    first = unmarked(to_body({**request, "messages": asked}, SETTINGS))
    said: Json = {"role": "assistant", "content": "So."}
    later = [*asked, said, {"role": "user", "content": "And?"}]
    again = unmarked(to_body({**request, "messages": later}, SETTINGS))
    assert again[: len(first)] == first


@settings(deadline=None)
@given(
    text=st.none() | st.text(min_size=1, max_size=60).filter(lambda t: "<" not in t),
    calls=st.lists(st.tuples(st.sampled_from(["look", "memory"]), json_objects), max_size=3),
    thinking=st.none() | st.text(min_size=1, max_size=60),
)
def test_what_the_server_streams_comes_back_whole_and_is_taken_again(
    text: str | None, calls: list[tuple[str, Json]], thinking: str | None
) -> None:
    whole = make_message(text, calls, thinking=thinking)
    streamed, at_once = Assembler("m"), Assembler("m")
    shown = "".join(streamed.feed(event) for event in events(whole))
    at_once.feed(whole)
    rest, completion = streamed.finish()
    assert at_once.finish()[1] == completion
    message = completion["choices"][0]["message"]
    assert shown + rest == (message["content"] or "") == (text or "")
    assert message.get("reasoning_content") == thinking
    called = message.get("tool_calls", [])
    assert [
        (call["function"]["name"], json.loads(call["function"]["arguments"])) for call in called
    ] == calls
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in called]
    messages = [{"role": "user", "content": "Hi"}, message, *results]
    body = to_body({"model": "m", "messages": messages}, THINKING)
    assert find_problem(body) is None
    if calls:
        answer = [
            {k: v for k, v in b.items() if k != "cache_control"}
            for b in body["messages"][1]["content"]
        ]
        expected = [b for b in whole["content"] if b["type"] != "text" or b["text"].strip()]
        wanted = expected if "thinking" in body else [b for b in expected if "thinking" not in b]
        assert answer == wanted
