"""The composition root: settings become a running gateway, and a stopped one again.

Everything is put together here and given to whom it concerns by constructor; nothing else knows
all of it. `parts.py` makes single parts, `serving.py` runs the whole. What is opened is closed in
the opposite order, whatever happens in between.
"""

import asyncio
import os
from contextlib import AsyncExitStack
from datetime import datetime
from functools import partial

from adapters.base import Adapter
from config.settings import Settings
from gateway.access.administration import Administration
from gateway.access.gate import Gate
from gateway.access.report import claim_text
from gateway.applying import applying
from gateway.banner import banner
from gateway.changes import Changes
from gateway.chats.directory import Chats
from gateway.chats.host import Host
from gateway.chats.outgoing import OutgoingFiles
from gateway.chats.pruning import pruned_daily
from gateway.chats.questions import Questions
from gateway.chats.recovery import recover
from gateway.commands.families import all_commands
from gateway.commands.menus import menus_of
from gateway.commands.table import CommandTable
from gateway.delivery.reply import DeliverySettings
from gateway.desk import FrontDesk
from gateway.llm.models import Models
from gateway.llm.providers import make_provider
from gateway.lock import lock_data_dir
from gateway.masking import secrets_in
from gateway.media.intake import Intake
from gateway.moving import move
from gateway.operations.measured import MeasuredProvider, MeasuredUsage
from gateway.operations.watch import watching
from gateway.parts import (
    Report,
    make_book,
    make_workspaces,
    open_pool,
    open_tools,
    open_transcriber,
    prunings,
    swept_outbox,
)
from gateway.platforms import make_adapters
from gateway.reload import Reload
from gateway.reset import policy_of
from gateway.router import Router
from gateway.schedule.scheduler import Scheduler
from gateway.serving import serve_all
from gateway.skills.library import Skills
from gateway.store.sqlite import FILE_NAME, SqliteStore
from gateway.tools.families import make_own_tools, served_tools
from gateway.tools.toolbox import Toolbox, mask_of
from gateway.web.web import opened
from gateway.zone import load_zone


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
        pool = await open_pool(stack, settings, report)
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
            all_commands(
                host,
                chats,
                store,
                gate,
                administration,
                reasons=watch.reasons,
                book=book if is_scheduling else None,
                reload=reload,
            ),
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
            changes=Changes(
                store, store.inbound, store.journal, chats=chats, asides=host.asides, clock=clock
            ),
            move=partial(move, host, chats, store.moves),
        )
        await stack.enter_async_context(pruned_daily(prunings(store, settings, clock)))
        await recover(host, chats)
        report(banner(settings, capacity, adapters, gate.access, watch.address))
        if not all(gate.access.has_owner(name) for name in adapters):
            report(claim_text(await administration.issue_claim()))
        scheduler = Scheduler(book, router.receive_scheduled, adapters) if is_scheduling else None
        reload.tell(applying(host, gate, commands, zone))
        return await serve_all(adapters, router, chats, watch, reload=reload, scheduler=scheduler)
