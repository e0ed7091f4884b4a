"""All that one turn puts on the screen by itself: the growing answer and what it turns into, files
that tools send, what tools are doing, that something is being made, how far a message has come.

Questions are `asking`'s; what is said, and when, is the agent's business, and `effects` passes it
on. Ledger keys are numbers for answers and `t…` for what tools send: the same after a restart.
"""

import asyncio
import hashlib
from collections.abc import Callable, Coroutine
from typing import Any

from adapters.base import Adapter, Button, Inbound, Mark
from gateway.chats import lost_replies
from gateway.chats.activity import ActivityLine
from gateway.chats.book import ReplyBook
from gateway.chats.host import Host
from gateway.chats.journal import TurnJournal
from gateway.chats.marks import Marks
from gateway.chats.past import Past
from gateway.chats.tool_calls import may_fetch
from gateway.delivery.persistence import Outcome
from gateway.delivery.reply import Buttons, Reply
from gateway.delivery.typing import keep_typing
from gateway.sessions import session_key
from gateway.store.journal import ReplySaid

STOP_PREFIX = "stop"
REMEMBERED_CHARS = 200
"""Of each answer, to say later which it was."""

Spawn = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]
"""Runs something as a task of the turn; what it raises is the turn's to report."""


def stop_data(turn: str) -> str:
    """What the Stop button under a turn's growing text says."""
    return f"{STOP_PREFIX}:{turn}"


class Voice:
    """The voice of one turn. Lives as long as the turn's tasks."""

    def __init__(
        self, host: Host, message: Inbound, journal: TurnJournal, past: Past, spawn: Spawn
    ) -> None:
        self._host = host
        self._message = message
        self._journal = journal
        self._past = past
        self._spawn = spawn
        self._adapter: Adapter = host.adapters[message.address.platform]
        self._files = host.outgoing.of(session_key(message.address), self._may_fetch)
        # Nobody waits for a scheduled run, and it may turn out that there is nothing to say.
        level = host.settings.chats.tool_activity if message.scheduled is None else "off"
        self.activity = ActivityLine(level, self._tell, host.delivery.activity_after_s)
        self._marks = Marks(self._adapter, message, is_wanted=host.settings.chats.marks)
        self._spawn(self._marks.put(Mark.SEEN))
        self._typing: asyncio.Task[None] | None = None
        self.type()
        self._replies = 0
        self.reply, self._book = self._next_reply()

    def type(self, *, is_on: bool = True) -> None:
        """Show that something is being made, or don't any more."""
        if self._typing is not None:
            self._typing.cancel()
            self._typing = None
        if is_on:
            self._typing = self._spawn(keep_typing(self._adapter, self._message.address))

    def wait_for_people(self, is_waiting: bool) -> None:
        """Nothing is being made while people are asked something."""
        self.type(is_on=not is_waiting)
        self.activity.hold(is_waiting)

    async def finish(self, text: str, buttons: Buttons = ()) -> None:
        """Show a text for good; whatever was streamed turns into it."""
        self.activity.pause()
        if await self.reply.finish(text, buttons) is Outcome.GONE:
            await self._host.chat_gone(self._message)
        self._journal.note(ReplySaid(self._journal.turn, self._book.reply, text[:REMEMBERED_CHARS]))
        await lost_replies.offer(self._host, self._message.address, self._journal, self._book)

    def go_on(self) -> None:
        """What comes next is another message."""
        self.reply, self._book = self._next_reply()

    async def show(self, call_id: str, markdown: str) -> Outcome:
        """Show something that a tool sends, once, whatever becomes of the call."""
        await self.make_way()
        book = self._open_book(f"t{hashlib.sha256(call_id.encode()).hexdigest()[:12]}")
        address, settings = self._message.address, self._host.delivery
        reply = Reply(self._adapter, address, settings, ledger=book, files=self._files)
        outcome = await reply.finish(markdown)
        await lost_replies.offer(self._host, address, self._journal, book)
        return outcome

    async def make_way(self) -> None:
        """Take away what only said what was being done: what comes now is to stand last."""
        self.activity.pause()
        if self.reply.text.strip():
            return
        reply = self.reply
        await reply.withdraw()
        if reply is self.reply:
            self.reply, self._book = self._new_reply(ReplyBook(self._journal, self._book.reply))

    async def close(self, *, is_answered: bool, has_failed: bool) -> None:
        """End what only accompanies a turn, and take back a text that never became final."""
        self.type(is_on=False)
        self.activity.close()
        if not is_answered:
            await self.reply.withdraw()
        await self._files.close()
        await self._marks.put(Mark.FAILED if has_failed else Mark.DONE)

    async def _may_fetch(self) -> bool:
        return await may_fetch(self._host, [self._message, *self._journal.voices])

    def _tell(self, activity: str) -> None:
        self.reply.tell(activity)

    def _next_reply(self) -> tuple[Reply, ReplyBook]:
        self._replies += 1
        return self._new_reply(self._open_book(str(self._replies)))

    def _new_reply(self, book: ReplyBook) -> tuple[Reply, ReplyBook]:
        stop = Button("Stop", stop_data(self._journal.turn))
        address, settings = self._message.address, self._host.delivery
        files = self._files
        reply = Reply(self._adapter, address, settings, ((stop,),), ledger=book, files=files)
        self._spawn(reply.stream())
        return reply, book

    def _open_book(self, reply: str) -> ReplyBook:
        return ReplyBook(self._journal, reply, self._past.parts.get(reply, ()))
