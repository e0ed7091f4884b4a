"""A gateway in small, as the tests of this folder get it, and what they look for on its screens."""

import itertools
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from adapters.base import Inbound, Sender
from gateway.access.administration import Administration
from gateway.access.gate import Gate
from gateway.chats.directory import Chats
from gateway.chats.host import Host
from gateway.router import Router
from gateway.runtime.pool import AgentPool
from gateway.schedule.book import Book
from gateway.sessions import session_key
from gateway.store.inbound import Incoming
from gateway.store.sqlite import SqliteStore
from tests.fakes.model_server import ModelServer
from tests.fakes.platform import ALICE, CURSOR, FakePlatform, Screen
from tests.fakes.transcription_server import KEY, TranscriptionServer

NOON = datetime(2031, 5, 6, 12, 0, tzinfo=UTC)
"""When it is in most tests."""


@dataclass(slots=True)
class SmallGateway:
    """All that a test may want to look at."""

    platform: FakePlatform
    model: ModelServer
    store: SqliteStore
    pool: AgentPool
    chats: Chats
    router: Router
    administration: Administration
    gate: Gate
    book: Book
    host: Host

    async def history(self, chat: str = "telegram:dm:1") -> list[dict[str, Any]]:
        session = await self.store.current_session(chat)
        return await self.store.history(session.id)

    async def was_taken(self, event_id: str) -> bool:
        """Whether an event has left a trace."""
        return not await self.store.inbound.take(Incoming("telegram", event_id, "", "{}"))

    def request(self, index: int = -1) -> dict[str, Any]:
        return self.model.requests[index].body

    def said(self, index: int = -1) -> list[str]:
        """What a request holds of people's words."""
        contents = [m["content"] for m in self.request(index)["messages"] if m["role"] == "user"]
        return [one if isinstance(one, str) else one[0]["text"] for one in contents]

    def shown_as(self, text: str, chat: str = "1") -> str:
        """The id of the message on a screen that says this."""
        messages = self.platform.screens[chat].messages
        return next(id_ for id_, part in messages.items() if part.text == text)

    async def talk(self, text: str, answer: str, **how: Any) -> Inbound:
        """Say something to which the model gives that answer; returns when all is done.

        `how` is what `FakePlatform.say` takes.
        """
        self.model.enqueue(text=answer)
        message = await self.platform.say(text, **how)
        await self.platform.until(lambda s: s.last == answer, chat=message.address.chat_id)
        await self.chats.idle(session_key(message.address))
        return message


Start = Callable[..., AbstractAsyncContextManager[SmallGateway]]


def is_settled(screen: Screen) -> bool:
    """A final text is there, without cursor and Stop button."""
    is_growing = any(button.label == "Stop" for button in screen.buttons)
    return bool(screen.texts) and not is_growing and CURSOR not in screen.texts[-1]


_numbers = itertools.count(1)


async def use_tool(
    gateway: SmallGateway,
    name: str,
    /,
    *,
    by: Sender = ALICE,
    chat: str | None = None,
    **arguments: Any,
) -> str:
    """A turn in which the model calls a tool, and what it is told then."""
    answer = f"done {next(_numbers)}"
    gateway.model.enqueue(tool_calls=[(name, arguments)])
    gateway.model.enqueue(text=answer)
    await gateway.platform.say("please", sender=by, chat=chat)
    await gateway.platform.until_shown(answer, chat=chat or by.id)
    message = gateway.request()["messages"][-1]
    assert message["role"] == "tool"
    return str(message["content"])


def hearing(ears: TranscriptionServer) -> dict[str, Any]:
    """The media settings of a gateway that has voice messages written down."""
    return {"transcription": {"model": "whisper-1", "base_url": ears.base_url, "api_key": KEY}}
