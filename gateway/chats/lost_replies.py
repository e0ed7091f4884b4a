"""Replies of which nobody knows whether they arrived, because the gateway was killed as it sent
them. They are never sent again unasked; the person is told, and can have them shown again.

The notice itself may come twice, if it is cut off as well: it says nothing that could be doubled.
"""

from collections.abc import Sequence

import structlog

from adapters.base import Address, Button
from gateway.chats.host import Host
from gateway.chats.journal import TurnJournal
from gateway.delivery.reply import Reply
from gateway.delivery.screen import Screen
from gateway.sessions import session_key
from gateway.store.journal import PartMoved, StoredPart

PREFIX = "again"
NOTICE = (
    "I was restarted while I was sending a message. If my last answer is not here, I can show it "
    "again."
)
NOT_LOST = "There is nothing to show again."

_log = structlog.get_logger()


def is_lost(part: StoredPart) -> bool:
    """Whether it was being sent, as a final one, when the gateway was killed."""
    return part.state == "sending" and part.markdown is not None


async def offer(
    host: Host, address: Address, journal: TurnJournal, lost: Sequence[StoredPart]
) -> None:
    """Tell of parts that may be lost, and note that it was told."""
    if not lost:
        return
    reply = lost[0].reply
    _log.warning("a message may have been lost by the restart", reply=reply, parts=len(lost))
    button = Button("Show it again", f"{PREFIX}:{journal.turn}:{reply}")
    notice = Reply(host.adapters[address.platform], address, host.delivery)
    await notice.finish(NOTICE, ((button,),))
    await journal.write(
        *(PartMoved(journal.turn, reply, part.position, "unknown") for part in lost)
    )


async def show_again(host: Host, address: Address, detail: str) -> str | None:
    """Show what may have been lost; a notice if there is nothing, or not for this chat."""
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
    await host.journal.write([PartMoved(turn, reply, part.position, None) for part in parts])
    adapter = host.adapters[address.platform]
    for part in parts:
        rendered = adapter.render(part.markdown or "")
        if part.position < len(rendered):
            gate = host.delivery.gates.of(adapter)
            screen = Screen(adapter, address, gate, host.delivery.backoff_s)
            await screen.show([rendered[part.position]])
    return None
