"""A small HTTP interface to the persons, for tests with the gateway in another process.

POST /control/say    {"person": name, "text": …, "chat": id?}   → {"chat": id, "message": id}
POST /control/group  {"title": …, "is_forum": false}             → {"chat": id}
POST /control/press  {"chat": id, "message": id, "label": …, "person": name?}
GET  /control/transcript                                         → text
GET  /control/replies?chat=id                                    → [{"id", "text", "labels"}]
GET  /control/wait?chat=id&text=…&timeout_s=10   waits until the bot has said this; 408 if not
"""

import asyncio

from aiohttp import web

from tests.fakes.telegram.server import FakeTelegram
from tests.fakes.telegram.world import Chat, Json


def add_control(fake: FakeTelegram) -> None:
    """Add the interface to a server that is not started yet."""
    control = _Control(fake)
    fake.app.router.add_post("/control/say", control.say)
    fake.app.router.add_post("/control/group", control.group)
    fake.app.router.add_post("/control/press", control.press)
    fake.app.router.add_get("/control/transcript", control.transcript)
    fake.app.router.add_get("/control/replies", control.replies)
    fake.app.router.add_get("/control/wait", control.wait)


class _Control:
    def __init__(self, fake: FakeTelegram) -> None:
        self._fake = fake

    async def say(self, request: web.Request) -> web.Response:
        asked: Json = await request.json()
        person = self._fake.people.person(asked["person"])
        chat = self._chat(asked["chat"]) if "chat" in asked else None
        message = self._fake.people.say(person, asked["text"], chat=chat)
        return web.json_response({"chat": message.chat.id, "message": message.id})

    async def group(self, request: web.Request) -> web.Response:
        asked: Json = await request.json()
        chat = self._fake.people.group(asked["title"], is_forum=asked.get("is_forum", False))
        return web.json_response({"chat": chat.id})

    async def press(self, request: web.Request) -> web.Response:
        asked: Json = await request.json()
        message = self._chat(asked["chat"]).find(int(asked["message"]))
        if message is None or asked["label"] not in message.labels:
            raise web.HTTPNotFound(text=self._fake.describe())
        by = self._fake.people.person(asked["person"]) if "person" in asked else None
        self._fake.people.press(message, asked["label"], by=by)
        return web.json_response({})

    async def transcript(self, _request: web.Request) -> web.Response:
        return web.Response(text=self._fake.describe() + "\n")

    async def replies(self, request: web.Request) -> web.Response:
        chat = self._chat(request.query["chat"])
        return web.json_response(
            [
                {"id": message.id, "text": message.text, "labels": message.labels}
                for message in self._fake.replies(chat)
            ]
        )

    async def wait(self, request: web.Request) -> web.Response:
        chat = self._chat(request.query["chat"])
        wanted = request.query["text"]

        def is_said() -> bool:
            return any(wanted in message.text for message in self._fake.replies(chat))

        try:
            async with asyncio.timeout(float(request.query.get("timeout_s", "10"))):
                await self._fake.changes.until(is_said)
        except TimeoutError:
            raise web.HTTPRequestTimeout(text=self._fake.describe()) from None
        return web.json_response({})

    def _chat(self, chat_id: str | int) -> Chat:
        chat = self._fake.world.chats.get(int(chat_id))
        if chat is None:
            raise web.HTTPNotFound(text=self._fake.describe())
        return chat
