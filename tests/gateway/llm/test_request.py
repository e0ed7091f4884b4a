"""A request goes out in a shape that servers take."""

from typing import Any

import pytest

from gateway.llm.request import find_quirk, to_body

Json = dict[str, Any]

USER: Json = {"role": "user", "content": "Hi"}
CALL: Json = {"id": "a", "type": "function", "function": {"name": "todo", "arguments": "{}"}}


def sent(*messages: Json, **fields: Any) -> Json:
    return to_body({"messages": list(messages), **fields}, "from-settings")


def test_the_model_comes_from_the_settings_if_the_request_names_none() -> None:
    assert sent(USER)["model"] == "from-settings"
    assert sent(USER, model=None)["model"] == "from-settings"
    assert sent(USER, model="asked-for")["model"] == "asked-for"


def test_what_is_not_set_is_not_sent() -> None:
    assert sent(USER, temperature=None, top_p=0.5, tools=[], tool_choice="auto") == {
        "model": "from-settings",
        "messages": [USER],
        "top_p": 0.5,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


@pytest.mark.parametrize("blank", [None, "", " \n", [], [{"type": "text", "text": " "}]])
def test_blank_content_is_null_beside_tool_calls(blank: object) -> None:
    message = {"role": "assistant", "content": blank, "tool_calls": [CALL]}
    assert sent(message)["messages"][0]["content"] is None


@pytest.mark.parametrize("blank", [None, "", [], [{"type": "text", "text": ""}]])
def test_blank_content_is_an_empty_string_elsewhere(blank: object) -> None:
    assert sent({"role": "tool", "tool_call_id": "a", "content": blank})["messages"] == [
        {"role": "tool", "tool_call_id": "a", "content": ""}
    ]


def test_blank_text_goes_from_between_pictures() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}
    message = {"role": "user", "content": [{"type": "text", "text": ""}, picture]}
    assert sent(message)["messages"][0]["content"] == [picture]


def test_the_request_itself_is_not_changed() -> None:
    request = {"messages": [{"role": "assistant", "content": "", "reasoning": "hm"}], "tools": []}
    before = repr(request)
    to_body(request, "m", {"no_reasoning_back", "no_stream"})
    assert repr(request) == before


@pytest.mark.parametrize(
    ("refusal", "quirk", "changed"),
    [
        ("Unknown field: stream_options", "no_stream_options", {"stream_options": None}),
        (
            "[{'loc': ['body','x'], 'msg': 'Extra inputs are not permitted'}]",
            "no_unknown_fields",
            {},
        ),
        (
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            "max_completion_tokens",
            {"max_tokens": None, "max_completion_tokens": 9},
        ),
        (
            "'temperature' does not support 0.2: unsupported value",
            "no_temperature",
            {"temperature": None},
        ),
        ("top_p is not supported with this model", "no_top_p", {"top_p": None}),
        ("property 'reasoning_content' is unsupported", "no_reasoning_back", {}),
        ("Streaming is not supported with tools", "no_stream", {"stream": False}),
    ],
)
def test_a_refusal_tells_what_to_leave_out_next_time(
    refusal: str, quirk: str, changed: Json
) -> None:
    request = {
        "messages": [{**USER, "reasoning_content": "hm"}],
        "max_tokens": 9,
        "temperature": 0.2,
        "top_p": 0.5,
    }
    assert find_quirk(refusal, to_body(request, "m")) == quirk
    body = to_body(request, "m", {quirk})
    assert {name: body.get(name) for name in changed} == changed
    assert find_quirk(refusal, body) != quirk


def test_another_refusal_is_no_quirk() -> None:
    assert find_quirk("The picture is too large", sent(USER, temperature=1, max_tokens=5)) is None


def test_reasoning_that_a_server_refuses_stays_at_home() -> None:
    message = {"role": "assistant", "content": "x", "reasoning": "a", "reasoning_content": "b"}
    body = to_body({"messages": [message]}, "m", {"no_reasoning_back"})
    assert body["messages"] == [{"role": "assistant", "content": "x"}]


def picture(size: int) -> Json:
    return {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * size}}


@pytest.mark.parametrize(
    ("refusal", "left"),
    [
        ("image exceeds the maximum size of 5 MB", ["text", "image_url", "text"]),
        ("The image is too large", ["text", "image_url", "text"]),
        ("This model does not support image input", ["text", "text", "text"]),
        ("image_url is not supported by this model", ["text", "text", "text"]),
        ("messages[0]: unknown variant `image_url`, expected `text`", ["text", "text", "text"]),
    ],
)
def test_a_picture_that_is_refused_does_not_spoil_the_conversation(
    refusal: str, left: list[str]
) -> None:
    content = [{"type": "text", "text": "Look!"}, picture(10), picture(5_000_000)]
    request = {"messages": [{"role": "user", "content": content}, USER]}
    quirk = find_quirk(refusal, to_body(request, "m"))
    assert quirk is not None
    body = to_body(request, "m", {quirk})
    assert [part["type"] for part in body["messages"][0]["content"]] == left
    assert body["messages"][1] == USER
    assert find_quirk(refusal, body) is None or left[1] == "image_url"


def test_without_a_picture_no_refusal_is_about_one() -> None:
    assert find_quirk("image is too large", sent(USER)) is None


def test_what_another_provider_keeps_in_a_call_is_not_sent() -> None:
    kept = CALL | {"anthropic": {"model": "claude", "thinking": []}, "extra_content": {"a": 1}}
    message = {"role": "assistant", "content": "", "tool_calls": [kept]}
    assert sent(message)["messages"][0]["tool_calls"] == [CALL | {"extra_content": {"a": 1}}]
