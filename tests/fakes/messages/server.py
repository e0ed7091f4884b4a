"""The server: what it was asked, and what it answers."""

import asyncio
import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from aiohttp import web

from tests.fakes.messages.answers import USAGE, encode, events, make_message
from tests.fakes.messages.rules import find_problem

Json = dict[str, Any]
Ending = Literal["end", "cut", "hang"]

KEY = "sk-ant-test-0123456789abcdef"
ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


@dataclass(frozen=True, slots=True)
class Script:
    """One answer that was enqueued."""

    message: Json | None = None
    raw: tuple[bytes, ...] = ()
    status: int = 200
    body: Json | None = None
    headers: tuple[tuple[str, str], ...] = ()
    cut_after: int | None = None
    ending: Ending = "end"


class MessagesServer:
    """The server. With `echoes` it answers by itself when nothing is enqueued."""

    def __init__(
        self, *, api_key: str | None = KEY, max_tokens: int = 64_000, echoes: bool = False
    ) -> None:
        self.requests: list[Json] = []
        self.headers: list[dict[str, str]] = []
        self.base_url = ""
        self._api_key = api_key
        self._max_tokens = max_tokens
        self._echoes = echoes
        self._scripts: deque[Script] = deque()
        self._runner: web.AppRunner | None = None

    async def start(self, port: int = 0) -> None:
        """Listen on 127.0.0.1; port 0 is any free one. Sets `base_url`."""
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/messages", self._answer)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port).start()
        self.base_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        """Close all connections."""
        if self._runner is not None:
            await self._runner.cleanup()

    def enqueue(
        self,
        text: str | None = None,
        *,
        tool_calls: Sequence[tuple[str, Json]] = (),
        thinking: str | None = None,
        redacted: str | None = None,
        stop_reason: str | None = None,
        usage: Json = USAGE,
        cut_after: int | None = None,
        ending: Ending = "end",
    ) -> None:
        """Add an answer; after `cut_after` events the connection breaks."""
        message = make_message(
            text,
            tool_calls,
            thinking=thinking,
            redacted=redacted,
            stop_reason=stop_reason,
            usage=usage,
            number=len(self.requests) + len(self._scripts) + 1,
        )
        self._scripts.append(Script(message, cut_after=cut_after, ending=ending))

    def enqueue_raw(self, *pieces: bytes | Json) -> None:
        """Add a stream of exactly these bytes and events."""
        raw = tuple(p if isinstance(p, bytes) else encode(p) for p in pieces)
        self._scripts.append(Script(raw=raw))

    def refuse(
        self,
        status: int,
        message: str = "No.",
        *,
        kind: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        """Add an error."""
        body = error(kind or ERROR_TYPES[status], message)
        self._scripts.append(
            Script(status=status, body=body, headers=tuple((headers or {}).items()))
        )

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        try:
            body = await request.json()
        except ValueError:
            return _refusal(400, "The request body is not valid JSON")
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.requests.append(body)
        self.headers.append(headers)
        if "anthropic-version" not in headers:
            return _refusal(400, "anthropic-version: header is required")
        if self._api_key and headers.get("x-api-key") != self._api_key:
            return _refusal(401, "invalid x-api-key")
        if problem := find_problem(body):
            return _refusal(400, problem)
        if body["max_tokens"] > self._max_tokens:
            return _refusal(
                400,
                f"max_tokens: {body['max_tokens']} > {self._max_tokens}, which is the maximum "
                f"allowed number of output tokens for {body['model']}",
            )
        return await self._perform(self._next(body), request, body)

    def _next(self, body: Json) -> Script:
        if self._scripts:
            return self._scripts.popleft()
        if self._echoes:
            said = json.dumps(body["messages"][-1]["content"], ensure_ascii=False)
            return Script(make_message(f"You said: {said}", number=len(self.requests)))
        problem = error("invalid_request_error", "The test did not enqueue an answer.")
        return Script(status=400, body=problem)

    async def _perform(
        self, script: Script, request: web.Request, body: Json
    ) -> web.StreamResponse:
        headers = dict(script.headers)
        if script.body is not None:
            return web.json_response(script.body, status=script.status, headers=headers)
        if script.message is not None and not body.get("stream"):
            return web.json_response(script.message)
        pieces = script.raw or tuple(map(encode, events(script.message or {})))
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **headers})
        await response.prepare(request)
        for piece in pieces[: script.cut_after]:
            await response.write(piece)
        if script.ending == "hang":
            await asyncio.Event().wait()
        if script.cut_after is not None and request.transport is not None:
            request.transport.abort()
        else:
            await response.write_eof()
        return response


def error(kind: str, message: str) -> Json:
    """An error as the API writes it."""
    return {
        "type": "error",
        "error": {"type": kind, "message": message},
        "request_id": "req_1",
    }


def _refusal(status: int, message: str) -> web.Response:
    return web.json_response(error(ERROR_TYPES[status], message), status=status)
