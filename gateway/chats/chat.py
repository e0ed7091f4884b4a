"""One chat: what waits to be answered, and the one task that answers it, message by message.

The task exists while there is work. What a turn is, and what befalls it, is `turn`'s business;
which chats there are is `directory`'s.
"""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial

import structlog

from adapters.base import Address, Inbound
from gateway.chats.apologies import apology
from gateway.chats.busy import CHANGED, SUPERSEDED, Mode, Steer
from gateway.chats.host import Host
from gateway.chats.inbox import Inbox, Job, Waiting
from gateway.chats.turn import Turn
from gateway.delivery.reply import say
from gateway.store.errors import StoreError
from gateway.store.journal import OpenTurn

_log = structlog.get_logger()


class Chat:
    """A chat with work to do. `run` is its task; the other methods are called while it runs."""

    def __init__(self, host: Host, key: str, turns: AbstractAsyncContextManager[None]) -> None:
        self.key = key
        self._turns = turns  # entered by every turn; lets them in as they come, so many at a time
        self.platform, _, _ = key.partition(":")
        self._host = host
        self._inbox = Inbox()
        self._turn: Turn | None = None

    def give_back(self, message: Inbound) -> None:
        """Let a message wait that did so before: it was taken, however many there are by now."""
        self._inbox.put(Waiting(message))

    def say(self, message: Inbound, mode: Mode, tell: Callable[[], None]) -> bool:
        """Take a person's message in by its mode; False if too many wait already.

        `tell` is called when, and if, it has become part of the running turn.
        """
        if self._is_full():
            return False
        turn = self._turn
        # What comes with files gets a turn of its own: they have to be fetched first.
        is_steer = mode == "steer" and not message.attachments
        if is_steer and turn is not None and turn.steer(Steer(message, tell)):
            return True
        if mode == "interrupt" and turn is not None and turn.sender_id == message.sender.id:
            turn.stop(SUPERSEDED)
        self._inbox.put(Waiting(message))
        return True

    def expects(self, message: Inbound) -> bool:
        """Whether a message is a piece of one that waits: of an album, of a long text."""
        return self._inbox.expects(message, self._host.settings.chats.join_window_s)

    def change(self, message: Inbound) -> Inbound | None:
        """Take a changed message in, if what it was still waits; returns what waits now."""
        changed = self._inbox.change(message)
        if changed is None and self._turn is not None:
            return self._turn.steers.change(message)
        return changed

    def drop(self, message_id: str) -> Inbound | None:
        """Drop a message that was deleted, if it still waits."""
        dropped = self._inbox.drop(message_id)
        if dropped is None and self._turn is not None:
            return self._turn.steers.drop(message_id)
        return dropped

    def answered(self, message: Inbound) -> Inbound | None:
        """What a changed message was before, if the running turn answers that."""
        turn = self._turn
        return turn.message if turn is not None and turn.answers(message) else None

    def redo(self, message: Inbound) -> None:
        """Answer a changed message anew, before anything else; a turn of what it was is stopped."""
        if self._turn is not None and self._turn.answers(message):
            self._turn.stop(CHANGED)
        self._inbox.put_first([Waiting(message)])

    def do(self, job: Job) -> bool:
        """Let something else wait its turn; False if too much waits already."""
        if self._is_full():
            return False
        self._inbox.put(job)
        return True

    def give_up(self) -> list[Job]:
        """Let go of all messages that wait, which are stored; returns the jobs, which are not."""
        self._clear()
        return self._inbox.jobs

    @property
    def is_answering(self) -> bool:
        """Whether a turn runs."""
        return self._turn is not None

    def resume(self, message: Inbound, stored: OpenTurn) -> None:
        """Go on with a turn that was cut off, before anything else."""
        self._inbox.put(Waiting(message, stored=stored))

    @property
    def waiting(self) -> int:
        """How many messages wait behind the one that is being answered."""
        return len(self._inbox.messages)

    def stop(self, reason: str, turn_id: str | None = None) -> bool:
        """Stop the running turn, or only the one of that id; False if there is none to stop."""
        if self._turn is None or turn_id not in {None, self._turn.id}:
            return False
        return self._turn.stop(reason)

    def reset(self, address: Address) -> asyncio.Event:
        """Begin a new session: what runs is stopped, what waits is dropped, and said so.

        The event is set when it has been done, or has failed and said so.
        """
        is_done = asyncio.Event()
        dropped = self._clear()
        self._inbox.put(partial(self._reset, address, dropped, is_done))
        self.stop("new session")
        return is_done

    def shut_out(self, person_id: str) -> None:
        """Stop the turn if it is this person's. What waits is looked at when its turn comes."""
        if self._turn is None:
            return
        self._take_back(self._turn.steers.take_back())  # what was about to go into the turn, too
        if self._turn.sender_id == person_id:
            self.stop("blocked")

    async def run(self) -> None:
        """Answer what waits, one after the other, until nothing does."""
        while self._inbox:
            item = await self._inbox.next(self._host.settings.chats.join_window_s)
            if item is None:
                continue
            try:
                if isinstance(item, Waiting):
                    self._turn = Turn(
                        self._host, item.message, item.since, item.stored, joined=item.joined
                    )
                    async with self._turns:
                        await self._answer(item, self._turn)
                else:
                    await item()
            except Exception:  # noqa: BLE001 - logged with its traceback, and the chat goes on
                # A turn reports its own failures; this one is in the reporting.
                _log.exception("failure not reported", chat=self.key)
            finally:
                if self._turn is not None:
                    self._take_back(self._turn.left_over)
                self._turn = None

    async def _answer(self, item: Waiting, turn: Turn) -> None:
        """Run a turn, unless its person was shut out while their message waited."""
        if (await self._host.standing(item.message)).may_talk:
            await turn.run()
            return
        _log.info("no longer allowed: not answered", chat=self.key)
        if item.stored is None:
            for message in (item.message, *item.joined):
                platform, event_id = message.address.platform, message.event_id
                await self._host.inbound.settle(platform, event_id, "dropped")
        else:  # it has begun, so it has to end
            turn.stop("blocked")
            await turn.run()

    def _is_full(self) -> bool:
        steering = 0 if self._turn is None else len(self._turn.steers)
        return len(self._inbox) + steering >= self._host.settings.chats.inbox_size

    def _take_back(self, messages: Sequence[Inbound]) -> None:
        """Let what the turn could not take into account have turns of its own, before the rest."""
        self._inbox.put_first(map(Waiting, messages))

    def _clear(self) -> list[Inbound]:
        """Drop the messages that wait; what else was asked for is still done."""
        steering = [] if self._turn is None else self._turn.steers.take_back()
        return [*steering, *self._inbox.clear()]

    async def _reset(
        self, address: Address, dropped: list[Inbound], is_done: asyncio.Event
    ) -> None:
        try:
            await self._begin_session(address, dropped)
        except Exception:
            is_done.set()
            raise
        is_done.set()  # not if it was cut off: then nobody knows

    async def _begin_session(self, address: Address, dropped: list[Inbound]) -> None:
        try:
            await self._host.store.begin_session(self.key, "new")
            for message in dropped:
                platform, event_id = message.address.platform, message.event_id
                await self._host.inbound.settle(platform, event_id, "dropped")
        except StoreError as error:
            error_id = secrets.token_hex(3)
            _log.exception("no new session", chat=self.key, error_id=error_id)
            await self._say(address, apology(error, error_id))
            return
        self._host.pool.drop(self.key)
        await self._host.end_programs(self.key)
        text = "A new conversation. What I noted about us stays."
        if dropped:
            messages = "message" if len(dropped) == 1 else "messages"
            text += f" {len(dropped)} {messages} that still waited will not be answered."
        await self._say(address, text)

    async def _say(self, address: Address, markdown: str) -> None:
        adapter = self._host.adapters[address.platform]
        await say(adapter, address, self._host.delivery, markdown)
