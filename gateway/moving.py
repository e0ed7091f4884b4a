"""A group that gets another id: what is stored of it moves, and what runs goes on under the new id.

For what runs, this is a pause like a kill: it is cut off, its rows are moved, and the journal takes
it up again, with an address that its answer can be sent to.
"""

import asyncio
from dataclasses import replace

import structlog

from adapters.base import Moved
from gateway import events
from gateway.chats.directory import Chats
from gateway.chats.host import Host
from gateway.chats.recovery import give_back
from gateway.sessions import session_key
from gateway.store.moves import MoveStore

_log = structlog.get_logger()


async def move(host: Host, chats: Chats, moves: MoveStore, event: Moved) -> None:
    """Carry a move out; one that was carried out before changes nothing. Raises `StoreError`."""
    former = session_key(replace(event.address, thread_id=None))
    present = session_key(replace(event.address, chat_id=event.new_chat_id, thread_id=None))
    jobs = await chats.halt(former)
    moved = await moves.move(event.address.platform, event.address.chat_id, event.new_chat_id)
    for key, new_key in {former: present, **moved.keys}.items():
        host.pool.drop(key)
        host.pool.drop(new_key)
        await host.end_programs(key)
        await asyncio.to_thread(host.workspaces.move, key, new_key)
    for question in await host.journal.questions():
        host.questions.restored(question)
    for turn in await host.journal.open_turns():
        if turn.id in moved.turns:
            chats.resume(events.from_json(turn.event), turn)
    for waiting in moved.waiting:
        give_back(host, chats, events.from_json(waiting))
    for job in jobs:
        chats.do(present, job)
    if moved.keys:
        _log.info("a chat has moved", chat=former, to=present, chats=len(moved.keys))
