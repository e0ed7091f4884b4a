"""The server itself, and what a test does with it.

async with FakeTelegram() as fake:
    ada = fake.people.person("Ada")
    fake.people.say(ada, "hello")
    reply = await fake.wait_for(lambda: fake.replies(ada))
"""

import asyncio
import contextlib
import json
import traceback
import warnings
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from aiohttp import web

from tests.fakes.telegram import parameters, texts
from tests.fakes.telegram.errors import ApiError, bad_request
from tests.fakes.telegram.faults import Fault
from tests.fakes.telegram.files import Files
from tests.fakes.telegram.flood import FloodControl, FloodLimits
from tests.fakes.telegram.methods import METHODS
from tests.fakes.telegram.people import People
from tests.fakes.telegram.updates import Changes, UpdateQueue
from tests.fakes.telegram.uploads import LARGEST_UPLOAD_BYTES
from tests.fakes.telegram.webhook import Webhook
from tests.fakes.telegram.world import Chat, Json, Message, Person, World

TOKEN = "123456789:AAE-this-token-is-known-to-the-fake-only"
_BOT = Person(123456789, "Hermes", "hermes_test_bot", is_bot=True)


@dataclass(frozen=True, slots=True)
class Call:
    """A call that was made; `outcome` is ok, the error's description, or a fault's name."""

    method: str
    arguments: Json
    outcome: str


class FakeTelegram:
    """A Bot API server on a loopback port, for one bot."""

    def __init__(
        self,
        *,
        token: str = TOKEN,
        flood: FloodLimits | None = None,
        port: int = 0,
        local_folder: Path | None = None,
    ) -> None:
        """With `local_folder`, files are given out as by a server that runs with `--local`."""
        self.token = token
        self.world = World(_BOT)
        self.calls: list[Call] = []
        self.changes = Changes()
        self.updates = UpdateQueue(self.changes)
        self.people = People(self.world, self.updates)
        self.files = Files(local_folder)
        self.is_local = local_folder is not None
        self.webhook = Webhook(self.updates, self.changes)
        self.flood = FloodControl(flood or FloodLimits())
        self._faults: dict[str, deque[Fault]] = defaultdict(deque)
        self._port = port
        self.app = web.Application(client_max_size=2 * LARGEST_UPLOAD_BYTES)
        self.app.router.add_route("*", "/bot{token}/{method}", self._handle)
        self.app.router.add_get("/file/bot{token}/{path:.+}", self._file)
        self._runner = web.AppRunner(self.app, access_log=None, shutdown_timeout=1)

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.webhook.close()
        self.updates.is_closed = True
        self.changes.notify()
        await self._runner.cleanup()

    @property
    def base_url(self) -> str:
        """What a client puts before the token."""
        return f"http://127.0.0.1:{self._port}/bot"

    @property
    def base_file_url(self) -> str:
        """What a client puts before the token to fetch files."""
        return f"http://127.0.0.1:{self._port}/file/bot"

    # What a test asks

    def messages(self, place: Chat | Person) -> list[Message]:
        """A chat as one sees it now: what was deleted is not there."""
        chat = self.world.chats[place.id]
        return [message for message in chat.messages if not message.is_deleted]

    def replies(self, place: Chat | Person) -> list[Message]:
        """Those of a chat's messages that the bot wrote."""
        return [one for one in self.messages(place) if one.sender == self.world.bot]

    def notified(self, place: Chat | Person) -> list[str]:
        """The names in the bot's messages in a chat whose owners were told of them."""
        return [
            name
            for message in self.replies(place)
            for name in texts.mentioned(message.text, message.entities)
        ]

    def calls_of(self, method: str) -> list[Call]:
        """All calls of a method so far."""
        return [call for call in self.calls if call.method == method]

    def fail(self, method: str, fault: Fault, times: int = 1) -> None:
        """Let the next calls of this method fail."""
        self._faults[method.lower()].extend([fault] * times)

    async def wait_for(self, condition: Callable[[], Any], timeout_s: float = 30) -> Any:
        """Wait until this gives something true, looking after every change; returns that."""
        try:
            async with asyncio.timeout(timeout_s):
                return await self.changes.until(condition)
        except TimeoutError:
            raise AssertionError(f"did not come about:\n{self.describe()}") from None

    def describe(self) -> str:
        """The conversation and the calls, for a failure's text."""
        calls = [f"{call.method}: {call.outcome}" for call in self.calls[-20:]]
        return "\n".join([self.world.transcript(), "=== last calls", *calls])

    # What the client asks

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["method"]
        arguments: Json = {}
        faults = self._faults[name.lower()]
        fault = faults.popleft() if faults else None
        try:
            if request.match_info["token"] != self.token:
                raise ApiError(401, "Unauthorized")
            if name.lower() not in METHODS:
                raise ApiError(404, "Not Found")
            arguments = await _arguments(request)
            self.world.violations += parameters.unknown(name, arguments)
            if fault is not None and not fault.is_done:
                return await self._fail(request, name, arguments, fault)
            result = await METHODS[name.lower()](self, arguments)
        except ApiError as error:
            return self._refuse(name, arguments, error)
        if fault is not None:
            return await self._fail(request, name, arguments, fault)
        self._note(name, arguments, "ok")
        return web.json_response({"ok": True, "result": result})

    async def _file(self, request: web.Request) -> web.StreamResponse:
        """A file, under the name `file` for `fail`; `lost_answer` breaks off in its middle."""
        path = request.match_info["path"]
        fault = self._faults["file"].popleft() if self._faults["file"] else None
        file = self.files.at(path)
        try:
            if fault is not None and not fault.is_done:
                return await self._fail(request, "file", {"path": path}, fault)
            if request.match_info["token"] != self.token or file is None or self.is_local:
                raise ApiError(404, "Not Found")
        except ApiError as error:
            return self._refuse("file", {"path": path}, error)
        response = web.StreamResponse(headers={"Content-Length": str(len(file.content))})
        await response.prepare(request)
        await response.write(file.content[: len(file.content) // (2 if fault else 1)])
        self._note("file", {"path": path}, fault.name if fault else "ok")
        if fault is not None and request.transport is not None:
            request.transport.close()
        return response

    def _refuse(self, name: str, arguments: Json, error: ApiError) -> web.Response:
        self._note(name, arguments, error.description)
        return web.json_response(error.body(), status=error.code)

    async def _fail(
        self, request: web.Request, name: str, arguments: Json, fault: Fault
    ) -> web.StreamResponse:
        if fault.error is not None:
            return self._refuse(name, arguments, fault.error)
        self._note(name, arguments, fault.name)
        if fault.drips:
            await self._drip(request)
        if fault.hangs:
            await self.changes.until(lambda: self.updates.is_closed or request.transport is None)
        if fault.body is not None:
            return web.Response(body=fault.body, status=fault.status)
        if request.transport is not None:
            request.transport.close()
        return web.Response()

    async def _drip(self, request: web.Request) -> None:
        response = web.StreamResponse()
        await response.prepare(request)
        with contextlib.suppress(ConnectionError):  # the client has given up
            while not self.updates.is_closed:
                await response.write(b" ")
                await asyncio.sleep(0.05)

    def _note(self, name: str, arguments: Json, outcome: str) -> None:
        self.calls.append(Call(name, arguments, outcome))
        self.changes.notify()


async def _arguments(request: web.Request) -> Json:
    """Query string, form or JSON; objects and lists within a form come as JSON texts."""
    arguments: Json = dict(request.query)
    if request.content_type == "application/json":
        arguments |= await request.json()
    elif request.can_read_body:
        arguments |= await _form(request)
    return {name: _value(name, value) for name, value in arguments.items()}


async def _form(request: web.Request) -> Json:
    try:
        return dict(await request.post())
    except ConnectionError as error:
        # aiohttp leaves the file of an upload that is cut off open. Closed in whatever test comes
        # next, it would fail that.
        with warnings.catch_warnings(action="ignore", category=ResourceWarning):
            traceback.clear_frames(error.__traceback__)
        raise


_JSON_ARGUMENTS = {
    "entities",
    "caption_entities",
    "reaction",
    "scope",
    "reply_parameters",
    "reply_markup",
    "allowed_updates",
    "commands",
    "media",
    "link_preview_options",
    "drop_pending_updates",
}


def _value(name: str, value: Any) -> Any:
    if name not in _JSON_ARGUMENTS or not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise bad_request(f"can't parse {name.replace('_', ' ')} JSON object") from None
