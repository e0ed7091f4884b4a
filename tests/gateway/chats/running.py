"""Runs a gateway in small: the real parts, around a platform in memory and a model server."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from config.settings import Settings
from gateway.chats.recovery import recover
from gateway.core import Core, assembled
from gateway.delivery.outbox import Outbox
from gateway.delivery.reply import DeliverySettings
from gateway.llm.models import Models
from gateway.metrics import Metrics
from gateway.operations.readiness import Readiness
from gateway.parts import open_documents, open_transcriber
from gateway.reload import Reload
from gateway.runtime.base import Runtime
from gateway.runtime.native import NativeRuntime
from gateway.runtime.pool import AgentPool
from gateway.schedule.book import Book
from gateway.schedule.scheduler import Scheduler
from gateway.store.sqlite import FILE_NAME, SqliteStore
from gateway.tools.cronjob import TimeTools
from gateway.tools.families import make_own_tools
from gateway.tools.tool import tools_of
from gateway.tools.toolbox import Toolbox
from gateway.web.fetch import Gets
from gateway.workspace.workspace import Workspaces
from tests.fakes.model_server import KEY, ModelServer
from tests.fakes.platform import FakePlatform
from tests.gateway.chats.small_gateway import NOON, SmallGateway
from tests.replaying import everything_replays


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What stands around the settings; a test names what it wants to be otherwise."""

    folder: Path
    platform: FakePlatform = field(default_factory=FakePlatform)
    files: Mapping[str, bytes] = field(default_factory=dict)  # that the platform holds
    toolbox: Toolbox | None = None
    has_time: bool = False  # the tools of time are in the toolbox, if none is given
    own_tools: bool = False
    runtime: Runtime | None = None  # None: agents in plain Python
    max_agents: int = 10
    clock: Callable[[], datetime] = lambda: NOON
    metrics: Metrics = field(default_factory=Metrics)
    fetcher: Gets | None = None
    activity_after_s: float = 1.0
    replays: bool | None = None  # None: unless a test has agents of its own

    @property
    def is_replayed(self) -> bool:
        """Whether all that agents were fed is fed once more in the end, and has to say the same."""
        return self.runtime is None if self.replays is None else self.replays


def settings_of(model: ModelServer, folder: Path, chosen: Mapping[str, Any]) -> Settings:
    """Settings that suit most tests, but for what is chosen.

    That is sections by their names, `llm` of the model, `other_models` (their names), `max_turns`,
    and any setting of the section `chats`.
    """
    chats = dict(chosen)
    sections = {name: chats.pop(name) for name in chosen if name in Settings.model_fields}
    at_server = {"provider": "openai", "base_url": model.base_url, "api_key": KEY}
    first = {"name": "fake-model", "tries": 1, "idle_timeout_s": 5} | chats.pop("llm", {})
    settings: dict[str, Any] = {
        "data_dir": folder,
        "model": at_server | first,
        "models": [at_server | {"name": name} for name in chats.pop("other_models", ())],
        "runtime": {"max_turns": chats.pop("max_turns", None)},
        "access": {"user_burst": 10_000, "chat_burst": 10_000},
        "telegram": {"allowed_users": (1, 2), "allowed_chats": (-100,)},
        "chats": {"first_edit_chars": 5, "shutdown_grace_s": 0.2} | chats,
    }
    return Settings.model_validate(settings | sections)


@asynccontextmanager
async def running(
    settings: Settings, parts: Parts, model: ModelServer
) -> AsyncIterator[SmallGateway]:
    """A gateway that serves its platform; what it stored must replay when it has ended."""
    async with AsyncExitStack() as stack:
        gateway = await _assembled(stack, settings, parts, model)
        await recover(gateway.host, gateway.chats)
        serving = asyncio.ensure_future(gateway.platform.run(gateway.router.receive))
        stack.callback(serving.cancel)
        scheduler = Scheduler(gateway.book, gateway.router.receive_scheduled, gateway.host.adapters)
        scheduling = asyncio.ensure_future(scheduler.run())
        stack.callback(scheduling.cancel)
        yield gateway
        scheduling.cancel()
        await gateway.chats.close()
    if parts.is_replayed:
        await everything_replays(parts.folder)


async def _assembled(
    stack: AsyncExitStack, settings: Settings, parts: Parts, model: ModelServer
) -> SmallGateway:
    platform, clock = parts.platform, parts.clock
    platform.files.update(parts.files)
    store = await SqliteStore.open(parts.folder / FILE_NAME, now=clock)
    stack.push_async_callback(store.close)
    pool = AgentPool(
        parts.runtime or NativeRuntime(),
        max_agents=parts.max_agents,
        memory_budget_bytes=100_000_000,
        threads=2,
    )
    stack.push_async_callback(pool.close)
    models = Models(settings, usage=store.usage, choices=store.model_choices, clock=clock)
    stack.push_async_callback(models.close)
    book = await asyncio.to_thread(
        Book, store.schedule, settings.schedule, zone="Europe/Berlin", clock=clock
    )
    core = await stack.enter_async_context(
        _core(stack, settings, parts, store=store, pool=pool, models=models, book=book)
    )
    if parts.own_tools:
        core.host.toolbox.add(*make_own_tools(core.host, core.chats))
    return SmallGateway(
        platform,
        model,
        store,
        pool,
        core.chats,
        core.router,
        core.administration,
        core.gate,
        book,
        host=core.host,
    )


def _core(
    stack: AsyncExitStack,
    settings: Settings,
    parts: Parts,
    *,
    store: SqliteStore,
    pool: AgentPool,
    models: Models,
    book: Book,
) -> AbstractAsyncContextManager[Core]:
    chats, folder = settings.chats, parts.folder
    readiness = Readiness()
    readiness.begin()
    return assembled(
        settings,
        store,
        pool,
        models,
        {parts.platform.name: parts.platform},
        clock=parts.clock,
        zone=UTC,
        book=book,
        toolbox=parts.toolbox
        or Toolbox(tools_of(TimeTools(book), "time") if parts.has_time else []),
        outbox=Outbox(folder / "outbox"),
        delivery=DeliverySettings(
            chats.streaming,
            chats.first_edit_chars,
            (0, 0, 0),
            parts.metrics,
            activity_after_s=parts.activity_after_s,
        ),
        reload=Reload(settings),
        reasons=readiness.reasons,
        workspaces=Workspaces(folder / "workspaces"),
        documents=open_documents(stack, settings),
        transcriber=open_transcriber(stack, settings),
        fetcher=parts.fetcher,
        metrics=parts.metrics,
    )
