"""A call that failed is made again when that can help, and the person never sees text twice."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import stamina

from config.models import ModelSettings
from gateway.llm.errors import RETRYABLE, ModelError
from gateway.llm.provider import Provider
from gateway.llm.providers import make_provider
from gateway.llm.retry import decide_retry
from tests.fakes.model_server import ModelServer

REQUEST: dict[str, Any] = {"messages": [{"role": "user", "content": "Hi"}]}
BUSY: dict[str, Any] = {"status": 503, "body": {"error": {"message": "busy"}}}


@pytest.fixture
async def retrying(settings_for: Callable[..., ModelSettings]) -> AsyncIterator[Provider]:
    provider = make_provider(settings_for(tries=3, max_retry_after_s=60))
    yield provider
    await provider.close()


@pytest.mark.parametrize(
    "reply",
    [
        BUSY,
        {"status": 429, "headers": {"Retry-After": "60"}, "body": {"error": {}}},
        {"body": b""},
        {"body": "<html>"},
        {"text": "Hello, you", "cut_after": 1},
    ],
)
async def test_what_may_work_the_next_time_is_tried_three_times(
    server: ModelServer, retrying: Provider, reply: dict[str, Any]
) -> None:
    for _ in range(2):
        server.enqueue(**reply)
    server.enqueue(text="At last")
    completion = await retrying.complete(REQUEST, lambda _: None)
    assert completion["choices"][0]["message"]["content"] == "At last"
    assert len(server.requests) == 3


async def test_the_last_failure_is_told(server: ModelServer, retrying: Provider) -> None:
    for _ in range(2):
        server.enqueue(**BUSY)
    server.enqueue(body=b"")
    with pytest.raises(ModelError) as caught:
        await retrying.complete(REQUEST, lambda _: None)
    assert caught.value.code == "bad_response"
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413])
async def test_what_can_only_fail_again_is_tried_once(
    server: ModelServer, retrying: Provider, status: int
) -> None:
    server.enqueue(status=status, body={"error": {"message": "no"}})
    with pytest.raises(ModelError) as caught:
        await retrying.complete(REQUEST, lambda _: None)
    assert caught.value.status == status
    assert len(server.requests) == 1


async def test_a_server_that_wants_too_long_a_wait_is_not_waited_for(
    server: ModelServer, retrying: Provider
) -> None:
    server.enqueue(status=429, headers={"Retry-After": "61"}, body={"error": {}})
    with pytest.raises(ModelError) as caught:
        await retrying.complete(REQUEST, lambda _: None)
    assert (caught.value.code, caught.value.retry_after_s) == ("rate_limited", 61)
    assert len(server.requests) == 1


async def test_half_an_answer_is_taken_back_before_the_whole_is_shown(
    server: ModelServer, retrying: Provider
) -> None:
    pieces: list[str | None] = []
    server.enqueue(text="Half of an answer", cut_after=3)
    server.enqueue(**BUSY)
    server.enqueue(text="The whole")
    await retrying.complete(REQUEST, pieces.append)
    taken_back = pieces.index(None)
    assert "".join(str(piece) for piece in pieces[:taken_back]) == "Half of an ans"
    assert "".join(str(piece) for piece in pieces[taken_back + 1 :]) == "The whole"
    assert pieces.count(None) == 1


async def test_nothing_is_taken_back_where_nothing_was_shown(
    server: ModelServer, retrying: Provider
) -> None:
    pieces: list[str | None] = []
    server.enqueue(**BUSY)
    server.enqueue(text="Hi")
    await retrying.complete(REQUEST, pieces.append)
    assert pieces == ["Hi"]


async def test_cancelling_while_waiting_for_the_next_try_ends_the_call(
    server: ModelServer, retrying: Provider
) -> None:
    stamina.set_testing(False)  # really wait
    failed = server.enqueue(status=429, headers={"Retry-After": "59"}, body={"error": {}})
    call = asyncio.create_task(retrying.complete(REQUEST, lambda _: None))
    await failed.started.wait()
    _, waiting = await asyncio.wait([call], timeout=0.2)
    assert waiting == {call}
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert len(server.requests) == 1


@pytest.mark.parametrize("code", sorted(RETRYABLE))
def test_without_a_word_from_the_server_the_wait_is_a_back_off(code: str) -> None:
    assert decide_retry(ModelError(code, "x"), 60) is True


@pytest.mark.parametrize(("wait_s", "decision"), [(0.0, 0.0), (60.0, 60.0), (60.1, False)])
def test_the_servers_wait_is_kept_up_to_the_cap(wait_s: float, decision: bool | float) -> None:
    assert decide_retry(ModelError("unavailable", "x", retry_after_s=wait_s), 60) == decision


@pytest.mark.parametrize(
    "error",
    [ModelError("auth", "x"), ModelError("rate_limited", "x", retryable=False), ValueError("bug")],
)
def test_other_failures_go_up_at_once(error: Exception) -> None:
    assert decide_retry(error, 60) is False
