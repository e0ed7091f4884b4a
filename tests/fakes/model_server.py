"""A model server: the part of OpenAI's chat-completions API that the gateway uses, over real HTTP.

It speaks `POST /v1/chat/completions`, streamed (server-sent events) and plain, and refuses what
the real API refuses: no key or a wrong one, no model, no messages, a tool call without its result,
`tools: []`, `stream_options` without `stream`. It does not know any other endpoint.

In a test it answers what was enqueued, in order, and keeps every request:

    server.enqueue(text="Hello")
    server.enqueue(tool_calls=[("memory", {"action": "read", "target": "user"})])
    server.enqueue(status=429, headers={"Retry-After": "2"}, body={"error": {"message": "slow"}})
    server.enqueue(text="half of it", cut_after=2)      # the connection breaks after two chunks
    server.enqueue(raw=[b"data: {...}\\n\\n"], then="hang")
    drip = server.enqueue(text="slowly", gated=True)    # a chunk for each drip.release()

By hand, or for a process under test, it answers by itself:

    python -m tests.fakes.model_server --port 8081 --mode demo     # or: echo

and prints its base URL. `demo` answers by the rules of the gateway's demo provider, tools
included; `echo` says what was said last.
"""

import argparse
import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

from gateway.llm.demo import answer, completion

Json = dict[str, Any]
Ending = Literal["end", "cut", "hang"]

KEY = "sk-test-0123456789abcdef"  # for servers that want one
USAGE = {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17}
CHUNK_CHARS = 7


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came."""

    headers: dict[str, str]  # names in lower case
    body: Json
    query: str


@dataclass(slots=True)
class Script:
    """One answer that was enqueued. Its events tell a test how far it has come."""

    completion: Json | None
    pieces: list[bytes]
    status: int
    headers: dict[str, str]
    ending: Ending
    cut_after: int | None
    permits: asyncio.Semaphore | None
    started: asyncio.Event = field(default_factory=asyncio.Event)
    disconnected: asyncio.Event = field(default_factory=asyncio.Event)

    def release(self, chunks: int = 1) -> None:
        """Let so many more chunks of a gated answer go."""
        assert self.permits is not None, "the answer is not gated"
        for _ in range(chunks):
            self.permits.release()


class ModelServer:
    """The server. `responder` answers when nothing is enqueued."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        responder: Callable[[Json], Json] | None = None,
    ) -> None:
        self.requests: list[Received] = []
        self.connections = 0
        self.models = ["fake-model"]
        self._api_key = api_key
        self._responder = responder
        self._scripts: deque[Script] = deque()
        self._runner: web.AppRunner | None = None
        self._seen: set[object] = set()
        self.base_url = ""

    async def start(self, port: int = 0) -> None:
        """Listen on 127.0.0.1; port 0 is any free one. Sets `base_url`."""
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_get("/v1/models", self._list_models)
        # The handler is cancelled when the client goes away: that is how we notice.
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port).start()
        self.base_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"

    async def _list_models(self, _: web.Request) -> web.Response:
        models = [{"id": name, "object": "model"} for name in self.models]
        return web.json_response({"object": "list", "data": models})

    def answer_by(self, responder: Callable[[Json], Json]) -> None:
        """Let this answer when nothing is enqueued: for calls whose order nobody knows."""
        self._responder = responder

    async def stop(self) -> None:
        """Close all connections."""
        if self._runner is not None:
            await self._runner.cleanup()

    def enqueue(
        self,
        text: str | None = None,
        *,
        tool_calls: Sequence[tuple[str, Json]] = (),
        reasoning: str | None = None,
        finish_reason: str | None = None,
        usage: Json | None = USAGE,
        raw: Sequence[bytes | Json] | None = None,
        body: Json | str | bytes | None = None,
        status: int = 200,
        headers: dict[str, str] | None = None,
        then: Ending = "end",
        cut_after: int | None = None,
        gated: bool = False,
    ) -> Script:
        """Add an answer: of `text` and `tool_calls`, or exactly the chunks of `raw` (a dict is an
        event), or exactly `body`. Then the answer ends, or hangs, or the connection is cut."""
        made: Json | None = None
        pieces: list[bytes] = []
        kind = "text/event-stream"
        if body is not None:
            kind = "application/json" if isinstance(body, dict) else "text/html"
            pieces = [_bytes(body)]
        elif raw is not None:
            pieces = [piece if isinstance(piece, bytes) else event(piece) for piece in raw]
        elif status == 200:
            calls = [
                {
                    "id": f"call_{len(self.requests)}_{number}",
                    "type": "function",
                    "function": {"name": name, "arguments": json.dumps(arguments)},
                }
                for number, (name, arguments) in enumerate(tool_calls, 1)
            ]
            made = make_completion(text, calls, reasoning, finish_reason, usage)
        script = Script(
            completion=made,
            pieces=pieces,
            status=status,
            headers={"Content-Type": kind, **(headers or {})},
            ending=then if cut_after is None else "cut",
            cut_after=cut_after,
            permits=asyncio.Semaphore(0) if gated else None,
        )
        self._scripts.append(script)
        return script

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        try:
            body = await request.json()
        except ValueError:
            return _refusal(400, "We could not parse the JSON body of your request.")
        if request.transport not in self._seen:
            self._seen.add(request.transport)
            self.connections += 1
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.requests.append(Received(headers, body, request.query_string))
        if self._api_key and headers.get("authorization") != f"Bearer {self._api_key}":
            return _refusal(401, "Incorrect API key provided.", "invalid_api_key")
        if problem := find_problem(body):
            return _refusal(400, problem)
        if self._scripts:
            script = self._scripts.popleft()
        elif self._responder:
            script = Script(self._responder(body), [], 200, {}, "end", None, None)
        else:
            return _refusal(400, "The test did not enqueue an answer for this request.")
        return await self._perform(script, request, body)

    async def _perform(
        self, script: Script, request: web.Request, body: Json
    ) -> web.StreamResponse:
        script.started.set()
        pieces = script.pieces
        if script.completion is not None:
            if body.get("stream"):
                has_usage = bool(body.get("stream_options", {}).get("include_usage"))
                script.headers["Content-Type"] = "text/event-stream"
                pieces = [event(chunk) for chunk in chunks(script.completion, has_usage)]
                pieces.append(b"data: [DONE]\n\n")
            else:
                script.headers["Content-Type"] = "application/json"
                pieces = [_bytes(script.completion)]
        response = web.StreamResponse(status=script.status, headers=script.headers)
        try:
            await response.prepare(request)
            for piece in pieces[: script.cut_after]:
                if script.permits is not None:
                    await script.permits.acquire()
                await response.write(piece)
            if script.ending == "hang":
                await asyncio.Event().wait()
            if script.ending == "cut" and request.transport is not None:
                request.transport.abort()
            else:
                await response.write_eof()
        except (asyncio.CancelledError, ConnectionResetError):
            script.disconnected.set()
            raise
        return response


def make_completion(
    text: str | None,
    tool_calls: Sequence[Json] = (),
    reasoning: str | None = None,
    finish_reason: str | None = None,
    usage: Json | None = USAGE,
) -> Json:
    """A chat completion as the API makes it."""
    message: Json = {"role": "assistant", "content": text}
    if reasoning is not None:
        message["reasoning_content"] = reasoning
    if tool_calls:
        message["tool_calls"] = list(tool_calls)
    reason = finish_reason or ("tool_calls" if tool_calls else "stop")
    made: Json = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "fake-model",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    }
    return made if usage is None else {**made, "usage": usage}


def chunks(whole: Json, has_usage: bool) -> Iterator[Json]:
    """A completion as the chunks of a stream: role, pieces, finish reason, usage."""
    head: Json = {key: whole[key] for key in ("id", "created", "model") if key in whole}
    head["object"] = "chat.completion.chunk"
    choice = whole["choices"][0]
    message = choice["message"]

    def chunk(delta: Json, finish_reason: str | None = None) -> Json:
        return {
            **head,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
        }

    yield chunk({"role": "assistant", "content": ""})
    for name in ("reasoning_content", "content"):
        for piece in cut(message.get(name) or ""):
            yield chunk({name: piece})
    for index, call in enumerate(message.get("tool_calls") or ()):
        function = {"name": call["function"]["name"], "arguments": ""}
        yield chunk({"tool_calls": [{**call, "index": index, "function": function}]})
        for piece in cut(call["function"]["arguments"]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, choice["finish_reason"])
    if has_usage and "usage" in whole:
        yield {**head, "choices": [], "usage": whole["usage"]}


def cut(text: str, size: int = CHUNK_CHARS) -> list[str]:
    """A text in pieces."""
    return [text[i : i + size] for i in range(0, len(text), size)]


def event(data: Json) -> bytes:
    """A server-sent event."""
    return b"data: " + _bytes(data) + b"\n\n"


def find_problem(body: Json) -> str | None:
    """What the real API would refuse a request for, in its sense; None if it is well-formed."""
    model, messages = body.get("model"), body.get("messages")
    problems = {
        "you must provide a model parameter": not isinstance(model, str) or not model,
        "[] is too short - 'messages'": not isinstance(messages, list) or not messages,
        "[] is too short - 'tools'": body.get("tools") == [],
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.": (
            "stream_options" in body and not body.get("stream")
        ),
    }
    found = next((text for text, is_so in problems.items() if is_so), None)
    return found or find_message_problem(messages or [])


def find_message_problem(messages: Sequence[Json]) -> str | None:
    """What is wrong with the order or the content of messages."""
    open_calls: list[str] = []
    problem = None
    for message in messages:
        role = message.get("role")
        if role == "tool":
            if message.get("tool_call_id") not in open_calls:
                return "messages with role 'tool' must follow a message with 'tool_calls'"
            open_calls.remove(message["tool_call_id"])
        elif open_calls:
            break
        elif role not in ("system", "developer", "user", "assistant"):
            problem = f"Invalid value: {role!r}"
        elif message.get("content") is None and not message.get("tool_calls"):
            problem = "Invalid value for 'content': expected a string, got null."
        open_calls += [call["id"] for call in message.get("tool_calls") or ()]
    if open_calls:
        return f"tool_call_ids did not have response messages: {', '.join(open_calls)}"
    return problem


def echo(body: Json) -> Json:
    """A completion that says what was said last."""
    content = body["messages"][-1].get("content")
    return make_completion(f"You said: {content}")


def demo(body: Json) -> Json:
    """A completion by the rules of the demo provider."""
    return completion(body, answer(body))


def _refusal(status: int, message: str, code: str | None = None) -> web.Response:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return web.json_response({"error": error}, status=status)


def _bytes(value: Json | str | bytes) -> bytes:
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).encode()


async def _serve(port: int, responder: Callable[[Json], Json], api_key: str | None) -> None:
    server = ModelServer(api_key=api_key, responder=responder)
    await server.start(port)
    print(server.base_url, flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        await server.stop()


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--port", type=int, default=0, help="0 is any free port")
    parser.add_argument("--mode", choices=("demo", "echo"), default="demo")
    parser.add_argument("--api-key", help="refuse requests without this key")
    options = parser.parse_args()
    responder = {"demo": demo, "echo": echo}[options.mode]
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(options.port, responder, options.api_key))


if __name__ == "__main__":
    main()
