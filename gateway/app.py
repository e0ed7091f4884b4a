"""The composition root: settings become a running gateway, and a stopped one again.

Everything is made here and given to whom it concerns by constructor; nothing else knows all of
it. What is opened is closed in the opposite order, whatever happens in between.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from datetime import datetime, timedelta, tzinfo
from functools import partial

import structlog

from adapters.base import Adapter, AdapterError
from agent_core import __version__
from config.models import ModelSettings
from config.settings import Settings
from gateway.access.administration import Administration
from gateway.access.gate import Gate
from gateway.access.report import claim_text, summary
from gateway.access.snapshot import Access
from gateway.applying import applying
from gateway.changes import Changes
from gateway.chats.directory import Chats
from gateway.chats.host import Host
from gateway.chats.outgoing import OutgoingFiles
from gateway.chats.pruning import Prune, pruned_daily
from gateway.chats.questions import Questions
from gateway.chats.recovery import recover
from gateway.commands.access import access_commands
from gateway.commands.approvals import approval_commands
from gateway.commands.busy import busy_commands
from gateway.commands.chat import chat_commands
from gateway.commands.data import data_commands
from gateway.commands.history import history_commands
from gateway.commands.menus import menus_of
from gateway.commands.models import model_commands
from gateway.commands.notes import note_commands
from gateway.commands.owner import owner_commands
from gateway.commands.reload import reload_commands
from gateway.commands.schedule import schedule_commands
from gateway.commands.sessions import session_commands
from gateway.commands.table import CommandTable
from gateway.delivery.outbox import FOLDER_NAME as OUTBOX_NAME
from gateway.delivery.outbox import Outbox
from gateway.delivery.reply import DeliverySettings
from gateway.desk import FrontDesk
from gateway.llm.models import Models
from gateway.llm.providers import make_provider
from gateway.lock import lock_data_dir
from gateway.masking import secrets_in
from gateway.media.intake import Intake
from gateway.media.transcribing import Transcriber, make_transcriber
from gateway.moving import move
from gateway.operations.measured import MeasuredProvider, MeasuredUsage
from gateway.operations.watch import Watch, watching
from gateway.platforms import console_among, make_adapters
from gateway.reload import Reload
from gateway.reset import policy_of
from gateway.router import Router
from gateway.runtime.base import Runtime
from gateway.runtime.capacity import Capacity
from gateway.runtime.engine import Engine, EngineSettings
from gateway.runtime.native import NativeRuntime
from gateway.runtime.pool import AgentPool
from gateway.sandbox.engine import WasmSandbox
from gateway.schedule.book import Book
from gateway.schedule.scheduler import Scheduler
from gateway.shell.table import JobTable
from gateway.skills.library import Skills
from gateway.store.sqlite import FILE_NAME, SqliteStore
from gateway.tools.families import check_names, make_own_tools, make_tools, served_tools
from gateway.tools.tool import Tool
from gateway.tools.toolbox import Toolbox, mask_of
from gateway.web.web import Web, opened
from gateway.workspace.workspace import FOLDER_NAME, Workspaces
from gateway.zone import load_zone, zone_name

SLOW_START_S = 1.0
_MIB = 1_048_576

Report = Callable[[str], None]

_log = structlog.get_logger()


async def run(settings: Settings, report: Report, reload: Reload | None = None) -> int:
    """Serve until told to stop, or until no platform is left; returns the exit code.

    `report` is told what a person who starts a gateway wants to know; `reload` reads the settings
    again. Raises what keeps it from starting: `StartupError`, `ArtefactError`, `StoreError`.
    """
    reload = reload or Reload(settings)
    async with AsyncExitStack() as stack:
        lock = await asyncio.to_thread(lock_data_dir, settings.data_dir)
        stack.push_async_callback(asyncio.to_thread, lock.release)
        watch = await stack.enter_async_context(watching(settings.http, os.environ))
        zone = await asyncio.to_thread(load_zone, settings.timezone)
        clock = partial(datetime.now, zone)
        store = await SqliteStore.open(settings.data_dir / FILE_NAME, now=clock)
        stack.push_async_callback(store.close)
        watch.store(store)
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
        capacity = await pool.measure()
        watch.agents(pool)
        models = Models(
            settings,
            usage=MeasuredUsage(store.usage, watch.metrics),
            choices=store.model_choices,
            clock=clock,
            make=lambda model: MeasuredProvider(make_provider(model), watch.metrics),
        )
        stack.push_async_callback(models.close)
        gate = Gate(store.access, settings, clock, metrics=watch.metrics)
        administration = Administration(store.access, lambda: gate.access, clock)
        questions = Questions()
        book = await asyncio.to_thread(make_book, store, settings, zone)
        is_scheduling = settings.schedule.enabled
        web = await stack.enter_async_context(opened(settings.web))
        tools, end_programs = await open_tools(
            stack, settings, book if is_scheduling else None, web
        )
        adapters: dict[str, Adapter] = {}
        workspaces = make_workspaces(settings)
        transcriber = open_transcriber(stack, settings)
        host = Host(
            settings=settings,
            store=store,
            sessions=store.sessions,
            search=store.search,
            journal=store.journal,
            inbound=store.inbound,
            pool=pool,
            models=models,
            adapters=adapters,
            questions=questions,
            toolbox=Toolbox(
                tools,
                mask_of(lambda: secrets_in(host.settings)),
                lambda: host.settings.agent.max_result_chars,
            ),
            workspaces=workspaces,
            end_programs=end_programs,
            intake=Intake(adapters, workspaces, transcriber),
            approvals=store.approvals,
            outgoing=OutgoingFiles(
                workspaces,
                await asyncio.to_thread(swept_outbox, settings),
                lambda: host.settings.chats,
                web.fetcher,
            ),
            skills=Skills(settings.data_dir / "skills", lambda: host.settings.tools.skills),
            delivery=DeliverySettings(
                settings.chats.streaming, settings.chats.first_edit_chars, metrics=watch.metrics
            ),
            clock=clock,
            reset_policy=policy_of(settings.sessions, zone),
            standing=gate.standing,
            metrics=watch.metrics,
            chat_gone=book.chat_gone,
        )
        await stack.enter_async_context(served_tools(settings.mcp, host.toolbox))
        chats = await stack.enter_async_context(Chats(host))
        host.toolbox.add(*make_own_tools(host, chats))
        host.tell_owners = lambda platform, text: chats.tell_owners(gate.access, text, platform)
        watch.chats(chats)
        commands = CommandTable(
            [
                *chat_commands(chats),
                *busy_commands(),
                *history_commands(chats),
                *session_commands(chats, host),
                *note_commands(chats, host),
                *data_commands(chats, host, store.people),
                *model_commands(host, store.usage),
                *access_commands(gate, administration, chats),
                *owner_commands(chats, host, store.people, gate, watch.reasons),
                *approval_commands(questions, store.journal, store, store.approvals),
                *(schedule_commands(book) if is_scheduling else []),
                *reload_commands(reload),
            ],
            settings.access.group_commands,
        )
        adapters.update(
            make_adapters(
                settings,
                partial(menus_of, commands, gate),
                commands.listed(),
                FrontDesk(gate, host),
                partial(chats.idle, "console"),
            )
        )
        await administration.forget_the_old()
        await gate.load()
        router = Router(
            store.inbound,
            store.journal,
            chats,
            questions,
            commands=commands,
            gate=gate,
            chat_settings=lambda: host.settings.chats,
            changes=Changes(store, store.inbound, store.journal, chats=chats, clock=clock),
            move=partial(move, host, chats, store.moves),
        )
        await stack.enter_async_context(pruned_daily(prunings(store, settings, clock)))
        await recover(host, chats)
        report(banner(settings, capacity, adapters, gate.access, watch.address))
        if not all(gate.access.has_owner(name) for name in adapters):
            report(claim_text(await administration.issue_claim()))
        scheduler = Scheduler(book, router.receive_scheduled, adapters) if is_scheduling else None
        reload.tell(applying(host, gate, commands, zone))
        return await _serve(adapters, router, chats, watch, reload=reload, scheduler=scheduler)


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


async def open_tools(
    stack: AsyncExitStack, settings: Settings, book: Book | None, web: Web
) -> tuple[list[Tool], Callable[[str], Awaitable[None]]]:
    """The tools, with what they need, which is closed with the stack; and what ends the programs
    that go on in a chat's background. Raises `StartupError`.
    """
    sandbox = WasmSandbox(settings.code.max_programs)
    stack.push_async_callback(sandbox.close)
    shell = settings.shell
    jobs = JobTable(max_running=shell.max_background, life_s=shell.background_hours * 3600)
    await stack.enter_async_context(jobs)
    tools = await asyncio.to_thread(make_tools, settings, book, web, sandbox, jobs)
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


def banner(
    settings: Settings,
    capacity: Capacity,
    adapters: Mapping[str, Adapter],
    access: Access,
    http_address: str | None = None,
) -> str:
    """What stands at the top of the screen."""
    model = settings.model
    rows = [
        (
            "model",
            ", then ".join(map(_named, (model, *settings.fallbacks))),
        ),
        *((name, summary(access, name)) for name in adapters),
        ("agents", f"{settings.runtime.mode}, room for {capacity.agents:,} warm ones"),
        ("data", str(settings.data_dir)),
        *([("http", http_address)] if http_address else []),
    ]
    lines = [f"Hermes {__version__}", *(f"  {name:<10}{text}" for name, text in rows)]
    if "console" in adapters and sys.stdin.isatty():
        lines.append("Type a message. /help lists commands, Ctrl-C stops an answer, Ctrl-D leaves.")
    return "\n".join(lines)


def _named(model: ModelSettings) -> str:
    return f"{model.name} ({model.provider})" if model.name != model.provider else model.name


async def _serve(
    adapters: dict[str, Adapter],
    router: Router,
    chats: Chats,
    watch: Watch,
    *,
    reload: Reload,
    scheduler: Scheduler | None,
) -> int:
    """Run all platforms until a signal comes or none is left; then end what runs, in order."""
    failures: list[str] = []
    console = console_among(adapters)
    stop = asyncio.Event()
    this_task = asyncio.current_task()

    async def serve(adapter: Adapter) -> None:
        try:
            await adapter.run(router.receive)
        except AdapterError as error:
            failures.append(adapter.name)
            watch.platform_lost(adapter.name, str(error))
            _log.error("platform given up", platform=adapter.name, reason=str(error))
        except Exception:  # noqa: BLE001 - logged with its traceback; the other platforms go on
            failures.append(adapter.name)
            watch.platform_lost(adapter.name, "it broke down; the log has the rest")
            _log.exception("platform broke down", platform=adapter.name)

    async def wait_for_all() -> None:
        await asyncio.wait(tasks)
        stop.set()

    def on_ctrl_c() -> None:
        if console is None or not console.interrupt():
            on_signal()

    def on_signal() -> None:
        if stop.is_set() and this_task is not None:
            this_task.cancel()  # asked twice: at once
        stop.set()

    def on_hang_up() -> None:
        reloads.add(reading := group.create_task(reload()))
        reading.add_done_callback(reloads.discard)

    reloads: set[asyncio.Task[str]] = set()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(serve(adapter)) for adapter in adapters.values()]
        waiting = group.create_task(wait_for_all())
        scheduling = group.create_task(scheduler.run()) if scheduler else None
        handlers = {
            signal.SIGINT: on_ctrl_c,
            signal.SIGTERM: on_signal,
            signal.SIGHUP: on_hang_up,
        }
        with _signals(handlers):
            for adapter in adapters.values():
                watch.platform(adapter)
            watch.serving()
            await stop.wait()
            watch.stopping()
            _log.info("stopping")
            if scheduling:
                scheduling.cancel()
            router.close()
            await chats.close()
        waiting.cancel()
        for task in tasks:
            task.cancel()
    return 1 if len(failures) == len(adapters) else 0


@contextmanager
def _signals(handlers: Mapping[signal.Signals, Callable[[], None]]) -> Iterator[None]:
    """Have signals handled on the event loop."""
    loop = asyncio.get_running_loop()
    for number, handle in handlers.items():
        loop.add_signal_handler(number, handle)
    try:
        yield
    finally:
        for number in handlers:
            loop.remove_signal_handler(number)
