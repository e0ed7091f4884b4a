"""What a server says about a failure is understood, and told to people in our own words."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from gateway.llm import failures
from gateway.llm.errors import RETRYABLE

NOW = datetime(2025, 3, 1, 12, 0, 0, tzinfo=UTC)


def classified(status: int, error: object = None, body: str | None = None) -> tuple[str, bool]:
    text = json.dumps({"error": error}) if body is None else body
    made = failures.status_error(status, {}, text, NOW)
    return made.code, made.retryable


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, "bad_request"),
        (401, "auth"),
        (402, "auth"),
        (403, "auth"),
        (404, "not_found"),
        (301, "not_found"),
        (405, "not_found"),
        (408, "timeout"),
        (409, "unavailable"),
        (413, "context_overflow"),
        (418, "bad_request"),
        (422, "bad_request"),
        (429, "rate_limited"),
        (500, "unavailable"),
        (502, "unavailable"),
        (504, "unavailable"),
        (529, "unavailable"),
    ],
)
@pytest.mark.parametrize("body", ["", "<html>no</html>", '{"error": null}', "[]", "[[]]", '"x"'])
def test_a_status_alone_tells_what_failed(status: int, code: str, body: str) -> None:
    assert classified(status, body=body) == (code, code in RETRYABLE)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (
            400,
            "This model's maximum context length is 8192 tokens. However, your messages…",
        ),  # OpenAI
        (400, "Your input exceeds the context window of this model."),  # OpenAI
        (400, "The decoder prompt (length 9000) is longer than the maximum model length of 8192."),
        (400, "Input length (9000) exceeds model's maximum context length (8192)."),  # vLLM
        (400, "'max_tokens' is too large: 2000. This model's maximum context length is 4096"),
        (
            400,
            "request (4390 tokens) exceeds the available context size (4096 tokens)",
        ),  # llama.cpp
        (500, "the request exceeds the available context size. try increasing it"),  # llama.cpp
        (500, "Context size has been exceeded."),  # llama.cpp
        (400, "Requested tokens (2285) exceed context window of 2048"),  # llama-cpp-python
        (400, "the input length exceeds the context length"),  # Ollama
        (400, "prompt too long; exceeded max context length by 12 tokens"),  # Ollama
        (
            400,
            "This endpoint's maximum context length is 1048576 tokens. However, you…",
        ),  # OpenRouter
        (400, "prompt is too long: 210000 tokens > 200000 maximum"),  # Anthropic
        (400, "The input token count (1200000) exceeds the maximum number of tokens allowed"),
        (400, "Please reduce the length of the messages or completion."),  # Groq
        (422, "`inputs` tokens + `max_new_tokens` must be <= 4096"),  # TGI
        (400, "Invalid request: Your request exceeded model token limit: 8192"),  # Kimi
    ],
)
def test_the_well_known_words_for_too_long_are_recognised(status: int, message: str) -> None:
    assert classified(status, {"message": message, "type": "invalid_request_error"}) == (
        "context_overflow",
        False,
    )


@pytest.mark.parametrize(
    ("status", "error", "code"),
    [
        (400, {"message": "x", "code": "context_length_exceeded"}, "context_overflow"),
        (429, {"message": "x", "code": "context_length_exceeded"}, "context_overflow"),
        (400, {"message": "x", "type": "exceed_context_size_error"}, "context_overflow"),
        (400, {"message": "x", "code": "model_not_found"}, "not_found"),
        (400, {"message": "max_tokens is too large: 99999"}, "bad_request"),
        (400, "model 'x' not found, try pulling it first", "bad_request"),
        (429, {"message": "Limit 8000 tokens per minute, maximum context length"}, "rate_limited"),
        (503, {"message": "x", "type": "invalid_request_error"}, "unavailable"),
    ],
)
def test_codes_and_words_refine_the_status(status: int, error: Any, code: str) -> None:
    assert classified(status, error)[0] == code


def test_an_account_without_credit_is_not_asked_again() -> None:
    error = failures.status_error(
        429, {}, '{"error": {"code": "insufficient_quota", "message": "You exceeded…"}}', NOW
    )
    assert (error.code, error.retryable, error.message) == ("auth", False, failures.NO_CREDIT)


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "Sat, 01 Mar 2025 12:01:30 GMT"}, 90),
        ({"retry-after": "Sat, 01 Mar 2025 11:00:00 GMT"}, 0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e999"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_the_wait_is_read_in_seconds_or_as_a_date(
    headers: dict[str, str], wait_s: float | None
) -> None:
    assert failures.retry_after_s(headers, NOW) == wait_s


def test_what_people_see_holds_nothing_of_what_the_server_said() -> None:
    body = '{"error": {"message": "Key sk-secret at https://internal.example/v1 is wrong"}}'
    for status in (400, 401, 404, 413, 429, 500):
        error = failures.status_error(status, {}, body, NOW, "sk-secret")
        assert "sk-secret" not in str(error)
        assert "http" not in str(error)
        assert error.detail is not None
        assert "internal.example" in error.detail
        assert "sk-secret" not in error.detail


def test_the_detail_is_one_short_line() -> None:
    detail = failures.scrubbed("many\nlines " * 1_000)
    assert "\n" not in detail
    assert len(detail) == failures.DETAIL_CHARS
