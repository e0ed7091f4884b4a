"""What the gateway itself takes of a turn: router, agent in Wasm, journal, store, delivery.

The model and the platform answer at once and stand in this process, so that what is measured is
all ours. The database is a file, as it always is.
"""

import asyncio
import itertools
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import structlog

from adapters.base import (
    NO_LIMITS,
    Address,
    Attachment,
    ChatKind,
    Event,
    Inbound,
    Mark,
    Part,
    Pulse,
    Rejected,
    Sender,
    Style,
)
from benchmarks.figure import Figure, figure
from config.settings import AccessSettings, Settings
from config.telegram import TelegramSettings
from gateway.access.gate import Gate
from gateway.chats.directory import Chats
from gateway.chats.host import Host
from gateway.chats.questions import Questions
from gateway.commands.table import CommandTable
from gateway.delivery.reply import DeliverySettings
from gateway.llm.models import Models
from gateway.llm.provider import ChatCompletion, ChatRequest, TextSink
from gateway.router import Router
from gateway.runtime.engine import Engine
from gateway.runtime.pool import AgentPool
from gateway.store.sqlite import FILE_NAME, SqliteStore
from gateway.tools.toolbox import Toolbox, ToolCall, ToolResult, ToolSchema
from gateway.workspace.workspace import Workspaces
from gateway.zone import load_zone

_CHATS = 200
_TURNS_OF_EACH = 6
_ALONE = 10  # chats that are measured one after the other …
_TURNS_OF_ONE = 30  # … for so many turns, so that histories are of usual length


class _Model:
    """Calls the tool once in each turn, if there is one, and then answers."""

    name = "instant"

    async def complete(self, request: ChatRequest, on_text: TextSink) -> ChatCompletion:
        message: dict[str, Any] = {"role": "assistant", "content": "It is done, as you wished."}
        reason = "stop"
        offered = {tool["function"]["name"] for tool in request.get("tools", ())}
        if _Look.name in offered and request["messages"][-1]["role"] == "user":
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


class _Look:
    name = "look"
    schema: ToolSchema

    def __init__(self) -> None:
        parameters: dict[str, Any] = {"type": "object", "properties": {}}
        function = {"name": "look", "description": "Looks.", "parameters": parameters}
        self.schema = {"type": "function", "function": function}

    async def run(self, call: ToolCall) -> ToolResult:  # noqa: ARG002 - there is but one answer
        return ToolResult("seen")


class _Platform:
    """Takes all messages at once, and says when one is final."""

    name = "telegram"
    edit_interval_s = 0.8
    limits = NO_LIMITS
    hint = "Markdown."

    def __init__(self) -> None:
        self.pulse = Pulse(max_silence_s=None)
        self.shown: dict[str, asyncio.Future[None]] = {}
        self._ids = itertools.count()

    async def run(self, receive: Callable[[Event], Awaitable[None]]) -> None:
        """Not served: the benchmark gives the events."""

    def render(self, markdown: str, style: Style = Style.ANSWER) -> Sequence[Part]:  # noqa: ARG002
        return [Part(markdown, "final")]

    def preview(self, markdown: str) -> Sequence[Part]:
        return [Part(markdown)]

    async def send(self, address: Address, part: Part) -> str:
        self._note(address, part)
        return str(next(self._ids))

    async def edit(self, address: Address, message_id: str, part: Part) -> None:  # noqa: ARG002
        self._note(address, part)

    async def delete(self, address: Address, message_id: str) -> None: ...

    async def typing(self, address: Address) -> None: ...

    async def mark(self, address: Address, message_id: str, mark: Mark | None) -> None: ...

    def download(self, attachment: Attachment) -> AsyncIterator[bytes]:
        raise Rejected(f"nobody sends files here: {attachment.ref}")

    def _note(self, address: Address, part: Part) -> None:
        waiting = self.shown.get(address.chat_id)
        if part.payload == "final" and waiting is not None and not waiting.done():
            waiting.set_result(None)


def measure() -> list[Figure]:
    """Own time of turns in one chat, and turns per second in many."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    taken_ms = asyncio.run(_one_chat())
    rate = asyncio.run(_many_chats())
    return [
        figure("own time in a turn, median", median(taken_ms), "ms", "<=", 6),
        figure("own time in a turn, p99", quantiles(taken_ms, n=100)[98], "ms", "<=", 25),
        figure(f"turns with a tool call, {_CHATS} chats, journal on", rate, "/s", ">=", 150),
    ]


async def _one_chat() -> list[float]:
    async with _gateway(Toolbox()) as (router, chats, platform):
        taken = []
        for chat, number in itertools.product(range(1, _ALONE + 1), range(_TURNS_OF_ONE)):
            began = time.perf_counter()
            await _turn(router, platform, str(chat), number)
            taken.append(1_000 * (time.perf_counter() - began))
            await chats.idle(f"telegram:dm:{chat}")
        return taken


async def _many_chats() -> float:
    async def talk(chat: str) -> None:
        for number in range(_TURNS_OF_EACH):
            await _turn(router, platform, chat, number)
            await chats.idle(f"telegram:dm:{chat}")

    async with _gateway(Toolbox([_Look()])) as (router, chats, platform):
        names = [str(number) for number in range(1, _CHATS + 1)]
        await asyncio.gather(*(_turn(router, platform, name, -1) for name in names))
        began = time.perf_counter()
        await asyncio.gather(*map(talk, names))
        return _CHATS * _TURNS_OF_EACH / (time.perf_counter() - began)


async def _turn(router: Router, platform: _Platform, chat: str, number: int) -> None:
    """From the event to its final text."""
    platform.shown[chat] = asyncio.get_running_loop().create_future()
    address = Address("telegram", chat, ChatKind.DIRECT)
    text = f"Please do number {number}."
    await router.receive(Inbound(f"{chat}-{number}", address, Sender(chat, "Ada"), text))
    await platform.shown[chat]


@asynccontextmanager
async def _gateway(toolbox: Toolbox) -> AsyncIterator[tuple[Router, Chats, _Platform]]:
    zone = await asyncio.to_thread(load_zone, None)

    def clock() -> datetime:
        return datetime.now(zone)

    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = Settings(
            data_dir=folder,
            telegram=TelegramSettings(allowed_users=tuple(range(_CHATS + 1))),
            access=AccessSettings(user_burst=10_000, chat_burst=10_000),
        )
        store = await SqliteStore.open(folder / FILE_NAME, now=clock)
        stack.push_async_callback(store.close)
        engine = await asyncio.to_thread(Engine)
        stack.callback(engine.close)
        pool = AgentPool(engine, max_agents=2_000, memory_budget_bytes=1 << 31, threads=2)
        stack.push_async_callback(pool.close)
        platform = _Platform()
        questions = Questions()
        gate = Gate(store.access, settings, clock)
        host = Host(
            settings=settings,
            store=store,
            sessions=store.sessions,
            search=store.search,
            journal=store.journal,
            inbound=store.inbound,
            pool=pool,
            models=Models(
                settings,
                usage=store.usage,
                choices=store.model_choices,
                clock=clock,
                make=lambda _: _Model(),
            ),
            adapters={platform.name: platform},
            questions=questions,
            toolbox=toolbox,
            workspaces=Workspaces(folder / "workspaces"),
            delivery=DeliverySettings(),
            clock=clock,
            may_answer=gate.may_answer,
        )
        chats = await stack.enter_async_context(Chats(host))
        router = Router(
            store.inbound,
            store.journal,
            chats,
            questions,
            commands=CommandTable([]),
            gate=gate,
            chat_settings=lambda: settings.chats,
        )
        yield router, chats, platform
