"""A whole gateway in this process, between a model and a platform that answer at once.

What is measured with it is all ours: router, agent in Wasm, journal, store, delivery. The database
is a file, as it always is.
"""

import asyncio
import itertools
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from adapters.base import (
    NO_LIMITS,
    Address,
    Attachment,
    ChatKind,
    Event,
    Inbound,
    Mark,
    OutgoingFile,
    Part,
    Pulse,
    Rejected,
    Sender,
    Style,
)
from config.models import ModelSettings
from config.settings import AccessSettings, Settings
from config.telegram import TelegramSettings
from gateway.chats.directory import Chats
from gateway.core import assembled
from gateway.delivery.outbox import Outbox
from gateway.delivery.reply import DeliverySettings
from gateway.lasting import lasting
from gateway.llm.models import Models
from gateway.llm.provider import ChatCompletion, ChatRequest, Provider, TextSink
from gateway.operations.readiness import Readiness
from gateway.parts import make_book, open_documents
from gateway.reload import Reload
from gateway.router import Router
from gateway.runtime.engine import Engine
from gateway.runtime.pool import AgentPool
from gateway.store.sqlite import FILE_NAME, SqliteStore
from gateway.tools.tool import ToolContext, tool, tools_of
from gateway.tools.toolbox import Toolbox
from gateway.workspace.workspace import Workspaces
from gateway.zone import load_zone

_PEOPLE = 10_000
"""They may talk to the bot; each has a chat, whose id is the person's."""


class InstantModel:
    """Calls the tool once in each turn, if there is one, and then answers."""

    name = "instant"

    async def complete(self, request: ChatRequest, on_text: TextSink) -> ChatCompletion:
        message: dict[str, Any] = {"role": "assistant", "content": "It is done, as you wished."}
        reason = "stop"
        offered = {tool["function"]["name"] for tool in request.get("tools", ())}
        if "look" in offered and request["messages"][-1]["role"] == "user":
            calls = [{"id": "c", "type": "function"}]
            calls[0]["function"] = {"name": "look", "arguments": "{}"}  # type: ignore[assignment]
            message = {"role": "assistant", "content": None, "tool_calls": calls}
            reason = "tool_calls"
        else:
            on_text(message["content"])
        choice = {"index": 0, "message": message, "finish_reason": reason}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        return {"id": "1", "choices": [choice], "usage": usage}

    async def close(self) -> None:
        """Nothing is open."""


class Look:
    """A tool that has nothing to do."""

    @tool()
    async def look(self, context: ToolContext) -> str:  # noqa: ARG002 - there is but one answer
        """Looks."""
        return "seen"


class InstantPlatform:
    """Takes all messages at once, and says when one is final."""

    name = "telegram"
    edit_interval_s = 0.8
    limits = NO_LIMITS
    hint = "Markdown."

    def __init__(self) -> None:
        self.pulse = Pulse(max_silence_s=None)
        self.shown: dict[str, asyncio.Future[None]] = {}  # by chat: its final text
        self.first_sent_s: dict[str, float] = {}  # by chat, on the performance counter
        self._ids = itertools.count()

    async def run(self, receive: Callable[[Event], Awaitable[None]]) -> None:
        """Not served: the benchmark gives the events."""

    def render(self, markdown: str, style: Style = Style.ANSWER) -> Sequence[Part]:  # noqa: ARG002
        return [Part(markdown, "final")]

    def preview(self, markdown: str) -> Sequence[Part]:
        return [Part(markdown)]

    def render_files(self, files: Sequence[OutgoingFile]) -> Sequence[Part]:
        return [Part("", "final", files=tuple(files))]

    async def send(self, address: Address, part: Part) -> tuple[str, ...]:
        self.first_sent_s.setdefault(address.chat_id, time.perf_counter())
        self._note(address, part)
        return (str(next(self._ids)),)

    async def edit(self, address: Address, message_id: str, part: Part) -> None:  # noqa: ARG002
        self._note(address, part)

    async def delete(self, address: Address, message_id: str) -> None: ...

    async def typing(self, address: Address) -> None: ...

    async def mark(self, address: Address, message_id: str, mark: Mark | None) -> None: ...

    def download(self, attachment: Attachment) -> AsyncGenerator[bytes, None]:
        raise Rejected(f"nobody sends files here: {attachment.ref}")

    def _note(self, address: Address, part: Part) -> None:
        waiting = self.shown.get(address.chat_id)
        if part.payload == "final" and waiting is not None and not waiting.done():
            waiting.set_result(None)


@dataclass(frozen=True, slots=True)
class Hosted:
    """A gateway that runs."""

    router: Router
    chats: Chats
    platform: InstantPlatform
    store: SqliteStore

    async def turn(self, chat: str, event: str) -> None:
        """From a message, in a chat of two, to its final text."""
        self.platform.shown[chat] = asyncio.get_running_loop().create_future()
        address = Address("telegram", chat, ChatKind.DIRECT)
        text = f"Please do number {event}."
        await self.router.receive(Inbound(f"{chat}-{event}", address, Sender(chat, "Ada"), text))
        await self.platform.shown[chat]

    async def idle(self, chat: str) -> None:
        """Until nothing is left to be done there."""
        await self.chats.idle(f"telegram:dm:{chat}")


@asynccontextmanager
async def hosted(
    *,
    tools: bool = False,
    folder: Path | None = None,
    model: ModelSettings | None = None,
    make: Callable[[ModelSettings], Provider] = lambda _: InstantModel(),
    max_agents: int = 2_000,
) -> AsyncIterator[Hosted]:
    """Run a gateway. `tools`: the model calls one in each turn. `folder`: data that is there."""
    zone = await asyncio.to_thread(load_zone, None)

    def clock() -> datetime:
        return datetime.now(zone)

    async with AsyncExitStack() as stack:
        folder = folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = Settings(
            data_dir=folder,
            model=model or ModelSettings(),
            telegram=TelegramSettings(allowed_users=tuple(range(_PEOPLE + 1))),
            access=AccessSettings(user_burst=100_000, chat_burst=100_000),
        )
        store = await SqliteStore.open(folder / FILE_NAME, now=clock)
        stack.push_async_callback(store.close)
        engine = await asyncio.to_thread(Engine)
        stack.callback(engine.close)
        pool = AgentPool(engine, max_agents=max_agents, memory_budget_bytes=1 << 31, threads=2)
        stack.push_async_callback(pool.close)
        platform = InstantPlatform()
        core = await stack.enter_async_context(
            assembled(
                settings,
                store,
                pool,
                Models(
                    settings,
                    usage=store.usage,
                    choices=store.model_choices,
                    clock=clock,
                    make=make,
                ),
                {platform.name: platform},
                clock=clock,
                zone=zone,
                book=await asyncio.to_thread(make_book, store, settings, zone),
                toolbox=Toolbox(tools_of(Look(), "own") if tools else ()),
                outbox=Outbox(folder / "outbox"),
                delivery=DeliverySettings(),
                reload=Reload(settings),
                reasons=Readiness().reasons,
                workspaces=Workspaces(folder / "workspaces"),
                documents=open_documents(stack, settings),
            )
        )
        stack.enter_context(lasting())
        yield Hosted(core.router, core.chats, platform, store)
