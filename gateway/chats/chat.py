"""One chat: what waits to be answered, and the one task that answers it, message by message.

The task exists while there is work. What a turn is, and what befalls it, is `turn`'s business;
which chats there are is `directory`'s.
"""

import asyncio
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

import structlog

from adapters.base import Address, Inbound
from gateway.chats.apologies import apology
from gateway.chats.busy import SUPERSEDED, Mode, Steer
from gateway.chats.host import Host
from gateway.chats.messages import Beginning, Line, user_message
from gateway.chats.turn import Turn
from gateway.delivery.reply import say
from gateway.store.errors import StoreError
from gateway.store.journal import OpenTurn

Job = Callable[[], Awaitable[object]]
"""Something other than a message that has its place in the order of a chat's work."""

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message in the inbox."""

    message: Inbound
    since: float  # on the clock of `perf_counter`
    begin: Beginning = user_message
    stored: OpenTurn | None = None  # the turn had begun before the gateway was restarted
    taken_up: asyncio.Event = field(default_factory=asyncio.Event)  # it has begun, or never will

    @property
    def beginning(self) -> Beginning:
        """Makes the line that its turn begins with; somebody waits for that of a command."""
        return user_message if self.begin is user_message else self._begin_command

    def _begin_command(self, message: Inbound, now: datetime) -> Line:
        self.taken_up.set()
        return self.begin(message, now)


class Chat:
    """A chat with work to do. `run` is its task; the other methods are called while it runs."""

    def __init__(self, host: Host, key: str, turns: AbstractAsyncContextManager[None]) -> None:
        self.key = key
        self._turns = turns  # entered by every turn; lets them in as they come, so many at a time
        self.platform, _, _ = key.partition(":")
        self._host = host
        self._inbox: deque[Waiting | Job] = deque()
        self._turn: Turn | None = None

    def offer(self, message: Inbound, begin: Beginning = user_message) -> asyncio.Event | None:
        """Let a message wait for its turn, which `begin` begins; None if too many wait already.

        The event is set once the turn has begun, or the message has been dropped.
        """
        if self._is_full():
            return None
        waiting = Waiting(message, time.perf_counter(), begin)
        self._inbox.append(waiting)
        return waiting.taken_up

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
        self._inbox.append(Waiting(message, time.perf_counter()))
        return True

    def do(self, job: Job) -> bool:
        """Let something else wait its turn; False if too much waits already."""
        if self._is_full():
            return False
        self._inbox.append(job)
        return True

    @property
    def is_answering(self) -> bool:
        """Whether a turn runs."""
        return self._turn is not None

    def resume(self, message: Inbound, stored: OpenTurn) -> None:
        """Go on with a turn that was cut off, before anything else."""
        self._inbox.append(Waiting(message, time.perf_counter(), stored=stored))

    @property
    def waiting(self) -> int:
        """How many messages wait behind the one that is being answered."""
        return sum(isinstance(item, Waiting) for item in self._inbox)

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
        self._inbox.append(partial(self._reset, address, dropped, is_done))
        self.stop("new session")
        return is_done

    def shut_out(self, person_id: str) -> None:
        """Stop the turn if it is this person's. What waits is looked at when its turn comes."""
        if self._turn is None:
            return
        self._take_back(self._turn.take_back())  # what was about to go into the turn, too
        if self._turn.sender_id == person_id:
            self.stop("blocked")

    async def run(self) -> None:
        """Answer what waits, one after the other, until nothing does."""
        while self._inbox:
            item = self._inbox.popleft()
            try:
                if isinstance(item, Waiting):
                    begin, stored = item.beginning, item.stored
                    self._turn = Turn(self._host, item.message, item.since, begin, stored)
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
                if isinstance(item, Waiting):
                    item.taken_up.set()

    async def _answer(self, item: Waiting, turn: Turn) -> None:
        """Run a turn, unless its person was shut out while their message waited."""
        if (await self._host.standing(item.message)).may_talk:
            await turn.run()
            return
        _log.info("no longer allowed: not answered", chat=self.key)
        if item.stored is None:
            platform, event_id = item.message.address.platform, item.message.event_id
            await self._host.inbound.settle(platform, event_id, "dropped")
        else:  # it has begun, so it has to end
            turn.stop("blocked")
            await turn.run()

    def _is_full(self) -> bool:
        steering = 0 if self._turn is None else self._turn.steering
        return len(self._inbox) + steering >= self._host.settings.chats.inbox_size

    def _take_back(self, messages: Sequence[Inbound]) -> None:
        """Let what the turn could not take into account have turns of its own, before the rest."""
        since = time.perf_counter()
        self._inbox.extendleft(Waiting(message, since) for message in reversed(messages))

    def _clear(self) -> list[Inbound]:
        """Drop the messages that wait; what else was asked for is still done."""
        dropped = [item for item in self._inbox if isinstance(item, Waiting)]
        jobs = [item for item in self._inbox if not isinstance(item, Waiting)]
        self._inbox = deque(jobs)
        for item in dropped:
            item.taken_up.set()
        steering = [] if self._turn is None else self._turn.take_back()
        return [*steering, *(item.message for item in dropped)]

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
        text = "A new conversation. What I noted about us stays."
        if dropped:
            messages = "message" if len(dropped) == 1 else "messages"
            text += f" {len(dropped)} {messages} that still waited will not be answered."
        await self._say(address, text)

    async def _say(self, address: Address, markdown: str) -> None:
        adapter = self._host.adapters[address.platform]
        await say(adapter, address, self._host.delivery, markdown)
