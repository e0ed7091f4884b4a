"""Messages of which nobody knows whether they arrived: the gateway was killed as it sent them, or
the platform did not say. Final ones are never sent again unasked; the person is told, and can have
them shown again. Previews are looked for, where a platform lets us, so that they become the answer.

The notice itself may come twice, if it is cut off or not confirmed as well: it says nothing that
could be doubled. Its button works until what it stands for is known to have arrived.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import structlog

from adapters.base import AdapterError, Address, Button, ButtonPress, FindsMessages
from gateway.chats.book import ReplyBook
from gateway.chats.host import Host
from gateway.chats.journal import TurnJournal
from gateway.chats.tool_calls import may_fetch
from gateway.delivery.composing import compose
from gateway.delivery.persistence import Outcome
from gateway.delivery.reply import Offer, say
from gateway.delivery.screen import Screen
from gateway.sessions import session_key
from gateway.store.journal import PartMoved, StoredPart

PREFIX = "again"
NOTICE = (
    "I was restarted while I was sending a message. If my last answer is not here, I can show it "
    "again."
)
NOT_HEARD = (
    "I could not find out whether my last message arrived. If it is not here, I can show it again."
)
NOTICE_TRIES = 3
NOT_LOST = "There is nothing to show again."

_log = structlog.get_logger()


async def offer(host: Host, address: Address, journal: TurnJournal, book: ReplyBook) -> None:
    """Tell of parts that may be lost, and note that it was told."""
    if not book.lost or not journal.is_begun:  # of a turn that never began nothing is kept
        return
    reply, lost = book.reply, book.lost
    _log.warning("a message may have been lost", reply=reply, parts=len(lost))
    button = Button("Show it again", f"{PREFIX}:{journal.turn}:{reply}")
    notice = Offer(NOTICE if book.was_cut_off else NOT_HEARD, ((button,),))
    for _ in range(NOTICE_TRIES):
        said = await say(host.adapters[address.platform], address, host.delivery, notice)
        if said is not Outcome.UNKNOWN:
            break
    await journal.write(*(PartMoved(journal.turn, reply, place, "unknown") for place in lost))


async def look_for_previews(
    host: Host, address: Address, stop_data: str, parts: Mapping[str, Sequence[StoredPart]]
) -> Mapping[str, Sequence[StoredPart]]:
    """The parts of a turn that was cut off, with the ids of previews that were being sent.

    A preview has the turn's Stop button, so where messages can be looked for it is found by that.
    """
    adapter = host.adapters[address.platform]
    if not isinstance(adapter, FindsMessages):
        return parts
    found: dict[str, Sequence[StoredPart]] = {}
    for reply, those in parts.items():
        ids = [
            await _find(host, adapter, address, stop_data) if _is_stray(one) else None
            for one in those
        ]
        found[reply] = [
            one if message_id is None else replace(one, state="sent", message_ids=(message_id,))
            for one, message_id in zip(those, ids, strict=True)
        ]
    return found


def _is_stray(part: StoredPart) -> bool:
    return not part.message_ids and part.markdown is None


async def _find(host: Host, adapter: FindsMessages, address: Address, stop_data: str) -> str | None:
    for pause_s in (*host.delivery.backoff_s, None):
        try:
            return await adapter.find(address, stop_data)
        except AdapterError as error:  # at a start the platform may not be connected yet
            _log.info("a message could not be looked for", error=str(error))
        if pause_s is not None:
            await asyncio.sleep(pause_s)
    return None


async def show_again(host: Host, press: ButtonPress, detail: str) -> str | None:
    """Show what may have been lost; a notice if there is nothing, or not for this chat."""
    address = press.address
    turn, _, reply = detail.partition(":")
    if await host.journal.chat_of(turn) != session_key(address):
        return NOT_LOST
    parts = [
        part
        for part in await host.journal.parts(turn)
        if part.reply == reply and part.state == "unknown" and part.markdown is not None
    ]
    if not parts:
        return NOT_LOST
    adapter = host.adapters[address.platform]
    screen_of = partial(Screen, adapter, address, host.delivery.gates.of(adapter))
    files = host.outgoing.of(session_key(address), partial(may_fetch, host, [press]))
    try:
        composed = await compose(adapter, parts[0].markdown or "", files)
        for part in parts:
            wanted = composed[part.position : part.position + 1]
            if await screen_of(host.delivery.backoff_s).show(wanted) is Outcome.SHOWN:
                await host.journal.write([PartMoved(turn, reply, part.position, None)])
    finally:
        await files.close()
    return None
