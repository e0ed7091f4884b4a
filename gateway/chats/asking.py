"""Asks people on behalf of one turn: shows a question, waits, and leaves the answer to be seen.

What is asked and who may answer is in the `Question`; what comes of the answer is its asker's
business. A question outlives a restart: it is stored before it is shown, under a key of its turn.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any

from adapters.base import Inbound, OpensForms, Style
from gateway.chats import questions
from gateway.chats.book import ReplyBook, is_lost
from gateway.chats.host import Host
from gateway.chats.journal import TurnJournal
from gateway.chats.past import Past
from gateway.chats.questions import Answer, Outcome, Question
from gateway.delivery.persistence import SHORT_TRIES
from gateway.delivery.persistence import Outcome as Delivered
from gateway.delivery.reply import Reply


@dataclass(frozen=True, slots=True)
class Heard:
    """How a question ended; without an answer if nobody gave one, or it was taken back."""

    outcome: Outcome
    answer: Answer | None = None
    is_taken_back: bool = False  # the turn was stopped; the agent is told in another way


class Asking:
    """The open questions of a turn, which answers `message`.

    `make_way` is called before one is shown, `waits` when the turn begins or ends to wait for
    people; `spawn` carries out what nobody waits for.
    """

    def __init__(
        self,
        host: Host,
        message: Inbound,
        journal: TurnJournal,
        past: Past,
        *,
        make_way: Callable[[], Awaitable[None]],
        waits: Callable[[bool], None],
        spawn: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        self._host = host
        self._message = message
        self._journal = journal
        self._past = past
        self._make_way = make_way
        self._waits = waits
        self._spawn = spawn
        self._open: list[Question] = []
        self.tasks: set[asyncio.Task[object]] = set()
        """Those that wait here: they end by themselves when their questions are taken back."""

    @property
    def is_open(self) -> bool:
        """Whether anybody is being asked anything."""
        return bool(self._open)

    def take_back(self) -> None:
        """The answers are not wanted any more."""
        for question in self._open:
            question.settle(None)

    def forget(self, prefix: str) -> None:
        """Close what was asked before a restart under keys that begin so: nobody asks it again."""
        for key, stored in self._past.questions.items():
            if key.startswith(prefix):
                question = self._host.questions.restored(stored)
                self._host.questions.close(question)
                style = Style.APPROVAL if question.is_approval else Style.QUESTION
                markdown = questions.markdown_of(question)
                self._spawn(self._reply(key).amend(markdown, style))

    async def enter(self, key: str, make: Callable[[], Question]) -> Question:
        """The question of that key: as it stood before a restart, or a new one, noted.

        Has to be followed by `hear`. Raises `StoreError`.
        """
        known = self._past.questions.get(key)
        if known is not None:
            question = self._host.questions.restored(known)
        else:
            question = make()
            await self._journal.write(questions.entry(question, self._journal.turn, key))
        self._open.append(question)
        return question

    async def hear(
        self, question: Question, key: str, style: Style = Style.QUESTION, *, timeout_s: float
    ) -> Heard:
        """Show a question and wait for its answer, so long from when it was first asked."""
        task = asyncio.current_task()
        if task is not None:
            self.tasks.add(task)
        try:
            return await self._hear(question, key, style, timeout_s)
        finally:
            if task is not None:
                self.tasks.discard(task)

    async def _hear(self, question: Question, key: str, style: Style, timeout_s: float) -> Heard:
        markdown = questions.markdown_of(question)
        try:
            self._host.questions.open(question)
            await self._make_way()
            reply = self._reply(key)
            self._waits(True)
            if question.answer.done():  # before the restart
                shown = Delivered.SHOWN
            else:
                buttons = questions.buttons_of(question, has_forms=self._has_forms)
                shown = await reply.finish(markdown, buttons, style)
                if shown is Delivered.UNKNOWN:  # once more: either can be answered
                    reply = self._reply(key)
                    shown = await reply.finish(markdown, buttons, style)
            heard = Heard(Outcome.UNDELIVERABLE)
            if shown.may_be_seen:
                heard = await self._wait_for(question, timeout_s)
        finally:
            self._host.questions.close(question)
            self._open.remove(question)
        if not self._open:
            self._waits(False)
        if shown.may_be_seen:
            trace = _trace(question, heard)
            amended = f"{markdown}\n\n{trace}" if trace else markdown
            has_expired = heard.outcome is Outcome.TIMEOUT and not heard.is_taken_back
            buttons = questions.anew_buttons(question) if has_expired else ()
            self._spawn(reply.amend(amended, style, buttons))
        return heard

    @property
    def _has_forms(self) -> bool:
        adapter = self._host.adapters[self._message.address.platform]
        return isinstance(adapter, OpensForms) and adapter.opens_forms

    def _reply(self, key: str) -> Reply:
        # One that may not have arrived is shown once more: either can be answered.
        parts = [part for part in self._past.parts.get(f"q{key}", ()) if not is_lost(part)]
        book = ReplyBook(self._journal, f"q{key}", parts)
        adapter = self._host.adapters[self._message.address.platform]
        settings = self._host.delivery
        # The agent is to know soon if its question can't be asked.
        settings = replace(settings, backoff_s=settings.backoff_s[:SHORT_TRIES])
        return Reply(adapter, self._message.address, settings, ledger=book)

    async def _wait_for(self, question: Question, timeout_s: float) -> Heard:
        waited = self._host.clock() - question.asked_at
        try:
            async with asyncio.timeout(max(timeout_s - waited.total_seconds(), 0)):
                answer = await question.answer
        except TimeoutError:
            return Heard(Outcome.TIMEOUT)
        if answer is None:
            return Heard(Outcome.TIMEOUT, is_taken_back=True)
        return Heard(Outcome.ANSWERED, answer)


def _trace(question: Question, heard: Heard) -> str:
    """What is to be seen of the answer under the question."""
    answer = heard.answer
    if answer is None:
        return "" if heard.is_taken_back else "*Nobody answered in time.*"
    if not answer.is_pressed:
        return ""
    is_by_another = question.is_approval and answer.by_id not in {"", question.asked_id}
    by = f" ({questions.plain_label(answer.by_name)})" if is_by_another else ""
    return f"→ {answer.content}{by}"
