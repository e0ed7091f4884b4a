"""The ledger of one reply of a turn, kept in the turn's journal."""

from collections.abc import Sequence

import structlog

from gateway.chats.journal import TurnJournal
from gateway.delivery.ledger import Found
from gateway.store.errors import StoreError
from gateway.store.journal import PartMoved, PartState, StoredPart

_log = structlog.get_logger()


def is_lost(part: StoredPart) -> bool:
    """Whether it was being sent, as a final one, when the gateway was killed."""
    return part.state == "sending" and part.markdown is not None


class ReplyBook:
    """Implements `gateway.delivery.ledger.Ledger`.

    `lost` are the final parts of which nobody knows whether they arrived, and which the person has
    not been told of yet. Until then they stay *sending* in the store.
    """

    def __init__(self, journal: TurnJournal, reply: str, parts: Sequence[StoredPart] = ()) -> None:
        self.reply = reply
        self.lost = [part.position for part in parts if is_lost(part)]
        self.was_cut_off = bool(self.lost)  # by a restart
        self.found: Sequence[Found] = [
            Found(
                part.position,
                part.message_ids if part.state == "sent" else (),
                part.markdown,
            )
            for part in parts
        ]
        self._journal = journal
        self._markdown: str | None = None

    def finish(self, markdown: str) -> None:
        """See `Ledger`."""
        self._markdown = markdown

    async def sending(self, position: int) -> None:
        """See `Ledger`."""
        await self._write(self._moved(position, "sending"))

    async def sent(self, position: int, message_ids: Sequence[str]) -> None:
        """See `Ledger`. Of a final part it is written with what follows it at once: the next
        part, or the end of the turn."""
        moved = self._moved(position, "sent", message_ids)
        if self._markdown is None:
            await self._write(moved)
        elif self._journal.is_begun:
            self._journal.note(moved)

    async def unsent(self, position: int) -> None:
        """See `Ledger`."""
        await self._write(self._moved(position, None))

    async def unknown(self, position: int) -> None:
        """See `Ledger`."""
        if self._markdown is None:
            await self._write(self._moved(position, "unknown"))
        else:
            self.lost.append(position)

    def _moved(
        self, position: int, state: PartState | None, message_ids: Sequence[str] = ()
    ) -> PartMoved:
        turn, ids = self._journal.turn, tuple(message_ids)
        return PartMoved(turn, self.reply, position, state, ids, self._markdown)

    async def _write(self, moved: PartMoved) -> None:
        if not self._journal.is_begun:
            return  # nothing of this turn will be taken up again
        try:
            await self._journal.write(moved)
        except StoreError as error:
            _log.warning("a reply's progress was not written down", error=str(error))
