"""One call of the Messages API over real HTTP: the way there, the way back, and failures."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from config.models import ModelSettings
from gateway.llm.anthropic import AnthropicProvider, messages_url
from gateway.llm.errors import ModelError
from gateway.llm.failures import EMPTY
from gateway.llm.http import NO_KEY
from tests.fakes.messages import KEY, MessagesServer, error

Json = dict[str, Any]
Claude = Callable[..., AnthropicProvider]

Asked = Callable[..., tuple[MessagesServer, AnthropicProvider]]

REQUEST: Json = {
    "model": "fake-model",
    "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}],
}
TOOL: Json = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Looks.",
        "parameters": {"type": "object", "properties": {"at": {"type": "string"}}},
    },
}


async def ask(provider: AnthropicProvider, request: Json = REQUEST) -> tuple[Json, list[Any]]:
    shown: list[Any] = []
    return await provider.complete(request, shown.append), shown


async def failure(provider: AnthropicProvider) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await ask(provider)
    return caught.value


def message_of(completion: Json) -> Json:
    message: Json = completion["choices"][0]["message"]
    return message


async def test_an_answer_is_streamed_and_comes_back_in_openais_shape(
    messages_server: MessagesServer, claude: Claude
) -> None:
    messages_server.enqueue("Hello, how are you today? 🪐")
    completion, shown = await ask(claude())
    assert "".join(shown) == "Hello, how are you today? 🪐"
    assert len(shown) > 2
    assert completion == {
        "id": "msg_1",
        "object": "chat.completion",
        "model": "fake-model",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Hello, how are you today? 🪐"},
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": 1_120,
            "completion_tokens": 7,
            "total_tokens": 1_127,
            "prompt_tokens_details": {"cached_tokens": 1_000, "cache_creation_tokens": 100},
            "completion_tokens_details": {"reasoning_tokens": 0},
        },
    }


async def test_the_request_has_the_system_prompt_apart_and_breakpoints_at_its_end(
    messages_server: MessagesServer, claude: Claude
) -> None:
    messages_server.enqueue("Hi")
    await ask(claude(), {**REQUEST, "tools": [TOOL], "tool_choice": "auto", "temperature": 1.5})
    mark = {"type": "ephemeral"}
    assert messages_server.requests == [
        {
            "model": "fake-model",
            "max_tokens": 8_192,
            "stream": True,
            "temperature": 1,
            "system": [{"type": "text", "text": "Be kind.", "cache_control": mark}],
            "messages": [
                {
                    "role": "user",
                    "content": [{"type": "text", "text": "Hi", "cache_control": mark}],
                }
            ],
            "tools": [
                {
                    "name": "look",
                    "description": "Looks.",
                    "input_schema": TOOL["function"]["parameters"],
                }
            ],
            "tool_choice": {"type": "auto"},
        }
    ]


async def test_the_key_is_in_its_header_and_nowhere_else(
    messages_server: MessagesServer, claude: Claude
) -> None:
    messages_server.enqueue("Hi")
    await ask(claude())
    [headers] = messages_server.headers
    assert headers.pop("x-api-key") == KEY
    assert headers["anthropic-version"] == "2023-06-01"
    assert KEY not in repr(headers) + repr(messages_server.requests)


async def test_tools_go_there_and_back(messages_server: MessagesServer, claude: Claude) -> None:
    messages_server.enqueue("I look.", tool_calls=[("look", {"at": "the moon"}), ("look", {})])
    messages_server.enqueue("It is full.")
    provider = claude()
    completion, _ = await ask(provider, {**REQUEST, "tools": [TOOL]})
    message = message_of(completion)
    assert completion["choices"][0]["finish_reason"] == "tool_calls"
    assert message["content"] == "I look."
    assert [call["function"] for call in message["tool_calls"]] == [
        {"name": "look", "arguments": '{"at": "the moon"}'},
        {"name": "look", "arguments": "{}"},
    ]
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": "full"}
        for call in message["tool_calls"]
    ]
    again = {**REQUEST, "messages": [*REQUEST["messages"], message, *results], "tools": [TOOL]}
    assert message_of((await ask(provider, again))[0])["content"] == "It is full."
    sent = messages_server.requests[-1]["messages"]
    assert [block["type"] for block in sent[1]["content"]] == ["text", "tool_use", "tool_use"]
    assert [block["type"] for block in sent[2]["content"]] == ["tool_result", "tool_result"]


async def test_thinking_is_kept_apart_and_sent_back_with_the_results(
    messages_server: MessagesServer, claude: Claude
) -> None:
    messages_server.enqueue(
        thinking="They want me to look.", redacted="b64==", tool_calls=[("look", {})]
    )
    messages_server.enqueue("Full.")
    provider = claude(thinking_tokens=2_000)
    completion, shown = await ask(provider, {**REQUEST, "tools": [TOOL], "temperature": 0.3})
    message = message_of(completion)
    assert (message["reasoning_content"], shown) == ("They want me to look.", [])
    body = messages_server.requests[0]
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 2_000}
    assert (body["max_tokens"], "temperature" in body) == (10_192, False)
    # An agent keeps the calls as they came, and gives the reasoning back only if it is told to.
    kept = {
        key: value for key, value in json.loads(json.dumps(message)).items() if "reason" not in key
    }
    result = {"role": "tool", "tool_call_id": kept["tool_calls"][0]["id"], "content": "full"}
    again = {**REQUEST, "messages": [*REQUEST["messages"], kept, result], "tools": [TOOL]}
    await ask(provider, again)
    sent = messages_server.requests[-1]["messages"][1]["content"]
    assert [block["type"] for block in sent] == ["thinking", "redacted_thinking", "tool_use"]


async def test_a_turn_that_another_model_began_goes_on_without_thinking(
    messages_server: MessagesServer, claude: Claude
) -> None:
    messages_server.enqueue("Full.")
    call = {"id": "call:1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    messages = [
        *REQUEST["messages"],
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call:1", "content": "full"},
    ]
    provider = claude(thinking_tokens=2_000)
    completion, _ = await ask(provider, {**REQUEST, "messages": messages, "tools": [TOOL]})
    assert message_of(completion)["content"] == "Full."
    assert "thinking" not in messages_server.requests[-1]


async def test_the_last_word_without_tools_is_asked_for_with_none_to_choose(
    messages_server: MessagesServer, claude: Claude
) -> None:
    messages_server.enqueue("In short: full.")
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": ""},
        {"role": "user", "content": "Sum up."},
    ]
    await ask(claude(), {"model": "fake-model", "messages": messages})
    body = messages_server.requests[0]
    assert body["tool_choice"] == {"type": "none"}
    assert [tool["name"] for tool in body["tools"]] == ["look"]


@pytest.mark.parametrize(
    ("stop_reason", "finish_reason"),
    [
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "content_filter"),
        ("stop_sequence", "stop"),
        ("something_new", "stop"),
    ],
)
async def test_every_stop_reason_has_its_word(
    stop_reason: str, finish_reason: str, messages_server: MessagesServer, claude: Claude
) -> None:
    messages_server.enqueue("Well", stop_reason=stop_reason)
    completion, _ = await ask(claude())
    assert completion["choices"][0]["finish_reason"] == finish_reason


@pytest.mark.parametrize(
    ("status", "text", "code"),
    [
        (529, "Overloaded", "unavailable"),
        (500, "Internal server error", "unavailable"),
        (429, "This request would exceed your rate limit", "rate_limited"),
        (401, "invalid x-api-key", "auth"),
        (403, "Your key may not use this", "auth"),
        (404, "model: claude-none", "not_found"),
        (413, "Request exceeds the maximum size", "context_overflow"),
        (400, "prompt is too long: 208310 tokens > 200000 maximum", "context_overflow"),
        (
            400,
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
            "context_overflow",
        ),
        (400, "Your credit balance is too low to access the Anthropic API", "auth"),
        (400, "messages: something else", "bad_request"),
    ],
)
async def test_every_refusal_has_its_code(
    status: int,
    text: str,
    code: str,
    messages_server: MessagesServer,
    claude: Claude,
) -> None:
    messages_server.refuse(status, text)
    caught = await failure(claude())
    assert (caught.code, caught.status) == (code, status)
    assert text not in caught.message


async def test_a_busy_server_says_for_how_long(
    messages_server: MessagesServer, claude: Claude
) -> None:
    messages_server.refuse(429, headers={"retry-after": "7"})
    assert (await failure(claude())).retry_after_s == 7


async def test_a_missing_key_is_named_so(claude: Claude) -> None:
    assert (await failure(claude(api_key=None))).message == NO_KEY


async def test_an_error_in_mid_stream_is_the_calls_failure(
    messages_server: MessagesServer, claude: Claude
) -> None:
    overloaded = error("overloaded_error", "Overloaded")
    start = {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 1}}}
    messages_server.enqueue_raw(start, overloaded)
    assert (await failure(claude())).code == "unavailable"


@pytest.mark.parametrize("cut_after", [1, 4, 6])
async def test_half_a_stream_is_no_answer(
    cut_after: int, messages_server: MessagesServer, claude: Claude
) -> None:
    messages_server.enqueue("Hello to you all", cut_after=cut_after)
    caught = await failure(claude())
    assert (caught.code, caught.retryable) == ("bad_response", True)


@pytest.fixture
def asked(messages_server: MessagesServer, claude: Claude) -> Asked:
    """A server, and a provider with settings of the test's own that asks it."""
    return lambda **changes: (messages_server, claude(**changes))


async def test_a_stream_with_a_stop_reason_and_no_end_is_an_answer(
    messages_server: MessagesServer, claude: Claude
) -> None:
    # Start, block, ping, one delta, stop of the block, stop reason: only message_stop is missing.
    messages_server.enqueue("Hello", cut_after=6)
    assert message_of((await ask(claude()))[0])["content"] == "Hello"


async def test_a_server_that_leaves_the_connection_open_is_not_waited_for(
    messages_server: MessagesServer, claude: Claude
) -> None:
    messages_server.enqueue("Hello", ending="hang")
    assert message_of((await ask(claude()))[0])["content"] == "Hello"


async def test_an_empty_body_is_no_answer(messages_server: MessagesServer, claude: Claude) -> None:
    messages_server.enqueue_raw(b"event: ping\ndata: {}\n\n")
    assert (await failure(claude())).message == EMPTY


async def test_a_smaller_limit_of_output_is_learnt(
    messages_server: MessagesServer, claude: Claude
) -> None:
    messages_server._max_tokens = 4_096
    provider = claude()
    for _ in range(2):
        messages_server.enqueue("Hi")
        await ask(provider)
    assert [body["max_tokens"] for body in messages_server.requests] == [8_192, 4_096, 4_096]


@pytest.mark.parametrize(
    ("refusal", "settings", "sampling", "left"),
    [
        (
            '"thinking.type.enabled" is not supported. Use "thinking.type.adaptive".',
            {"thinking_tokens": 2_000},
            {},
            {"thinking": {"type": "adaptive"}},
        ),
        (
            "'claude-x' does not support thinking.",
            {"thinking_tokens": 2_000},
            {},
            {"thinking": None},
        ),
        (
            "`temperature` and `top_p` cannot both be specified for this model.",
            {},
            {"temperature": 0.5, "top_p": 0.9},
            {"temperature": 0.5, "top_p": None},
        ),
        (
            "`temperature` is deprecated for this model.",
            {},
            {"temperature": 0.5},
            {"temperature": None},
        ),
    ],
)
async def test_what_a_model_refuses_is_left_out_from_then_on(
    refusal: str,
    settings: Json,
    sampling: Json,
    left: Json,
    asked: Asked,
) -> None:
    messages_server, provider = asked(**settings)
    messages_server.refuse(400, refusal)
    messages_server.enqueue("Hi")
    messages_server.enqueue("Hi again")
    await ask(provider, REQUEST | sampling)
    await ask(provider, REQUEST | sampling)
    assert len(messages_server.requests) == 3
    for body in messages_server.requests[1:]:
        assert {name: body.get(name) for name in left} == left


async def test_the_same_refusal_twice_is_a_failure(
    messages_server: MessagesServer, claude: Claude
) -> None:
    for _ in range(2):
        messages_server.refuse(400, "cache_control: Extra inputs are not permitted")
    caught = await failure(claude())
    assert (caught.code, len(messages_server.requests)) == ("bad_request", 2)


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com/v1/", "https://api.anthropic.com/v1/messages"),
        ("http://h/anthropic", "http://h/anthropic/v1/messages"),
        ("http://h/v1/messages", "http://h/v1/messages"),
    ],
)
def test_calls_go_below_the_base_url(base: str, url: str) -> None:
    from httpx import URL

    assert str(messages_url(URL(base))) == url


def test_the_settings_know_the_provider() -> None:
    settings = ModelSettings.model_validate({"provider": "anthropic", "name": "claude"})
    assert str(settings.address) == "https://api.anthropic.com/"
