"""The core of a gateway: all that stands between its platforms and its agents, put together.

`app.py` makes of the settings what it is given here, and runs the whole; tests and benchmarks put
platforms and models of their own around the same core.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial

from adapters.base import Adapter
from config.settings import Settings
from gateway.access.administration import Administration
from gateway.access.gate import Gate
from gateway.changes import Changes
from gateway.chats.directory import Chats
from gateway.chats.host import Clock, Host, none_run
from gateway.chats.outgoing import OutgoingFiles
from gateway.chats.questions import Questions
from gateway.commands.families import all_commands
from gateway.commands.owner import Reasons
from gateway.commands.table import CommandTable
from gateway.delivery.outbox import Outbox
from gateway.delivery.reply import DeliverySettings
from gateway.gone import chat_gone
from gateway.llm.models import Models
from gateway.media.intake import Intake
from gateway.media.transcribing import Transcriber
from gateway.metrics import Metrics
from gateway.moving import move
from gateway.reading.documents import Documents
from gateway.reload import Reload
from gateway.reset import policy_of
from gateway.router import Router
from gateway.runtime.pool import AgentPool
from gateway.schedule.book import Book
from gateway.skills.library import Skills
from gateway.store.sqlite import SqliteStore
from gateway.tools.toolbox import Toolbox
from gateway.web.fetch import Gets
from gateway.workspace.workspace import Workspaces


@dataclass(frozen=True, slots=True)
class Core:
    """What a platform speaks to is the router; the rest is for whoever runs the gateway."""

    host: Host
    chats: Chats
    gate: Gate
    administration: Administration
    commands: CommandTable
    router: Router


@asynccontextmanager
async def assembled(
    settings: Settings,
    store: SqliteStore,
    pool: AgentPool,
    models: Models,
    adapters: Mapping[str, Adapter],
    *,
    clock: Clock,
    zone: tzinfo,
    book: Book,
    toolbox: Toolbox,
    outbox: Outbox,
    delivery: DeliverySettings,
    reload: Reload,
    reasons: Reasons,
    workspaces: Workspaces,
    documents: Documents,
    transcriber: Transcriber | None = None,
    fetcher: Gets | None = None,
    end_programs: Callable[[str], Awaitable[None]] = none_run,
    metrics: Metrics | None = None,
) -> AsyncIterator[Core]:
    """A core, whose turns are ended in the end. `adapters` may be filled until the first event.

    Raises `StoreError`.
    """
    metrics = metrics or Metrics()
    gate = Gate(store.access, settings, clock, metrics=metrics)
    administration = Administration(store.access, lambda: gate.access, clock)
    questions = Questions(clock)
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
        toolbox=toolbox,
        workspaces=workspaces,
        end_programs=end_programs,
        intake=Intake(adapters, workspaces, documents, transcriber),
        approvals=store.approvals,
        outgoing=OutgoingFiles(workspaces, outbox, lambda: host.settings.chats, fetcher),
        skills=Skills(settings.data_dir / "skills", lambda: host.settings.tools.skills),
        delivery=delivery,
        clock=clock,
        reset_policy=policy_of(settings.sessions, zone),
        standing=gate.standing,
        metrics=metrics,
    )
    async with Chats(host) as chats:
        host.chat_gone = lambda message: chat_gone(book, chats, gate.access, message)
        host.tell_owners = lambda platform, text: chats.tell_owners(gate.access, text, platform)
        commands = CommandTable(
            all_commands(
                host,
                chats,
                store,
                gate,
                administration,
                reasons=reasons,
                book=book if settings.schedule.enabled else None,
                reload=reload,
            ),
            settings.access.group_commands,
        )
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
        await gate.load()
        yield Core(host, chats, gate, administration, commands, router)
