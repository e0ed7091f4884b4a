"""One call over real HTTP, and everything that a server can do to it (cases 45, 48, 51a, 51c)."""

import asyncio
import gzip
import logging
import socket
import traceback
from collections.abc import Callable
from typing import Any

import pytest
from structlog.testing import capture_logs

from config.models import ModelSettings
from gateway.llm.errors import ModelError
from gateway.llm.openai import OpenAIProvider
from tests.fakes.model_server import KEY, USAGE, ModelServer, event, make_completion

Json = dict[str, Any]
SettingsFor = Callable[..., ModelSettings]

REQUEST: Json = {"model": "fake-model", "messages": [{"role": "user", "content": "Hi"}]}
STOP: Json = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def said(text: str) -> Json:
    return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}


class Screen:
    """What a person sees of a call."""

    def __init__(self) -> None:
        self.pieces: list[str | None] = []
        self.text = ""
        self.changed = asyncio.Event()

    def __call__(self, piece: str | None) -> None:
        self.pieces.append(piece)
        self.text = "" if piece is None else self.text + piece
        self.changed.set()


def content_of(completion: Json) -> Any:
    return completion["choices"][0]["message"]["content"]


async def failure(provider: OpenAIProvider, screen: Screen | None = None) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await provider.complete(REQUEST, screen or Screen())
    return caught.value


async def test_an_answer_is_streamed_and_comes_back_whole(
    server: ModelServer, provider: OpenAIProvider
) -> None:
    screen = Screen()
    server.enqueue(text="Hello, how are you today? 🪐", reasoning="They greet me.")
    completion = await provider.complete(REQUEST, screen)
    assert screen.text == content_of(completion) == "Hello, how are you today? 🪐"
    assert len(screen.pieces) > 2
    assert completion == make_completion(screen.text, reasoning="They greet me.")


async def test_tool_calls_come_back_as_they_were_made(
    server: ModelServer, provider: OpenAIProvider
) -> None:
    server.enqueue(text="I look.", tool_calls=[("memory", {"target": "user"}), ("todo", {})])
    completion = await provider.complete(REQUEST, Screen())
    calls = completion["choices"][0]["message"]["tool_calls"]
    assert [call["function"] for call in calls] == [
        {"name": "memory", "arguments": '{"target": "user"}'},
        {"name": "todo", "arguments": "{}"},
    ]
    assert completion["choices"][0]["finish_reason"] == "tool_calls"
    assert completion["usage"] == USAGE


async def test_the_key_is_in_the_authorization_header_and_nowhere_else(
    server: ModelServer, provider: OpenAIProvider
) -> None:
    server.enqueue(text="Hi")
    await provider.complete(REQUEST, Screen())
    [request] = server.requests
    assert request.headers.pop("authorization") == f"Bearer {KEY}"
    assert KEY not in repr(request)


async def test_without_a_key_none_is_sent(settings_for: SettingsFor, server: ModelServer) -> None:
    provider = OpenAIProvider(settings_for(api_key=None))
    error = await failure(provider)
    assert "authorization" not in server.requests[0].headers
    assert (error.code, error.message) == (
        "auth",
        "The model server asks for an API key, and none is set.",
    )
    await provider.close()


async def test_many_calls_use_one_connection(server: ModelServer, provider: OpenAIProvider) -> None:
    for _ in range(3):
        server.enqueue(text="Hi")
        await provider.complete(REQUEST, Screen())
    assert server.connections == 1


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(
            [b'data:{"choices":[{"delta":{"content":"Hi"}}]}\n\ndata:[DONE]\n\n'], id="no space"
        ),
        pytest.param(
            [
                b": ping\r\n\r\n",
                b'data: {"choices":[{"delta":{"content":"Hi"}}]}\r\n\r\n',
                b"data: [DONE]\r\n\r\n",
            ],
            id="CR LF and a comment",
        ),
        pytest.param([said("Hi"), STOP], id="no [DONE]"),
        pytest.param([said("Hi"), event(STOP).rstrip()], id="no blank line at the end"),
        pytest.param([said("Hi"), b"data: [DONE]"], id="no end of line at the end"),
        pytest.param([b"\xef\xbb\xbf", said("Hi"), STOP], id="byte order mark"),
        pytest.param(
            [{"choices": []}, {**said("Hi"), "usage": USAGE}, {**STOP, "usage": USAGE}],
            id="empty choices, usage in every chunk",
        ),
        pytest.param(
            [{"choices": [{"delta": {"role": "assistant", "content": None}}]}, said("Hi"), STOP],
            id="null content",
        ),
        pytest.param(
            [b"data: null\n\n" * 0, b"event: message\nid: 1\nretry: 5\n", said("Hi"), STOP],
            id="other fields",
        ),
        pytest.param(
            [b'{"choices":[{"message":{"content":"Hi"}}]}'],
            id="JSON",
        ),
    ],
)
@pytest.mark.parametrize(
    "content_type", ["text/event-stream", "text/plain; charset=latin-1", "application/json"]
)
async def test_dialects_of_a_stream_are_understood_whatever_the_header_says(
    server: ModelServer, provider: OpenAIProvider, raw: list[bytes | Json], content_type: str
) -> None:
    screen = Screen()
    server.enqueue(raw=raw, headers={"Content-Type": content_type})
    completion = await provider.complete(REQUEST, screen)
    assert screen.text == content_of(completion) == "Hi"


async def test_letters_cut_in_the_middle_come_out_whole(
    server: ModelServer, provider: OpenAIProvider
) -> None:
    body = b"".join(map(event, [said("Grüße 🪐"), STOP]))
    server.enqueue(raw=[body[i : i + 1] for i in range(len(body))])
    assert content_of(await provider.complete(REQUEST, Screen())) == "Grüße 🪐"


async def test_a_compressed_answer_is_understood(
    server: ModelServer, provider: OpenAIProvider
) -> None:
    body = gzip.compress(b"".join(map(event, [said("Hi"), STOP])))
    server.enqueue(raw=[body], headers={"Content-Encoding": "gzip"})
    assert content_of(await provider.complete(REQUEST, Screen())) == "Hi"


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param({"body": b""}, id="empty body"),
        pytest.param({"body": b" \n\n"}, id="white space"),
        pytest.param({"body": "<!doctype html><p>Welcome"}, id="a web page"),
        pytest.param({"body": "Internal server error"}, id="plain text"),
        pytest.param({"body": "[1, 2]"}, id="a list"),
        pytest.param({"body": "{}"}, id="an empty object"),
        pytest.param({"body": '{"choices": ['}, id="half of a JSON text"),
        pytest.param({"raw": [b"data: [DONE]\n\n"]}, id="only [DONE]"),
        pytest.param({"raw": [b"data: {half\n\n"]}, id="a chunk that is not JSON"),
        pytest.param({"raw": [b"data: 3\n\n"]}, id="a chunk that is no object"),
        pytest.param({"raw": [said("Hi")]}, id="no end"),
        pytest.param({"text": "Hello, you", "cut_after": 3}, id="a cut connection"),
        pytest.param({"raw": [said("Hi"), {"error": {"message": "boom"}}]}, id="an error object"),
        pytest.param(
            {"raw": [b'event: error\ndata: {"message": "boom"}\n\n']}, id="an error event"
        ),
        pytest.param({"body": {"error": "boom"}}, id="an error with status 200"),
        pytest.param(
            {"raw": [b"not gzip"], "headers": {"Content-Encoding": "gzip"}}, id="not gzip"
        ),
    ],
)
async def test_an_answer_that_is_none_is_a_bad_response(
    server: ModelServer, provider: OpenAIProvider, reply: Json
) -> None:
    server.enqueue(**reply)
    error = await failure(provider)
    assert (error.code, error.retryable) == ("bad_response", True)
    assert error.message.endswith(".")
    assert "boom" not in error.message


async def test_a_finished_answer_survives_a_connection_that_breaks_behind_it(
    server: ModelServer, provider: OpenAIProvider
) -> None:
    server.enqueue(raw=[said("Hi"), STOP], then="cut")
    assert content_of(await provider.complete(REQUEST, Screen())) == "Hi"


async def test_a_finished_answer_does_not_wait_for_an_end_that_never_comes(
    server: ModelServer, settings_for: SettingsFor
) -> None:
    provider = OpenAIProvider(settings_for(), finish_grace_s=0.01)
    server.enqueue(raw=[said("Hi"), STOP], then="hang")
    assert content_of(await provider.complete(REQUEST, Screen())) == "Hi"
    server.enqueue(raw=[said("Ho"), b"data: [DONE]\n\n"], then="hang")
    assert content_of(await provider.complete(REQUEST, Screen())) == "Ho"
    await provider.close()


@pytest.mark.parametrize("reply", [{"raw": []}, {"raw": [said("Hi")]}])
async def test_a_server_that_falls_silent_is_given_up(
    server: ModelServer, settings_for: SettingsFor, reply: Json
) -> None:
    provider = OpenAIProvider(settings_for(idle_timeout_s=0.05))
    server.enqueue(**reply, then="hang")
    error = await failure(provider)
    assert (error.code, error.retryable) == ("timeout", True)
    await provider.close()


async def test_nobody_listening_is_unavailable(settings_for: SettingsFor) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    provider = OpenAIProvider(settings_for(base_url=f"http://127.0.0.1:{port}/v1"))
    error = await failure(provider)
    assert (error.code, error.message) == ("unavailable", "The model server can't be reached.")
    await provider.close()


async def test_a_wrong_path_is_not_found(settings_for: SettingsFor, server: ModelServer) -> None:
    provider = OpenAIProvider(settings_for(base_url=server.base_url.removesuffix("/v1")))
    assert (await failure(provider)).code == "not_found"
    await provider.close()


async def test_a_refusal_carries_its_code_its_status_and_the_wait(
    server: ModelServer, provider: OpenAIProvider
) -> None:
    server.enqueue(status=429, headers={"Retry-After": "2"}, body={"error": {"message": "slow"}})
    error = await failure(provider)
    assert (error.code, error.status, error.retry_after_s) == ("rate_limited", 429, 2)


async def test_stream_options_that_a_server_refuses_are_left_out_from_then_on(
    server: ModelServer, provider: OpenAIProvider
) -> None:
    server.enqueue(status=400, body={"error": {"message": "stream_options: unknown field"}})
    server.enqueue(text="Hi")
    server.enqueue(text="Hi again")
    first = await provider.complete(REQUEST, Screen())
    assert (content_of(first), "usage" in first) == ("Hi", False)
    assert content_of(await provider.complete(REQUEST, Screen())) == "Hi again"
    assert ["stream_options" in request.body for request in server.requests] == [True, False, False]


async def test_all_that_a_server_has_refused_stays_left_out(
    server: ModelServer, provider: OpenAIProvider
) -> None:
    request = {**REQUEST, "temperature": 0.2, "max_tokens": 9}
    for refused in ("temperature is not supported", "use max_completion_tokens instead"):
        server.enqueue(status=400, body={"error": {"message": refused}})
    for _ in range(2):
        server.enqueue(text="Hi")
        assert content_of(await provider.complete(request, Screen())) == "Hi"
    assert len(server.requests) == 4
    for received in server.requests[2:]:
        assert "temperature" not in received.body
        assert received.body["max_completion_tokens"] == 9


async def test_a_server_that_cannot_stream_is_asked_for_the_whole(
    server: ModelServer, provider: OpenAIProvider
) -> None:
    screen = Screen()
    server.enqueue(status=400, body={"error": {"message": "Streaming is not supported."}})
    server.enqueue(text="Hi")
    assert content_of(await provider.complete(REQUEST, screen)) == screen.text == "Hi"


async def test_a_refusal_that_no_quirk_cures_is_raised_once(
    server: ModelServer, provider: OpenAIProvider
) -> None:
    for _ in range(2):
        server.enqueue(status=400, body={"error": {"message": "stream_options is not it"}})
    assert (await failure(provider)).code == "bad_request"
    assert len(server.requests) == 2


async def test_text_shows_while_the_rest_is_still_to_come(
    server: ModelServer, provider: OpenAIProvider
) -> None:
    screen = Screen()
    script = server.enqueue(raw=[said("One "), said("two"), STOP], gated=True)
    call = asyncio.create_task(provider.complete(REQUEST, screen))
    script.release()
    await screen.changed.wait()
    assert (screen.text, call.done()) == ("One ", False)
    script.release(2)
    assert content_of(await call) == "One two"


async def test_cancelling_ends_the_call_and_the_connection(
    server: ModelServer, provider: OpenAIProvider
) -> None:
    screen = Screen()
    script = server.enqueue(raw=[said("One ")], then="hang")
    call = asyncio.create_task(provider.complete(REQUEST, screen))
    await screen.changed.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await asyncio.wait_for(script.disconnected.wait(), 10)
    server.enqueue(text="Still there")
    assert content_of(await provider.complete(REQUEST, Screen())) == "Still there"


async def test_a_hundred_and_fifty_calls_run_at_once(
    server: ModelServer, provider: OpenAIProvider
) -> None:
    scripts = [server.enqueue(raw=[said("Hi"), STOP], gated=True) for _ in range(150)]
    calls = [asyncio.create_task(provider.complete(REQUEST, Screen())) for _ in scripts]
    for script in scripts:
        await script.started.wait()
    for script in scripts:
        script.release(2)
    assert {content_of(completion) for completion in await asyncio.gather(*calls)} == {"Hi"}


@pytest.mark.parametrize(
    "reply",
    [
        {"status": 401, "body": {"error": {"message": f"Incorrect key: {KEY}"}}},
        {"status": 500, "body": f"<html>{KEY}</html>"},
        {"body": f"<html>{KEY}</html>"},
        {"body": {"error": {"message": f"Bearer {KEY}"}}},
        {"raw": [said("x"), {"error": {"message": KEY}}]},
        {"raw": [f"data: {{{KEY}\n\n".encode()]},
    ],
)
async def test_a_key_that_the_server_repeats_is_in_no_log_and_no_error(
    server: ModelServer, settings_for: SettingsFor, caplog: pytest.LogCaptureFixture, reply: Json
) -> None:
    caplog.set_level(logging.DEBUG)
    provider = OpenAIProvider(settings_for())
    server.enqueue(**reply)
    with capture_logs() as events:
        error = await failure(provider)
    await provider.close()
    assert error.detail is not None
    assert "***" in error.detail
    assert KEY not in "".join([str(error), error.detail, *traceback.format_exception(error)])
    assert KEY not in caplog.text
    assert KEY not in repr(events)
    assert len(events) == 1


@pytest.mark.parametrize(
    "reply",
    [
        {"text": "Hello, you", "cut_after": 3},
        {"raw": [said("x"), {"error": {"message": "boom"}}]},
        {"status": 500, "body": {"error": {"message": "boom"}}},
        {"body": ""},
    ],
)
async def test_the_key_is_in_no_variable_that_a_traceback_shows(
    server: ModelServer, provider: OpenAIProvider, reply: Json
) -> None:
    server.enqueue(**reply)
    error = await failure(provider)
    shown = traceback.TracebackException.from_exception(error, capture_locals=True).format()
    # The test's own frames hold the server and with it what it has received.
    frames = [line for line in shown if "tests" not in line]
    assert any("gateway" in line for line in frames)
    assert not [line for line in frames if KEY in line]
