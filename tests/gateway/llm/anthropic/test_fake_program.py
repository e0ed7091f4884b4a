"""The fake Messages API as a program of its own, for trials by hand."""

import sys
from asyncio import create_subprocess_exec
from asyncio.subprocess import PIPE
from collections.abc import Callable

from gateway.llm.anthropic import AnthropicProvider
from tests.fakes.messages import KEY, USAGE


async def test_the_fake_runs_as_a_program(claude: Callable[..., AnthropicProvider]) -> None:
    program = await create_subprocess_exec(
        sys.executable, "-m", "tests.fakes.messages", "--api-key", KEY, stdout=PIPE
    )
    assert program.stdout is not None
    try:
        base_url = (await program.stdout.readline()).decode().strip()
        request = {"model": "fake-model", "messages": [{"role": "user", "content": "Hi"}]}
        completion = await claude(base_url=base_url).complete(request, lambda _: None)
    finally:
        program.terminate()
        await program.wait()
    assert "You said" in completion["choices"][0]["message"]["content"]
    assert completion["usage"]["completion_tokens"] == USAGE["output_tokens"]
