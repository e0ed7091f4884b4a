"""What a start finds from the run before: turns that were cut off, messages that still wait.

All of it goes into the inboxes before a platform brings anything new, so that each chat's order
is kept.
"""

import structlog

from adapters.base import Inbound
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
    waiting = await host.inbound.waiting()
    for turn in turns:
        if (message := _readable(host, turn.event)) is not None:
            chats.resume(message, turn)
    readable = [message for event in waiting if (message := _readable(host, event)) is not None]
    # A change takes the place of what it changes, which is the turn that goes on, or the last one.
    for message in sorted(readable, key=lambda message: not message.is_redone):
        give_back(host, chats, message)
    for event in await host.inbound.cut_off():
        if (message := _readable(host, event)) is not None:
            await _tell_of_cut_off(host, chats, message)
    if turns or waiting:
        _log.info("goes on with what was cut off", turns=len(turns), messages=len(waiting))


def give_back(host: Host, chats: Chats, message: Inbound) -> None:
    """Let a message that waited go on: into its chat, or as an answer that is put into words."""
    question = host.questions.find(message.answers)
    if question is not None:
        chats.answer_in_words(message, question)
    else:
        chats.give_back(message)


def _readable(host: Host, event: str) -> Inbound | None:
    """The message, if its platform is served; what can't be read must not keep us from starting."""
    try:
        message = events.from_json(event)
    except (ValueError, TypeError, KeyError) as error:
        _log.error("a stored message can't be read", error=str(error))
        return None
    return message if message.address.platform in host.adapters else None


async def _tell_of_cut_off(host: Host, chats: Chats, message: Inbound) -> None:
    call = parse(message)
    _log.warning("a command was cut off", chat=session_key(message.address))
    chats.notify(message.address, cut_off_text(call.name if call else ""))
    await host.inbound.settle(message.address.platform, message.event_id, "done")


def cut_off_text(name: str) -> str:
    """What is said of a command that may or may not have taken effect."""
    return (
        f"I was restarted while I carried out /{name}. Please look whether it took effect, and "
        "send it again if it did not."
    )
