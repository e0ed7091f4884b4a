"""What becomes of things that happen to messages after they were sent: changes, reactions,
deletions, and asking again what failed. Whose doing it was has been let in by the router; deletions
are nobody's.

A change replaces what still waits, has the last turn redone, or is told with the next message. A
reaction to an answer is told likewise, and never taken for consent to anything.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from adapters.base import ButtonPress, Deleted, Edited, Inbound, Reaction
from gateway import events
from gateway.chats.asides import MAX_NOTES, aside, change_text, reaction_text
from gateway.chats.directory import Chats
from gateway.chats.joining import is_same
from gateway.commands.busy import handed_over
from gateway.commands.command import parse
from gateway.sessions import session_key
from gateway.store.base import Store
from gateway.store.inbound import InboundStore, Incoming
from gateway.store.journal import JournalStore

REDONE_WITHIN = timedelta(minutes=15)
"""Of a turn that began earlier a change is only told: nobody expects a new answer to it."""

NOT_LAST = "Something else has been said since then. Send it again, please."

_log = structlog.get_logger()


class Changes:
    """Takes them in, for all chats."""

    def __init__(
        self,
        store: Store,
        inbound: InboundStore,
        journal: JournalStore,
        *,
        chats: Chats,
        clock: Callable[[], datetime],
    ) -> None:
        self._store = store
        self._inbound = inbound
        self._journal = journal
        self._chats = chats
        self._clock = clock

    async def edited(self, event: Edited) -> None:
        """Take in a message that was changed. Raises `StoreError`."""
        message = _without_mode(event.message)
        if message is None:
            return  # a command has done what it did
        if (waits := self._chats.change(message)) is not None:
            await self._inbound.change(incoming(waits))
            await self._inbound.take_note(incoming(event.message))
            return
        chat = session_key(message.address)
        answered = self._chats.answered(message)
        if answered is None:
            answered = await self._answered_last(chat, message)
        if answered is not None and answered.text == message.text:
            return  # platforms also say so when a link has got its preview
        if answered is not None and not answered.may_go_on:  # else it was one of several pieces
            await self._redo(message, answered)
        elif message.is_addressed:
            changed = aside(chat, "done", message.address, message.sender, change_text(message))
            await self._inbound.take_aside(incoming(event.message), changed, MAX_NOTES)

    async def retried(self, press: ButtonPress, turn: str) -> str | None:
        """Ask the message of a failed turn again, in its place; a notice if that can't be.

        What was shown of the failure goes. Raises `StoreError`.
        """
        chat = session_key(press.address)
        last = await self._journal.last_turn(chat)
        if last is None or last.turn != turn or self._chats.activity(chat) != (False, 0):
            return NOT_LAST
        before = events.from_json(last.event)
        if before.sender.id != press.sender.id:
            return f"This button is for {before.sender.name[:60]}."
        message = replace(before, event_id=press.event_id, is_redone=True)
        if await self._inbound.take(incoming(message)):
            self._chats.redo(message)
            if press.message_id is not None and press.is_on_message:
                self._chats.take_away(press.address, press.message_id)
        return None

    async def reacted(self, event: Reaction) -> None:
        """Take in a reaction, if it is to an answer of ours. Raises `StoreError`."""
        # Telegram does not say in which topic it was; ids of messages are a chat's own, though.
        key = session_key(event.address)
        shown = await self._journal.answer_shown(key, event.message_id)
        if shown is None:
            return
        chat, answer = shown
        text = reaction_text(event.emoji, answer, is_added=event.is_added)
        reacted = aside(chat, "done", event.address, event.sender, text)
        seen = Incoming(event.address.platform, event.event_id, key, "{}")
        await self._inbound.take_aside(seen, reacted, MAX_NOTES)

    async def deleted(self, event: Deleted) -> None:
        """Drop a message that is gone, if it still waits. Raises `StoreError`."""
        chat = session_key(event.address)
        dropped = self._chats.drop(chat, event.message_id)
        if dropped is not None:
            _log.info("deleted before it was answered", chat=chat)
            await self._inbound.settle(event.address.platform, dropped.event_id, "dropped")

    async def _answered_last(self, chat: str, message: Inbound) -> Inbound | None:
        """What a message said before, if the chat's last turn, a moment ago, was to answer that."""
        last = await self._journal.last_turn(chat)
        if last is None or self._clock() - last.begun_at > REDONE_WITHIN:
            return None
        before = events.from_json(last.event)
        is_last = is_same(before, message) and parse(before) is None
        if not is_last or self._chats.activity(chat)[1]:
            return None
        return before if last.session == (await self._store.current_session(chat)).id else None

    async def _redo(self, message: Inbound, before: Inbound) -> None:
        # Of an album one message is changed, and it is all of it that is answered.
        attachments = before.attachments if before.album_id else message.attachments
        # What goes with it is what went with it: that has been looked at.
        message = replace(message, attachments=attachments, context=before.context, is_redone=True)
        if await self._inbound.take(incoming(message)):
            self._chats.redo(message)


def incoming(message: Inbound) -> Incoming:
    """A message as the store keeps it."""
    platform, chat = message.address.platform, session_key(message.address)
    return Incoming(platform, message.event_id, chat, events.to_json(message))


def _without_mode(message: Inbound) -> Inbound | None:
    """The message itself, if `/queue` or `/steer` stands before it; None of any other command."""
    call = parse(message)
    if call is None:
        return message
    handed = handed_over(call)
    return None if handed is None else handed[0]
