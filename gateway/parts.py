"""Single parts of a gateway, each made of the settings; `app.py` puts them together.

`make_…` makes something that needs no end, `open_…` has its end called by the stack it is given.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import datetime, timedelta, tzinfo
from functools import partial

from config.settings import Settings
from gateway.chats.pruning import Prune
from gateway.delivery.outbox import FOLDER_NAME as OUTBOX_NAME
from gateway.delivery.outbox import Outbox
from gateway.llm.models import Models
from gateway.llm.providers import make_provider
from gateway.media.transcribing import Transcriber, make_transcriber
from gateway.metrics import Metrics
from gateway.operations.measured import MeasuredProvider, MeasuredUsage
from gateway.reading.documents import Documents
from gateway.reading.readers import Readers, reader_count
from gateway.runtime.base import Runtime
from gateway.runtime.engine import Engine, EngineSettings
from gateway.runtime.native import NativeRuntime
from gateway.runtime.pool import AgentPool
from gateway.sandbox.engine import WasmSandbox
from gateway.schedule.book import Book
from gateway.shell.table import JobTable
from gateway.store.sqlite import SqliteStore
from gateway.tools.families import check_names, make_tools
from gateway.tools.tool import Tool
from gateway.web.web import Web
from gateway.workspace.workspace import FOLDER_NAME, Workspaces
from gateway.zone import zone_name

SLOW_START_S = 1.0
_MIB = 1_048_576

Report = Callable[[str], None]
"""Tells a person who starts a gateway something."""


def prunings(
    store: SqliteStore, settings: Settings, clock: Callable[[], datetime]
) -> dict[str, Prune]:
    """What is forgotten when it is old."""

    async def calls() -> int:
        first_kept = clock().date() - timedelta(days=settings.journal.keep_calls_days)
        return await store.usage.prune(first_kept.isoformat())

    return {
        "journals": partial(store.journal.prune, settings.journal.keep_days),
        "model calls": calls,
    }


async def open_pool(stack: AsyncExitStack, settings: Settings, report: Report) -> AgentPool:
    """The agents, none of which runs yet. Raises `ArtefactError`."""
    starting = asyncio.create_task(asyncio.to_thread(make_runtime, settings))
    if not (await asyncio.wait({starting}, timeout=SLOW_START_S))[0]:
        report("Preparing the agent for this machine. The first start takes some seconds …")
    runtime = await starting
    stack.push_async_callback(asyncio.to_thread, runtime.close)
    pool = AgentPool(
        runtime,
        max_agents=settings.runtime.max_agents,
        memory_budget_bytes=settings.runtime.memory_budget_mb * _MIB,
        threads=settings.runtime.threads,
    )
    stack.push_async_callback(pool.close)
    return pool


def open_models(
    stack: AsyncExitStack,
    settings: Settings,
    store: SqliteStore,
    metrics: Metrics,
    clock: Callable[[], datetime],
) -> Models:
    """The models, measured."""
    models = Models(
        settings,
        usage=MeasuredUsage(store.usage, metrics),
        choices=store.model_choices,
        clock=clock,
        make=lambda model: MeasuredProvider(make_provider(model), metrics),
    )
    stack.push_async_callback(models.close)
    return models


async def open_tools(
    stack: AsyncExitStack, settings: Settings, book: Book, web: Web, documents: Documents
) -> tuple[list[Tool], Callable[[str], Awaitable[None]]]:
    """The tools, with what they need, which is closed with the stack; and what ends the programs
    that go on in a chat's background. Raises `StartupError`.
    """
    sandbox = WasmSandbox(settings.code.max_programs)
    stack.push_async_callback(sandbox.close)
    shell = settings.shell
    jobs = JobTable(max_running=shell.max_background, life_s=shell.background_hours * 3600)
    await stack.enter_async_context(jobs)
    of_time = book if settings.schedule.enabled else None
    tools = await asyncio.to_thread(
        make_tools, settings, of_time, web, documents, sandbox=sandbox, jobs=jobs
    )
    check_names(settings.tools, tools)
    return tools, jobs.end_chat


def make_book(store: SqliteStore, settings: Settings, zone: tzinfo) -> Book:
    """The jobs of all chats. Blocks while it reads the rules of the zone."""
    clock = partial(datetime.now, zone)
    return Book(store.schedule, settings.schedule, zone=zone_name(zone), clock=clock)


def make_workspaces(settings: Settings) -> Workspaces:
    """The folders of all chats."""
    folder = settings.data_dir / FOLDER_NAME
    return Workspaces(folder, settings.tools.workspace_mb * _MIB)


def swept_outbox(settings: Settings) -> Outbox:
    """The files on their way out, of which there are none yet. Blocks."""
    outbox = Outbox(settings.data_dir / OUTBOX_NAME)
    outbox.sweep()
    return outbox


def open_transcriber(stack: AsyncExitStack, settings: Settings) -> Transcriber | None:
    """What turns speech into text, if the settings name something."""
    transcriber = make_transcriber(settings.media.transcription)
    if transcriber is not None:
        stack.push_async_callback(transcriber.close)
    return transcriber


def open_documents(stack: AsyncExitStack, settings: Settings) -> Documents:
    """What reads the documents that people send, in processes of its own."""
    readers = Readers(reader_count(settings.web.extract_processes))
    stack.push_async_callback(readers.close)
    return Documents(readers)


def make_runtime(settings: Settings) -> Runtime:
    """What agents run in. Blocks while the agent is compiled, at its first start on a machine.

    Raises `ArtefactError`.
    """
    if settings.runtime.mode == "native":
        return NativeRuntime()
    return Engine(
        settings=EngineSettings(
            agent_memory_bytes=settings.runtime.agent_memory_mb * _MIB,
            step_timeout_s=settings.runtime.step_timeout_s,
        )
    )
