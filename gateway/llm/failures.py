"""Reads what went wrong out of what a model server said. Pure: statuses, headers and bodies in,
`ModelError` out. When to try again is decided in `retry.py`.

The people's sentences are our own; the server's go to the log only, because they may hold
addresses or an echo of the key.
"""

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from gateway.llm.errors import ModelError

DETAIL_CHARS = 500

MESSAGES = {
    "auth": "The model server does not accept the API key.",
    "not_found": "The model server does not know this model or address.",
    "rate_limited": "The model server has too many requests at the moment.",
    "unavailable": "The model server is not available at the moment.",
    "timeout": "The model server did not answer in time.",
    "context_overflow": "The conversation is too long for the model.",
    "bad_request": "The model server refused the request.",
    "bad_response": "The model server sent an answer that can't be used.",
}

CUT = "The model server's answer broke off in the middle."
EMPTY = "The model server sent an empty answer."

NO_CREDIT = "The account at the model server has no credit left."
FORBIDDEN = "The model server does not allow this request with this API key."

STATUS_CODES = {
    401: "auth",
    402: "auth",
    403: "auth",
    404: "not_found",
    405: "not_found",
    408: "timeout",
    409: "unavailable",
    413: "context_overflow",
    425: "unavailable",
    429: "rate_limited",
}

# What servers write into `error.code` or `error.type`.
WORD_CODES = {
    "context_length_exceeded": "context_overflow",  # OpenAI, Groq, DeepSeek
    "exceed_context_size_error": "context_overflow",  # llama.cpp
    "request_too_large": "context_overflow",  # Anthropic: above 32 MB
    "insufficient_quota": "auth",  # OpenAI sends it with 429; waiting does not help
    "invalid_api_key": "auth",
    "authentication_error": "auth",
    "permission_error": "auth",  # Anthropic
    "billing_error": "auth",
    "model_not_found": "not_found",
    "not_found_error": "not_found",  # Anthropic
    "rate_limit_exceeded": "rate_limited",
    "rate_limit_error": "rate_limited",
    "overloaded_error": "unavailable",  # Anthropic: HTTP 529, or in mid-stream
    "api_error": "unavailable",
    "timeout_error": "timeout",
    "server_error": "unavailable",
    "internal_server_error": "unavailable",
    "timeout": "timeout",
    "invalid_request_error": "bad_request",
}

# The well-known words for "too long", where no code says it.
OVERFLOW_TEXT = re.compile(
    r"maximum (?:context|model|prompt) length"  # OpenAI, vLLM, OpenRouter, xAI, Mistral, Ollama
    r"|max(?:imum)? context length"
    r"|exceeds? (?:the )?(?:available )?context (?:size|length|window)"  # llama.cpp, llama-cpp-py
    r"|exceeds? (?:the )?model'?s? (?:maximum )?context"  # vLLM
    r"|context (?:size|length|window) (?:has been |was |is )?exceeded"  # llama.cpp in mid-stream
    r"|exceed(?:s|ed)? (?:the )?(?:model token limit|context limit|max length)"  # Kimi, GLM
    r"|(?:prompt|input) (?:is )?too long"  # Anthropic, Bedrock, Ollama
    r"|input token count .{0,40}exceeds the maximum"  # Gemini
    r"|reduce the length of the (?:messages|prompt|input)"  # OpenAI, Groq
    r"|`?inputs`? tokens \+ `?max_new_tokens"  # Text Generation Inference
    r"|context the overflows|context overflow",  # LM Studio
    re.IGNORECASE,
)
NO_CREDIT_TEXT = re.compile(r"credit balance is too low", re.IGNORECASE)  # Anthropic, with 400

# Statuses whose text may mean "too long": some send it as 500 (llama.cpp) or as 422.
OVERFLOW_STATUSES = frozenset({None, 200, 400, 413, 422, 500})


def status_error(
    status: int, headers: Mapping[str, str], body: str, now: datetime, secret: str = ""
) -> ModelError:
    """What an HTTP answer outside of 2xx means. `now` is for a Retry-After that is a date."""
    fields = _error_fields(_parsed(body))
    code = _code(status, fields, body)
    return ModelError(
        code,
        _message(code, status, fields),
        status=status,
        retry_after_s=retry_after_s(headers, now),
        detail=scrubbed(f"HTTP {status}: {body}", secret),
    )


def object_error(error: object, secret: str = "") -> ModelError:
    """What an error object in a stream, or in an answer with status 200, means."""
    fields = _error_fields({"error": error})
    status = _embedded_status(fields)
    text = json.dumps(error, ensure_ascii=False, default=str)
    code = _code(status, fields, text) if status or _words(fields) else "bad_response"
    if code == "bad_response" and OVERFLOW_TEXT.search(text):
        code = "context_overflow"
    return ModelError(
        code, _message(code, status, fields), status=status, detail=scrubbed(text, secret)
    )


def unusable(what: str, detail: str = "", secret: str = "") -> ModelError:
    """An answer that is no chat completion. `what` is a sentence for people."""
    return ModelError("bad_response", what, detail=scrubbed(detail, secret) or None)


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait, if the server said so: `retry-after-ms`, or Retry-After (RFC 9110 10.2.3)
    in seconds or as a date."""
    try:
        wait_s = float(headers["retry-after-ms"]) / 1000
    except (KeyError, ValueError):
        wait_s = _retry_after(headers.get("retry-after", ""), now)
    return max(0.0, wait_s) if math.isfinite(wait_s) else None


def scrubbed(text: str, secret: str = "") -> str:
    """At most `DETAIL_CHARS` characters on one line, with the key taken out."""
    if secret:
        text = text.replace(secret, "***")
    text = " ".join(text.split())
    return text if len(text) <= DETAIL_CHARS else text[: DETAIL_CHARS - 1] + "…"


def _retry_after(value: str, now: datetime) -> float:
    try:
        return float(value)
    except ValueError:
        pass
    try:
        then = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return math.nan
    return ((then if then.tzinfo else then.replace(tzinfo=UTC)) - now).total_seconds()


def _parsed(body: str) -> object:
    try:
        return json.loads(body)
    except ValueError:
        return None


def _error_fields(body: object) -> dict[str, Any]:
    """The error object of a body: `{"error": {...}}`, `{"error": "text"}`, or the body itself."""
    if isinstance(body, list) and body:
        body = body[0]  # Gemini's compatible endpoint wraps its error into a list
    if not isinstance(body, dict):
        return {}
    error = body.get("error", body)
    return error if isinstance(error, dict) else {"message": error}


def _words(fields: Mapping[str, Any]) -> list[str]:
    return [
        word
        for key in ("code", "type")
        if isinstance(word := fields.get(key), str) and word in WORD_CODES
    ]


def _embedded_status(fields: Mapping[str, Any]) -> int | None:
    """OpenRouter and llama.cpp put the HTTP status into `error.code`."""
    for key in ("code", "status"):
        value = str(fields.get(key, ""))
        if value.isascii() and value.isdigit() and 400 <= int(value) < 600:
            return int(value)
    return None


def _code(status: int | None, fields: Mapping[str, Any], text: str) -> str:
    words = [WORD_CODES[word] for word in _words(fields)]
    if "context_overflow" in words:
        return "context_overflow"
    if status in OVERFLOW_STATUSES and OVERFLOW_TEXT.search(text):
        return "context_overflow"
    if status == 400 and NO_CREDIT_TEXT.search(text):
        return "auth"
    if status in STATUS_CODES and words[:1] != ["auth"]:
        return STATUS_CODES[status]
    if status is None or status < 500:
        specific = [code for code in words if code != "bad_request"]
        fallback = "not_found" if status is not None and status < 400 else "bad_request"
        return (specific or [fallback])[0]
    return "unavailable"


def _message(code: str, status: int | None, fields: Mapping[str, Any]) -> str:
    if code == "auth" and (status in (400, 402) or "insufficient_quota" in _words(fields)):
        return NO_CREDIT
    if code == "auth" and status == 403:
        return FORBIDDEN
    return MESSAGES[code]
