"""The server itself, and what a test does with it.

async with FakeDiscord() as fake:
    ada = fake.person("Ada")
    await fake.say(ada, "hello")
    reply = await fake.wait_for(lambda: fake.replies(ada))
"""

import asyncio
import json
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Self, TypeVar

from aiohttp import BodyPartReader, web

from tests.fakes.discord import calls, interactions
from tests.fakes.discord.checks import Refused
from tests.fakes.discord.faults import Fault
from tests.fakes.discord.gateway import Gateway, Session, is_of
from tests.fakes.discord.interactions import Interaction, Interactions
from tests.fakes.discord.limits import RateLimits, Rates
from tests.fakes.discord.world import Channel, Guild, Json, Message, Person, new_id

TOKEN = "MTIzNDU2Nzg5.known-to-the-fake.only"
PATIENCE_S = 40.0
_INTENT_FLAG = 1 << 18  # the application may read messages

_T = TypeVar("_T")
Work = Callable[[], Awaitable[web.Response]]


class FakeDiscord:
    """A Discord for one bot."""

    def __init__(
        self, *, rates: Rates | None = None, heartbeat_s: float = 41.25, may_read: bool = True
    ) -> None:
        self.token = TOKEN
        self.bot = Person("Hermes", is_bot=True)
        self.application_id = self.bot.id
        self.may_read = may_read
        self.shards = 1
        self.guilds: list[Guild] = []
        self.people: dict[int, Person] = {self.bot.id: self.bot}
        self.channels: dict[int, Channel] = {}
        self.nonces: dict[tuple[int, Any], Message] = {}
        self.commands: dict[str, list[Json]] = {}
        self.files: dict[str, bytes] = {}
        self.interactions = Interactions()
        self.limits = RateLimits(rates or Rates((1000, 1.0), (1000, 1.0), (1000, 1.0), (5000, 1.0)))
        self.calls: list[tuple[str, str, int]] = []
        self.typings = 0
        self.gateway = Gateway(self.token, self._ready, self._changed, heartbeat_s)
        if not may_read:
            self.gateway.allowed_intents &= ~(1 << 15)
        self._changes = asyncio.Event()
        self._faults: dict[str, deque[Fault]] = defaultdict(deque)
        self._port = 0
        self.app = web.Application(client_max_size=64 << 20)
        self.app.router.add_get("/gateway/", self.gateway.serve)
        self.app.router.add_get("/files/{name}", self._file)
        self.app.router.add_route("*", "/api/v10/{path:.*}", self._api)
        self._runner = web.AppRunner(self.app, access_log=None, shutdown_timeout=1)

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.gateway.drop(1001)
        await self._runner.cleanup()

    @property
    def base_url(self) -> str:
        """Of the HTTP API."""
        return f"http://127.0.0.1:{self._port}/api/v10"

    @property
    def gateway_url(self) -> str:
        """Where the gateway is."""
        return f"ws://127.0.0.1:{self._port}/gateway/"

    # What a test arranges

    def person(self, name: str) -> Person:
        """Somebody with a direct chat."""
        made = Person(name)
        made.direct = self._channel(Channel(name, recipient=made))
        self.people[made.id] = made
        return made

    def guild(self, name: str, *channels: str) -> Guild:
        """A server with channels; the bot has to connect after this, to know it."""
        made = Guild(name, self.bot)
        made.channels = [self._channel(Channel(one, made)) for one in channels]
        self.guilds.append(made)
        return made

    def fail(self, kind: str, *faults: Fault) -> None:
        """What happens to the next calls of a kind (see `calls.CALLS`)."""
        self._faults[kind].extend(faults)

    # What people do

    async def say(
        self, person: Person, text: str, place: Channel | None = None, **more: Any
    ) -> Message:
        """Write into a channel, or directly to the bot."""
        channel = place or person.direct
        assert channel is not None
        mentions = [self.bot.payload()] if f"<@{self.bot.id}>" in text else []
        return await self.post(channel, person, {"content": text, "mentions": mentions, **more})

    async def press(self, person: Person, message: Message, label: str) -> Interaction:
        """Click a button."""
        data = {"component_type": 2, "custom_id": message.custom_id(label)}
        return await self._interact(person, message.channel, interactions.COMPONENT, data, message)

    async def choose(self, person: Person, message: Message, label: str) -> Interaction:
        """Choose from a menu."""
        custom_id, value = message.choice(label)
        data = {"component_type": 3, "custom_id": custom_id, "values": [value]}
        return await self._interact(person, message.channel, interactions.COMPONENT, data, message)

    async def submit(
        self, person: Person, channel: Channel, custom_id: str, text: str
    ) -> Interaction:
        """Send a form."""
        field = {"type": 4, "custom_id": "text", "value": text}
        data = {"custom_id": custom_id, "components": [{"type": 1, "components": [field]}]}
        return await self._interact(person, channel, interactions.FORM, data)

    async def slash(
        self, person: Person, channel: Channel, name: str, **options: str
    ) -> Interaction:
        """Send a slash command."""
        data = {
            "id": str(new_id()),
            "name": name,
            "type": 1,
            "options": [{"name": k, "type": 3, "value": v} for k, v in options.items()],
        }
        return await self._interact(person, channel, interactions.COMMAND, data)

    async def type_argument(
        self, person: Person, channel: Channel, name: str, argument: str, typed: str
    ) -> Interaction:
        """Begin to type the argument of a slash command; the answer's data has the choices."""
        option = {"name": argument, "type": 3, "value": typed, "focused": True}
        data = {"id": str(new_id()), "name": name, "type": 1, "options": [option]}
        return await self._interact(person, channel, interactions.SUGGESTIONS, data)

    # What a test asks

    def replies(self, place: Person | Channel) -> list[Message]:
        """The bot's messages that everybody sees in a place."""
        channel = place.direct if isinstance(place, Person) else place
        assert channel is not None
        return [one for one in channel.shown() if one.author is self.bot]

    def count(self, kind: str) -> int:
        """How many calls of a kind were answered."""
        return sum(1 for one, _, _ in self.calls if one == kind)

    async def wait_for(self, find: Callable[[], _T], patience_s: float | None = PATIENCE_S) -> _T:
        """What `find` gives, as soon as it gives something."""
        async with asyncio.timeout(patience_s):
            while not (found := find()):
                self._changes.clear()
                await self._changes.wait()
            return found

    async def connected(self, sessions: int = 1) -> None:
        """Wait until the bot listens."""
        await self.wait_for(lambda: len(self.gateway.connected) >= sessions)

    # What the calls need

    def application(self) -> Json:
        """The bot's application."""
        flags = _INTENT_FLAG if self.may_read else 0
        return {
            "id": str(self.application_id),
            "name": self.bot.name,
            "icon": None,
            "description": "",
            "bot_public": False,
            "bot_require_code_grant": False,
            "verify_key": "",
            "owner": self.bot.payload(),
            "flags": flags,
            "team": None,
        }

    def channel(self, channel_id: int) -> Channel:
        """A channel that the bot sees."""
        if channel_id not in self.channels:
            raise Refused(404, 10003, "Unknown Channel")
        return self.channels[channel_id]

    async def post(
        self, channel: Channel, author: Person, fields: Json, *, is_private: bool = False
    ) -> Message:
        """Put a message into a channel, and tell the bot of it."""
        message = Message(channel, author, fields, is_private=is_private)
        message.versions.append(message.text)
        channel.messages.append(message)
        payload = message.payload()
        if channel.guild is not None:
            payload["member"] = channel.guild.member(author)
        await self.emit("MESSAGE_CREATE", payload)
        return message

    async def remove(self, message: Message) -> None:
        """Take a message away."""
        message.is_deleted = True
        place = {"id": str(message.id), "channel_id": str(message.channel.id)}
        guild = message.channel.guild
        await self.emit("MESSAGE_DELETE", place | ({"guild_id": str(guild.id)} if guild else {}))

    async def emit(self, event: str, data: Json) -> None:
        """Tell the bot."""
        await self.gateway.emit(event, data)
        self._changed()

    def store_file(self, name: str, content: bytes, description: str | None = None) -> Json:
        """Keep a file; what a message says of it."""
        file_id = new_id()
        self.files[f"{file_id}"] = content
        url = f"http://127.0.0.1:{self._port}/files/{file_id}"
        return {
            "id": str(file_id),
            "filename": name,
            "size": len(content),
            "url": url,
            "proxy_url": url,
            "content_type": "text/plain",
            **({} if description is None else {"description": description}),
        }

    async def _interact(
        self,
        person: Person,
        channel: Channel,
        kind: int,
        data: Json,
        message: Message | None = None,
    ) -> Interaction:
        made, payload = self.interactions.begin(
            self.application_id,
            person=person,
            channel=channel,
            kind=kind,
            data=data,
            message=message,
        )
        await self.emit("INTERACTION_CREATE", payload)
        return made

    def _channel(self, channel: Channel) -> Channel:
        self.channels[channel.id] = channel
        return channel

    def _changed(self) -> None:
        self._changes.set()

    def _ready(self, session: Session) -> list[tuple[str, Json]]:
        guilds = [one for one in self.guilds if is_of(session.shard, one.id)]
        ready = {
            "v": 10,
            "user": self.bot.payload(),
            "guilds": [{"id": str(one.id), "unavailable": True} for one in guilds],
            "session_id": session.id,
            "resume_gateway_url": self.gateway_url,
            "shard": list(session.shard),
            "application": {"id": str(self.application_id), "flags": 0},
        }
        return [("READY", ready), *(("GUILD_CREATE", one.payload()) for one in guilds)]

    async def _file(self, request: web.Request) -> web.Response:
        content = self.files.get(request.match_info["name"])
        return web.Response(status=404) if content is None else web.Response(body=content)

    async def _api(self, request: web.Request) -> web.StreamResponse:
        path = "/" + request.match_info["path"]
        try:
            kind, do, found = calls.find(request.method, path)
        except Refused as refused:
            return _error(refused)
        answer = await self._limited(request, kind, partial(self._do, request, path, found, do))
        self.calls.append((kind, path, answer.status))
        self._changed()
        return answer

    async def _limited(self, request: web.Request, kind: str, do: Work) -> web.Response:
        """Do it, unless it is too much, not allowed, or something befalls it on its way."""
        major = "/".join(request.match_info["path"].split("/")[:3])
        wait, headers = self.limits.take((kind, major), is_free=kind in calls.FREE)
        if wait is not None:
            return _flood(wait, headers)
        if kind not in calls.FREE and request.headers.get("Authorization") != f"Bot {self.token}":
            return _error(Refused(401, 0, "401: Unauthorized"))
        fault = self._faults[kind].popleft() if self._faults[kind] else None
        if fault is not None and not fault.is_done:
            return _faulty(request, fault)
        try:
            answer = await do()
        except Refused as refused:
            return _error(refused, headers)
        answer.headers.update(headers)
        return answer if fault is None else _faulty(request, fault)

    async def _do(
        self, request: web.Request, path: str, found: Mapping[str, str], do: calls.Do
    ) -> web.Response:
        body, files = await _body(request)
        call = calls.Call(request.method, path, found, request.query, body, files)
        status, answer = await do(self, call)
        if answer is None:
            return web.Response(status=status)
        return _json(answer, status)


async def _body(request: web.Request) -> tuple[Any, list[calls.Upload]]:
    if not request.content_type.startswith("multipart/"):
        text = await request.text()
        return (json.loads(text) if text else {}), []
    body: Any = {}
    files: list[calls.Upload] = []
    async for part in await request.multipart():
        if isinstance(part, BodyPartReader):
            content = bytes(await part.read())
            if part.name == "payload_json":
                body = json.loads(content)
            else:
                files.append(calls.Upload(part.name or "", part.filename or "file", content))
    return body, files


def _json(body: Any, status: int, headers: Mapping[str, str] | None = None) -> web.Response:
    """Discord names no charset, and its client looks for exactly this type."""
    kind = {"Content-Type": "application/json"}
    return web.Response(
        body=json.dumps(body).encode(), status=status, headers={**(headers or {}), **kind}
    )


def _error(refused: Refused, headers: dict[str, str] | None = None) -> web.Response:
    body = {"code": refused.code, "message": refused.message}
    return _json(body, refused.status, headers)


def _flood(wait: float, headers: dict[str, str]) -> web.Response:
    is_global = "X-RateLimit-Global" in headers
    body = {"message": "You are being rate limited.", "retry_after": wait, "global": is_global}
    return _json(body, 429, {**headers, "Retry-After": f"{wait:.3f}", "Via": "1.1 fake"})


def _faulty(request: web.Request, fault: Fault) -> web.Response:
    if fault.status == 429:
        return _flood(fault.retry_after or 1.0, {})
    if fault.status:
        return _error(Refused(fault.status, fault.code, fault.message))
    if request.transport is not None:
        request.transport.close()
    return web.Response(status=500)
