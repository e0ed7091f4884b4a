"""What a start finds from the run before: turns that were cut off, messages that still wait.

All of it goes into the inboxes before a platform brings anything new, so that each chat's order
is kept.
"""

import structlog

from gateway import events
from gateway.chats.directory import Chats
from gateway.chats.host import Host
from gateway.commands.command import parse
from gateway.sessions import session_key

_log = structlog.get_logger()


async def recover(host: Host, chats: Chats) -> None:
    """Take up what was left. Raises `StoreError`."""
    for question in await host.journal.questions():
        host.questions.restored(question)
    turns = await host.journal.open_turns()
    # Read before a turn goes on: what was said into it may come out as a message that waits.
    waiting = [events.from_json(event) for event in await host.inbound.waiting()]
    for turn in turns:
        message = events.from_json(turn.event)
        if message.address.platform in host.adapters:
            chats.resume(message, turn)
    for message in waiting:
        if message.address.platform in host.adapters:
            chats.offer(message)
    for message in [events.from_json(event) for event in await host.inbound.cut_off()]:
        if message.address.platform not in host.adapters:
            continue
        call = parse(message)
        _log.warning("a command was cut off", chat=session_key(message.address))
        chats.notify(message.address, cut_off_text(call.name if call else ""))
        await host.inbound.settle(message.address.platform, message.event_id, "done")
    if turns or waiting:
        _log.info("goes on with what was cut off", turns=len(turns), messages=len(waiting))


def cut_off_text(name: str) -> str:
    """What is said of a command that may or may not have taken effect."""
    return (
        f"I was restarted while I carried out /{name}. Please look whether it took effect, and "
        "send it again if it did not."
    )
