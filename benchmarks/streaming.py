"""How long the gateway keeps a streamed text to itself: from its first byte to the platform.

The model is a server on a loopback port that streams as OpenAI does, asked by the real client. The
first text is not subject to the edit interval, so all the time that passes is ours.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from statistics import median, quantiles

import structlog
from aiohttp import web

from benchmarks.figure import Figure, figure
from benchmarks.hosted import hosted
from config.models import ModelSettings
from gateway.llm.providers import make_provider

_TURNS = 100
_MS = 1_000


def measure() -> list[Figure]:
    """The time from the first byte of an answer to the call that shows it."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    added_ms = asyncio.run(_added_ms())
    return [
        figure("first streamed text, added by us, median", median(added_ms), "ms", "<=", 15),
        figure("the slowest twentieth", quantiles(added_ms, n=20)[18], "ms"),
    ]


async def _added_ms() -> list[float]:
    first_byte_s: list[float] = []
    async with _model(first_byte_s) as base_url:
        model = ModelSettings.model_validate(
            {"provider": "openai", "name": "drip", "base_url": base_url, "api_key": "sk-none"}
        )
        async with hosted(model=model, make=make_provider) as gateway:
            for number in range(1, _TURNS + 1):
                await gateway.turn(str(number), "1")
                await gateway.idle(str(number))
            shown_s = [gateway.platform.first_sent_s[str(n)] for n in range(1, _TURNS + 1)]
    return [_MS * (shown - sent) for shown, sent in zip(shown_s, first_byte_s, strict=True)]


@asynccontextmanager
async def _model(first_byte_s: list[float]) -> AsyncIterator[str]:
    """A model server; notes when it has sent the first text of each answer."""

    async def answer(request: web.Request) -> web.StreamResponse:
        await request.read()
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        first_byte_s.append(time.perf_counter())
        await response.write(_chunk({"content": "This is how a longer answer begins: "}, None))
        await asyncio.sleep(0.05)  # the model goes on thinking
        await response.write(_chunk({"content": "and this is its end."}, None))
        await response.write(_chunk({}, "stop") + b"data: [DONE]\n\n")
        return response

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


def _chunk(delta: dict[str, str], reason: str | None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return f"data: {json.dumps({'id': '1', 'choices': [choice]})}\n\n".encode()
