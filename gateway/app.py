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
from gateway.access.report import claim_text
from gateway.applying import applying
from gateway.banner import banner
from gateway.chats.pruning import pruned_daily
from gateway.chats.recovery import recover
from gateway.commands.menus import menus_of
from gateway.core import assembled
from gateway.delivery.reply import DeliverySettings
from gateway.desk import FrontDesk
from gateway.lasting import lasting
from gateway.lock import lock_data_dir
from gateway.masking import secrets_in
from gateway.operations.watch import watching
from gateway.parts import (
    Report,
    make_book,
    make_workspaces,
    open_documents,
    open_models,
    open_pool,
    open_tools,
    open_transcriber,
    prunings,
    swept_outbox,
)
from gateway.platforms import make_adapters
from gateway.reload import Reload
from gateway.schedule.scheduler import Scheduler
from gateway.serving import serve_all
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
        models = open_models(stack, settings, store, watch.metrics, clock)
        book = await asyncio.to_thread(make_book, store, settings, zone)
        web = await stack.enter_async_context(opened(settings.web))
        documents = open_documents(stack, settings)
        tools, end_programs = await open_tools(stack, settings, book, web, documents)
        toolbox = Toolbox(
            tools,
            mask_of(lambda: secrets_in(core.host.settings)),
            lambda: core.host.settings.agent.max_result_chars,
        )
        await stack.enter_async_context(served_tools(settings.mcp, toolbox))
        adapters: dict[str, Adapter] = {}
        core = await stack.enter_async_context(
            assembled(
                settings,
                store,
                pool,
                models,
                adapters,
                clock=clock,
                zone=zone,
                book=book,
                toolbox=toolbox,
                outbox=await asyncio.to_thread(swept_outbox, settings),
                delivery=DeliverySettings(
                    settings.chats.streaming, settings.chats.first_edit_chars, metrics=watch.metrics
                ),
                reload=reload,
                reasons=watch.reasons,
                workspaces=make_workspaces(settings),
                documents=documents,
                transcriber=open_transcriber(stack, settings),
                fetcher=web.process,
                end_programs=end_programs,
                metrics=watch.metrics,
            )
        )
        host, chats, gate, commands = core.host, core.chats, core.gate, core.commands
        toolbox.add(*make_own_tools(host, chats))
        watch.chats(chats)
        adapters.update(
            make_adapters(
                settings,
                partial(menus_of, commands, gate),
                commands.listed(),
                FrontDesk(gate, host),
                partial(chats.idle, "console"),
            )
        )
        await core.administration.forget_the_old()
        await stack.enter_async_context(pruned_daily(prunings(store, settings, clock)))
        await recover(host, chats)
        report(banner(settings, capacity, adapters, gate.access, watch.address))
        if not all(gate.access.has_owner(name) for name in adapters):
            report(claim_text(await core.administration.issue_claim()))
        scheduler = None
        if settings.schedule.enabled:
            scheduler = Scheduler(book, core.router.receive_scheduled, adapters)
        reload.tell(applying(host, gate, commands, zone))
        stack.enter_context(lasting())
        return await serve_all(
            adapters, core.router, chats, watch, reload=reload, scheduler=scheduler
        )
