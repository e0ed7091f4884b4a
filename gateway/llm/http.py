"""One call to a model server over HTTP, whatever API it speaks. Tolerant of what comes back.

An API is a `Dialect`: how a request is written, how an answer is put together. What a failure means
is decided in `failures.py`; trying again is `retry.py`'s business. The key is in a header of the
request as it leaves, and nowhere else.
"""

import asyncio
import json
from collections.abc import Callable, Collection, Generator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

import httpx
import structlog
from httpx_sse import ServerSentEvent
from pydantic import SecretStr

from config.models import ModelSettings
from gateway.llm import failures, sse
from gateway.llm.errors import ModelError
from gateway.llm.failures import CUT, EMPTY
from gateway.llm.provider import ChatCompletion, ChatRequest, TextSink

Body = dict[str, Any]

MAX_ERROR_BYTES = 64 * 1024
FINISH_GRACE_S = 5.0  # for the usage, and the mark of the end, once the model has said why it ends
DONE_GRACE_S = 0.2  # for the end of the body: only then the connection can be used again
MAX_CONNECTIONS = 1_000  # as many calls at once; idle ones are closed beyond 20
NO_KEY = "The model server asks for an API key, and none is set."
WEB_PAGE = "The model server's address answered with a web page."
UNREADABLE = "The model server's answer can't be read."
TOO_LONG = "The model server's answer does not end."

UNAVAILABLE = failures.MESSAGES["unavailable"]

# What fails below HTTP; anything else was a connection that broke.
TRANSPORT_ERRORS: tuple[tuple[type[httpx.HTTPError], str, str], ...] = (
    (httpx.TimeoutException, "timeout", failures.MESSAGES["timeout"]),
    (httpx.ConnectError, "unavailable", "The model server can't be reached."),
    (httpx.DecodingError, "bad_response", UNREADABLE),
)

log = structlog.get_logger(__name__)


class Assembling(Protocol):
    """One answer being received: the objects of a stream, or one whole answer, in."""

    @property
    def is_begun(self) -> bool:
        """Something of an answer has come."""

    @property
    def is_finished(self) -> bool:
        """The model said why it stopped, or the server that this is all."""

    @property
    def is_done(self) -> bool:
        """The server said that this is all."""

    def feed(self, chunk: dict[str, Any]) -> str:
        """Take an object; returns the text that it adds for the person. Raises `ModelError`."""

    def mark_done(self) -> None:
        """The server said that this is all: by `[DONE]`, or because it was no stream."""

    def finish(self) -> tuple[str, ChatCompletion]:
        """The text that was still held back, and the whole. Raises `ModelError` if cut or empty."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What one API does its own way. `to_body` gets the settings and the quirks that are known."""

    to_body: Callable[[ChatRequest, ModelSettings, Collection[str]], Body]
    find_quirk: Callable[[str, Body], str | None]
    new_assembler: Callable[[Body, str], Assembling]  # the body of the call, the key


class KeyAuth(httpx.Auth):
    """Puts the key into a header at the last moment, so that it stands in no variable."""

    def __init__(self, key: SecretStr, header: str, prefix: str = "") -> None:
        self._key = key
        self._header = header
        self._prefix = prefix

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """httpx's hook."""
        request.headers[self._header] = self._prefix + self._key.get_secret_value()
        yield request


class HttpProvider:
    """A `Provider` over HTTP; safe for any number of calls at once."""

    def __init__(
        self,
        settings: ModelSettings,
        dialect: Dialect,
        *,
        name: str,
        url: httpx.URL,
        auth: KeyAuth | None,
        headers: dict[str, str] | None = None,
        finish_grace_s: float = FINISH_GRACE_S,
    ) -> None:
        self.name = name
        self._settings = settings
        self._dialect = dialect
        self._url = url
        self._key = settings.api_key  # the settings take only keys that fit a header
        self._quirks: set[str] = set()  # what this server has refused before
        self._finish_grace_s = finish_grace_s
        self._client = httpx.AsyncClient(
            auth=auth,
            headers=headers,
            timeout=httpx.Timeout(
                connect=settings.connect_timeout_s,
                read=settings.idle_timeout_s,
                write=settings.idle_timeout_s,
                pool=None,
            ),
            limits=httpx.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=20),
        )

    async def complete(self, request: ChatRequest, on_text: TextSink) -> ChatCompletion:
        """Make one call; what a server is known to refuse is left out of it."""
        while True:
            body = self._dialect.to_body(request, self._settings, self._quirks)
            try:
                answer = await self._call(body, on_text)
            except ModelError as error:
                log.warning(
                    "a try of a model call failed",
                    model=body["model"],
                    code=error.code,
                    status=error.status,
                    detail=error.detail,
                )
                raise
            if isinstance(answer, dict):
                return answer
            self._quirks.add(answer)
            log.info("a model server's quirk", quirk=answer)

    async def close(self) -> None:
        """Close connections."""
        await self._client.aclose()

    async def _call(self, body: Body, on_text: TextSink) -> ChatCompletion | str:
        """The completion, or the name of the quirk because of which there is none."""
        assembler = self._dialect.new_assembler(body, self._secret)
        try:
            async with self._client.stream("POST", self._url, json=body) as response:
                if response.is_success:
                    return await self._read(response, assembler, on_text)
                return await self._refusal(response, body)
        except httpx.HTTPError as error:
            if assembler.is_finished:
                return _end(assembler, on_text)
            raise self._transport_error(error, is_begun=assembler.is_begun) from error
        except sse.BodyTooLong as error:
            raise failures.unusable(TOO_LONG) from error

    async def _read(
        self, response: httpx.Response, assembler: Assembling, on_text: TextSink
    ) -> ChatCompletion:
        """Take the answer for what its first byte says it is; the headers are often wrong."""
        body = sse.Body(response)
        match await body.first_byte():
            case b"":
                raise failures.unusable(EMPTY, f"HTTP {response.status_code}, no body")
            case b"<":
                raise failures.unusable(WEB_PAGE, await body.read(), self._secret)
            case b"{" | b"[":
                _show(assembler.feed(self._parsed(await body.read())), on_text)
                assembler.mark_done()
            case _:
                await self._receive(body, assembler, on_text)
        return _end(assembler, on_text)

    async def _receive(self, body: sse.Body, assembler: Assembling, on_text: TextSink) -> None:
        """Feed the events of a stream to the assembler, until nothing more is to be expected."""
        now = asyncio.get_running_loop().time
        events = sse.events(body)
        is_ending = False
        try:
            async with asyncio.timeout(None) as patience:
                async for event in events:
                    data = event.data.strip()
                    if data == "[DONE]":
                        assembler.mark_done()
                    elif data:
                        _show(assembler.feed(self._chunk(event, data)), on_text)
                    if assembler.is_done and not is_ending:
                        is_ending = True
                        patience.reschedule(now() + DONE_GRACE_S)
                    elif assembler.is_finished and patience.when() is None:
                        # Some servers neither say [DONE] nor close the connection.
                        patience.reschedule(now() + self._finish_grace_s)
        except TimeoutError:
            if not patience.expired():
                raise
        finally:
            await events.aclose()

    def _chunk(self, event: ServerSentEvent, data: str) -> dict[str, Any]:
        chunk = self._parsed(data)
        return {"error": chunk} if event.event == "error" and "error" not in chunk else chunk

    def _parsed(self, text: str) -> dict[str, Any]:
        try:
            value = json.loads(text)
        except ValueError as error:
            raise failures.unusable(UNREADABLE, text, self._secret) from error
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if not isinstance(value, dict):
            raise failures.unusable(UNREADABLE, text, self._secret)
        return value

    async def _refusal(self, response: httpx.Response, body: Body) -> str:
        """The quirk that a refusal tells about; any other refusal is raised."""
        text = await _bounded_text(response)
        error = failures.status_error(
            response.status_code, response.headers, text, datetime.now(UTC), self._secret
        )
        if error.code == "bad_request":
            quirk = self._dialect.find_quirk(text, body)
            if quirk is not None and quirk not in self._quirks:
                return quirk
        if error.status == 401 and not self._key:
            raise ModelError("auth", NO_KEY, status=401, detail=error.detail)
        raise error

    def _transport_error(self, error: httpx.HTTPError, *, is_begun: bool) -> ModelError:
        otherwise = ("bad_response", CUT) if is_begun else ("unavailable", UNAVAILABLE)
        code, message = next(
            (meaning for kind, *meaning in TRANSPORT_ERRORS if isinstance(error, kind)), otherwise
        )
        detail = failures.scrubbed(f"{type(error).__name__}: {error}", self._secret)
        return ModelError(code, message, detail=detail)

    @property
    def _secret(self) -> str:
        return self._key.get_secret_value() if self._key else ""


def address_below(base: httpx.URL, ending: str) -> httpx.URL:
    """Where calls go: below the base, which may also be the whole address, or have a query.

    `ending` is a path without a slash at its beginning: `chat/completions`.
    """
    path = base.path.rstrip("/")
    suffix = "" if path.endswith(f"/{ending}") else f"/{ending}"
    return base.copy_with(path=path + suffix)


def _end(assembler: Assembling, on_text: TextSink) -> ChatCompletion:
    text, completion = assembler.finish()
    _show(text, on_text)
    return completion


def _show(text: str, on_text: TextSink) -> None:
    if text:
        on_text(text)


async def _bounded_text(response: httpx.Response) -> str:
    """As much of an error's body as could be of use; what breaks off is used as it is."""
    text = b""
    try:
        async for chunk in response.aiter_bytes():
            text += chunk
            if len(text) >= MAX_ERROR_BYTES:
                break
    except httpx.HTTPError:
        text += b" (the body broke off)"
    return text[:MAX_ERROR_BYTES].decode("utf-8", "replace")
