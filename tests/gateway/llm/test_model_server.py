"""The fake model server refuses what the real API refuses, and runs as a program of its own."""

import asyncio
import contextlib
import sys
from typing import Any

import httpx
import pytest

from config.models import ModelSettings
from gateway.llm.providers import make_provider
from tests.fakes.model_server import KEY, ModelServer, find_problem

USER = {"role": "user", "content": "Hi"}
CALLS = {"role": "assistant", "content": None, "tool_calls": [{"id": "a"}, {"id": "b"}]}
A, B = ({"role": "tool", "tool_call_id": name, "content": ""} for name in "ab")


@pytest.mark.parametrize(
    ("fields", "is_taken"),
    [
        ({"messages": [USER]}, True),
        ({"messages": [USER, CALLS, B, A, USER]}, True),
        ({"messages": [USER, CALLS, A]}, False),
        ({"messages": [USER, CALLS, A, USER, B]}, False),
        ({"messages": [USER, A]}, False),
        ({"messages": [{"role": "robot", "content": "x"}]}, False),
        ({"messages": [{"role": "assistant", "content": None}]}, False),
        ({"messages": []}, False),
        ({"messages": [USER], "model": ""}, False),
        ({"messages": [USER], "tools": []}, False),
        ({"messages": [USER], "stream_options": {}}, False),
        ({"messages": [USER], "stream_options": {}, "stream": True}, True),
    ],
)
def test_it_takes_only_what_the_api_takes(fields: dict[str, Any], is_taken: bool) -> None:
    assert (find_problem({"model": "m", **fields}) is None) == is_taken


async def test_it_refuses_a_wrong_key_and_says_when_nothing_was_enqueued(
    server: ModelServer,
) -> None:
    body = {"model": "m", "messages": [USER]}
    async with httpx.AsyncClient(base_url=server.base_url) as client:
        wrong = {"Authorization": "Bearer sk-wrong"}
        right = {"Authorization": f"Bearer {KEY}"}
        assert (await client.post("/chat/completions", json=body, headers=wrong)).status_code == 401
        answer = await client.post("/chat/completions", json=body, headers=right)
    assert answer.status_code == 400
    assert "did not enqueue" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("mode", "expected"), [("echo", "You said: help"), ("demo", "Here is what can be tried")]
)
async def test_it_runs_as_a_program(mode: str, expected: str) -> None:
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.fakes.model_server", "--mode", mode, "--api-key", KEY),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert program.stdout is not None
        base_url = (await program.stdout.readline()).decode().strip()
        provider = make_provider(
            ModelSettings.model_validate(
                {"provider": "openai", "base_url": base_url, "api_key": KEY}
            )
        )
        request = {"messages": [{"role": "user", "content": "help"}]}
        completion = await provider.complete(request, lambda _: None)
        await provider.close()
        assert expected in completion["choices"][0]["message"]["content"]
    finally:
        with contextlib.suppress(ProcessLookupError):
            program.terminate()
        await program.wait()
