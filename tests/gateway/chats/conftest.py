"""A gateway in small: the real parts, a platform in memory and a model server over HTTP."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import structlog

from config.media import MediaSettings
from config.models import BudgetSettings, ModelSettings
from config.schedule import ScheduleSettings
from config.settings import (
    AccessSettings,
    AgentSettings,
    ChatSettings,
    LoggingSettings,
    RuntimeSettings,
    SessionSettings,
    Settings,
)
from config.telegram import TelegramSettings
from config.tools import ToolSettings
from gateway import logs
from gateway.chats.recovery import recover
from gateway.core import assembled
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
from tests.fakes.transcription_server import TranscriptionServer
from tests.gateway.chats.small_gateway import SmallGateway, Start
from tests.replaying import everything_replays

NOON = datetime(2031, 5, 6, 12, 0, tzinfo=UTC)
FIRST_EDIT_CHARS = 5


@pytest.fixture(autouse=True)
def logging_as_in_production() -> Iterator[None]:
    """Tracebacks, too, are written by what a real gateway uses."""
    logs.configure(LoggingSettings(level="debug"))
    yield
    structlog.reset_defaults()


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    server = ModelServer(api_key=KEY)
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def ears() -> AsyncIterator[TranscriptionServer]:
    """A server that writes down what is spoken."""
    server = TranscriptionServer()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
def start(model: ModelServer, tmp_path: Path) -> Start:
    """Start a gateway on the test's own data folder; a second start finds what the first left."""

    @asynccontextmanager
    async def started(
        *,
        toolbox: Toolbox | None = None,
        own_tools: bool = False,
        tools: Mapping[str, Any] | None = None,
        runtime: Runtime | None = None,
        tries: int = 1,
        clock: Callable[[], datetime] = lambda: NOON,
        sessions: dict[str, Any] | None = None,
        metrics: Metrics | None = None,
        price: Mapping[str, float] | None = None,
        other_models: Sequence[str] = (),
        budgets: Mapping[str, Any] | None = None,
        access: AccessSettings | None = None,
        telegram: TelegramSettings | None = None,
        agent: Mapping[str, Any] | None = None,
        schedule: dict[str, Any] | None = None,
        max_agents: int = 10,
        max_turns: int | None = None,
        folder: Path = tmp_path,
        replays: bool | None = None,
        platform: FakePlatform | None = None,
        activity_after_s: float = 1.0,
        fetcher: Gets | None = None,
        llm: Mapping[str, Any] | None = None,
        media: Mapping[str, Any] | None = None,
        files: Mapping[str, bytes] | None = None,
        **chat_settings: Any,
    ) -> AsyncIterator[SmallGateway]:
        at_server = {"provider": "openai", "base_url": model.base_url, "api_key": KEY}
        settings = Settings(
            data_dir=folder,
            model=ModelSettings.model_validate(
                {
                    **at_server,
                    "name": "fake-model",
                    "tries": tries,
                    "idle_timeout_s": 5,
                    "price": price or {},
                    **(llm or {}),
                }
            ),
            models=tuple(
                ModelSettings.model_validate({**at_server, "name": name}) for name in other_models
            ),
            budgets=BudgetSettings.model_validate(budgets or {}),
            agent=AgentSettings.model_validate(agent or {}),
            runtime=RuntimeSettings(max_turns=max_turns),
            chats=ChatSettings.model_validate(
                {
                    "first_edit_chars": FIRST_EDIT_CHARS,
                    "shutdown_grace_s": 0.2,
                    **chat_settings,
                }
            ),
            sessions=SessionSettings.model_validate(sessions or {}),
            access=access or AccessSettings(user_burst=10_000, chat_burst=10_000),
            tools=ToolSettings.model_validate(tools or {}),
            telegram=telegram or TelegramSettings(allowed_users=(1, 2), allowed_chats=(-100,)),
            media=MediaSettings.model_validate(media or {}),
            schedule=ScheduleSettings.model_validate(schedule or {}),
        )
        platform = platform or FakePlatform()
        platform.files.update(files or {})
        readiness = Readiness()
        readiness.begin()
        async with AsyncExitStack() as stack:
            store = await SqliteStore.open(folder / FILE_NAME, now=clock)
            stack.push_async_callback(store.close)
            pool = AgentPool(
                runtime or NativeRuntime(),
                max_agents=max_agents,
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
                assembled(
                    settings,
                    store,
                    pool,
                    models,
                    {platform.name: platform},
                    clock=clock,
                    zone=UTC,
                    book=book,
                    toolbox=toolbox
                    or Toolbox(tools_of(TimeTools(book), "time") if schedule is not None else []),
                    outbox=Outbox(folder / "outbox"),
                    delivery=DeliverySettings(
                        settings.chats.streaming,
                        FIRST_EDIT_CHARS,
                        (0, 0, 0),
                        metrics or Metrics(),
                        activity_after_s=activity_after_s,
                    ),
                    reload=Reload(settings),
                    reasons=readiness.reasons,
                    workspaces=Workspaces(folder / "workspaces"),
                    documents=open_documents(stack, settings),
                    transcriber=open_transcriber(stack, settings),
                    fetcher=fetcher,
                    metrics=metrics,
                )
            )
            host, chats, router = core.host, core.chats, core.router
            host.toolbox.add(*(make_own_tools(host, chats) if own_tools else ()))
            await recover(host, chats)
            serving = asyncio.ensure_future(platform.run(router.receive))
            stack.callback(serving.cancel)
            scheduler = Scheduler(book, router.receive_scheduled, host.adapters)
            scheduling = asyncio.ensure_future(scheduler.run())
            stack.callback(scheduling.cancel)
            yield SmallGateway(
                platform,
                model,
                store,
                pool,
                chats,
                router,
                core.administration,
                core.gate,
                book,
                host=host,
            )
            scheduling.cancel()
            await chats.close()
        # A test's own agents need not be made of what they were fed.
        if runtime is None if replays is None else replays:
            await everything_replays(folder)

    return started


@pytest.fixture
async def gateway(start: Start) -> AsyncIterator[SmallGateway]:
    """One gateway, with the settings that most tests want."""
    async with start() as running:
        yield running
