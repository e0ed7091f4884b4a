"""All chats that have work, by their key: the way in for the router, and the way out at the end.

Owns the group that the chats' tasks live in. An idle chat is not kept: what it needs is in the
store, and its warm agent in the pool.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import nullcontext
from functools import partial
from types import TracebackType
from typing import Any

import structlog

from adapters.base import Address, ButtonPress, Inbound
from gateway.access.snapshot import Access
from gateway.chats import lost_replies
from gateway.chats.answering import answer_in_words
from gateway.chats.apologies import LATER, RESTARTING, TOO_MUCH_WAITS, apology
from gateway.chats.busy import MERGED, Mode
from gateway.chats.chat import Chat
from gateway.chats.host import Host
from gateway.chats.inbox import Job
from gateway.chats.questions import Question
from gateway.delivery.reply import Said, say
from gateway.sessions import address_of, is_direct, session_key
from gateway.store.journal import OpenTurn

Notice = Callable[[], Awaitable[object]]
Work = Callable[[], Coroutine[Any, Any, Said | None]]
"""Does something for a chat and returns what to say, if anything."""

MAX_NOTICES = 8
"""Notices of one chat on their way at a time; a platform that takes none is not flooded."""

_TasksOfChats = dict[str, set[asyncio.Task[None]]]

_log = structlog.get_logger()


class Chats:
    """The busy chats of this process. An async context: its end cancels what still runs."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._busy: dict[str, tuple[Chat, asyncio.Task[None]]] = {}
        self._notices: _TasksOfChats = {}
        self._responses: _TasksOfChats = {}
        limit = host.settings.runtime.max_turns
        self._turns = nullcontext() if limit is None else asyncio.Semaphore(limit)
        self._group = asyncio.TaskGroup()
        self._tasks: set[asyncio.Task[None]] = set()
        self._showing_again: set[str] = set()
        self.is_closing = False

    async def __aenter__(self) -> "Chats":
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await self._group.__aexit__(kind, error, traceback)

    def give_back(self, message: Inbound) -> None:
        """Let a message wait that an earlier run of the gateway has taken."""
        self._wake(session_key(message.address)).give_back(message)

    def say(self, message: Inbound, mode: Mode) -> bool:
        """Give what a person says to its chat, by its mode if that is busy.

        False if too many wait there already, or all is ending.
        """
        if self.is_closing:
            return False
        chat = session_key(message.address)
        is_busy, _ = self.activity(chat)
        is_taken = self._wake(chat).say(
            message, mode, partial(self.notify, message.address, MERGED)
        )
        if message.command is not None and is_busy and is_taken:
            self.notify(message.address, LATER)
        return is_taken

    def expects(self, message: Inbound) -> bool:
        """Whether a message is a piece of one that waits in its chat."""
        busy = self._busy.get(session_key(message.address))
        return busy is not None and busy[0].expects(message)

    def change(self, message: Inbound) -> Inbound | None:
        """Take a changed message in, if what it was still waits; returns what waits now."""
        busy = self._busy.get(session_key(message.address))
        return None if busy is None else busy[0].change(message)

    def drop(self, chat: str, message_id: str) -> Inbound | None:
        """Drop a message that was deleted, if it still waits in a chat; returns it."""
        busy = self._busy.get(chat)
        return None if busy is None else busy[0].drop(message_id)

    def answered(self, message: Inbound) -> Inbound | None:
        """What a changed message was before, if that is being answered."""
        busy = self._busy.get(session_key(message.address))
        return None if busy is None else busy[0].answered(message)

    async def halt(self, chat: str) -> list[Job]:
        """Cut off what runs in a group and in its topics, as a kill would; returns the jobs that
        waited there.
        """
        jobs: list[Job] = []
        for key, (busy, task) in list(self._busy.items()):
            if key == chat or key.startswith(f"{chat}:"):
                jobs += busy.give_up()
                task.cancel()
                await asyncio.wait([task])
        return jobs

    def do(self, chat: str, job: Job) -> None:
        """Let something wait its turn in a chat, if there is room."""
        if not self.is_closing:
            self._wake(chat).do(job)

    def redo(self, message: Inbound) -> None:
        """Answer a changed message anew, in the place of its last turn; not if all is ending."""
        if not self.is_closing:
            self._wake(session_key(message.address)).redo(message)

    async def between(
        self, address: Address, work: Work, *, is_stopping: bool = False
    ) -> str | None:
        """Do something in its place between the chat's turns; until it is done.

        With `is_stopping` the turn that runs is stopped first. What to say if that isn't possible;
        what the work returns is said by itself.
        """
        key, done = session_key(address), asyncio.Event()
        is_busy = self.activity(key)[0] and not (is_stopping and self.stop(key))
        job = partial(self._between, key, address, work, done)
        if self.is_closing or not self._wake(key).do(job):
            return self._refusal()
        if is_busy:
            self.notify(address, LATER)
        await done.wait()
        return None

    def activity(self, chat: str) -> tuple[bool, int]:
        """Whether a turn runs in a chat, and how many messages wait."""
        busy = self._busy.get(chat)
        return (busy[0].is_answering, busy[0].waiting) if busy else (False, 0)

    def resume(self, message: Inbound, stored: OpenTurn) -> None:
        """Go on with a turn that an earlier run of the gateway has begun."""
        self._wake(session_key(message.address)).resume(message, stored)

    def answer_in_words(self, message: Inbound, question: Question) -> None:
        """Answer a question with speech or files, beside the turn that waits for it."""
        self.respond(message.address, answer_in_words(self._host, message, question))

    def show_again(self, press: ButtonPress, detail: str) -> None:
        """Show a reply that may have been lost; `detail` is what its button says."""
        if detail not in self._showing_again:  # whoever presses twice sees it once
            self._showing_again.add(detail)
            self.respond(press.address, self._show_again(press, detail))

    def stop(self, chat: str, turn_id: str | None = None) -> bool:
        """Stop a chat's running turn; False if there is none."""
        busy = self._busy.get(chat)
        return busy is not None and busy[0].stop("user", turn_id)

    def reset(self, address: Address) -> asyncio.Event:
        """Begin a new session in a chat; it says so when it has. The event is set after that,
        and never if all is ending.
        """
        if self.is_closing:
            return asyncio.Event()
        return self._wake(session_key(address)).reset(address)

    def shut_out(self, platform: str, person_id: str) -> None:
        """Stop whatever is being answered to a person of a platform."""
        for chat, _ in self._busy.values():
            if chat.platform == platform:
                chat.shut_out(person_id)

    def serves(self, platform: str) -> bool:
        """Whether anything can be said there."""
        return platform in self._host.adapters

    def notify(self, address: Address, said: Said) -> None:
        """Say something that is no part of a turn, without waiting until it is shown."""
        adapter = self._host.adapters[address.platform]
        self.beside(address, partial(say, adapter, address, self._host.delivery, said))

    def take_away(self, address: Address, message_id: str) -> None:
        """Remove a message of ours that nothing stands behind any more."""
        adapter = self._host.adapters[address.platform]
        self.beside(address, partial(adapter.delete, address, message_id))

    async def tell_owners(self, access: Access, markdown: str, only_on: str | None = None) -> None:
        """Say something to each owner, or those on a platform, in the direct chat where they wrote
        last.
        """
        for platform, person_id in access.owners():
            if only_on in {None, platform}:
                await self.tell_person(platform, person_id, markdown)

    async def tell_person(
        self, platform: str, person_id: str, markdown: str, *, but_not_in: str = ""
    ) -> bool:
        """Say something in the direct chat where somebody wrote last; False if there is none."""
        for key in await self._host.sessions.chats_of(f"{platform}:{person_id}"):
            address = address_of(key)
            if address and is_direct(key) and key != but_not_in and self.serves(platform):
                self.notify(address, markdown)
                return True
        return False

    def beside(self, address: Address, notice: Notice) -> None:
        """Carry out a notice to a chat while its turn, if there is one, goes on."""
        key = session_key(address)
        if len(self._notices.get(key, ())) >= MAX_NOTICES:
            _log.warning("notice dropped", chat=key)
            return
        self._spawn_for(key, self._notices, self._carry_out(key, notice))

    def respond(self, address: Address, work: Coroutine[Any, Any, Said | None]) -> None:
        """Do something beside a chat's turns, and say what it returns."""
        key = session_key(address)
        self._spawn_for(key, self._responses, self._respond(key, address, work))

    def busy(self) -> int:
        """How many chats have work."""
        return len(self._busy)

    def waiting(self) -> int:
        """How many messages wait behind those that are being answered."""
        return sum(chat.waiting for chat, _ in self._busy.values())

    async def idle(self, chat: str) -> None:
        """Wait until a chat has nothing to do and to say."""
        while tasks := self._tasks_of(chat):
            await asyncio.wait(tasks)

    async def close(self, grace_s: float | None = None) -> None:
        """Take nothing in any more, and end what runs.

        Turns get `grace_s` seconds, or those of the settings, to end by themselves. What then still
        runs, or waits, is left to the journal: it ends with the context, and the next start goes on
        with it.
        """
        self.is_closing = True
        settings = self._host.settings.chats
        if not await self._all_end_within(
            settings.shutdown_grace_s if grace_s is None else grace_s
        ):
            _log.warning("left to the next start", chats=sorted(self._busy))

    def _refusal(self) -> str:
        return RESTARTING if self.is_closing else TOO_MUCH_WAITS

    def _wake(self, key: str) -> Chat:
        if key not in self._busy:
            chat = Chat(self._host, key, self._turns)
            # Its first step comes only after the caller has given it something to do.
            self._busy[key] = chat, self._spawn(self._run(chat))
        return self._busy[key][0]

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._group.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _run(self, chat: Chat) -> None:
        try:
            await chat.run()
        finally:
            # No await lies between the chat's look into its inbox and this: nothing gets lost.
            del self._busy[chat.key]

    async def _show_again(self, press: ButtonPress, detail: str) -> str | None:
        try:
            return await lost_replies.show_again(self._host, press, detail)
        finally:
            self._showing_again.discard(detail)

    async def _carry_out(self, key: str, notice: Notice) -> None:
        try:
            await notice()
        except Exception:  # noqa: BLE001 - logged with its traceback; nobody waits for a notice
            _log.exception("notice not shown", chat=key)

    async def _respond(
        self, key: str, address: Address, work: Coroutine[Any, Any, Said | None]
    ) -> None:
        if said := await _outcome(key, work):
            self.notify(address, said)

    async def _between(self, key: str, address: Address, work: Work, done: asyncio.Event) -> None:
        try:
            if said := await _outcome(key, work()):
                await say(self._host.adapters[address.platform], address, self._host.delivery, said)
        finally:
            done.set()

    def _spawn_for(self, key: str, table: _TasksOfChats, work: Coroutine[Any, Any, None]) -> None:
        """Run a task that stands under its chat's key in a table for as long as it runs."""
        task = self._spawn(work)
        table.setdefault(key, set()).add(task)
        task.add_done_callback(partial(self._forget, key, table))

    @staticmethod
    def _forget(key: str, table: _TasksOfChats, task: asyncio.Task[None]) -> None:
        table[key].discard(task)
        if not table[key]:
            del table[key]

    def _tasks_of(self, chat: str) -> set[asyncio.Task[None]]:
        busy = self._busy.get(chat)
        beside = self._notices.get(chat, set()) | self._responses.get(chat, set())
        return beside | ({busy[1]} if busy else set())

    async def _all_end_within(self, seconds: float) -> bool:
        """Whether nothing runs any more, what the last tasks have started included."""
        try:
            async with asyncio.timeout(seconds):
                while self._tasks:
                    await asyncio.wait(set(self._tasks))
                    await asyncio.sleep(0)  # let them be forgotten
        except TimeoutError:
            return False
        return True


async def _outcome(key: str, work: Coroutine[Any, Any, Said | None]) -> Said | None:
    """What is to be said of some work; an apology if it failed, with the rest in the log."""
    try:
        return await work
    except Exception as error:  # noqa: BLE001 - told to the person and to the log
        error_id = secrets.token_hex(3)
        _log.exception("command failed", chat=key, error_id=error_id)
        return apology(error, error_id)
