"""One turn: from a person's message, or command to the agent, to `done`.

Owns the loop between the agent and its effects, the turn's end by /stop or by silence, and what
happens when something breaks. All that a turn starts ends with it: its tasks are one group.
"""

import asyncio
import secrets
import time
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import structlog

from adapters.base import Inbound
from gateway import events
from gateway.chats.apologies import AgentMisbehaved, TurnGivenUp, apology
from gateway.chats.arrival import arrive
from gateway.chats.busy import Steer, steer_line
from gateway.chats.effects import Effects
from gateway.chats.host import Host
from gateway.chats.joining import is_same
from gateway.chats.journal import TurnJournal
from gateway.chats.lost_replies import look_for_previews
from gateway.chats.messages import (
    UNDO_LAST,
    Line,
    after_undoing,
    init_message,
    is_redo,
    user_message,
)
from gateway.chats.own_notes import forget_old_notes
from gateway.chats.past import MAX_RESUMED, Past, read_past
from gateway.chats.records import Records, last_todos
from gateway.chats.steers import Steers
from gateway.chats.tool_calls import offered_to
from gateway.chats.voice import stop_data
from gateway.delivery.reply import say
from gateway.media.intake import NOTHING, Taken
from gateway.runtime.errors import AgentFailure
from gateway.runtime.pool import LeasedAgent
from gateway.sessions import memory_owners, session_key
from gateway.store.journal import OpenTurn
from gateway.tools.tool import Tool

STOPPED = "*(stopped)*"
SKILL_VIEW = "skill_view"

_T = TypeVar("_T")

_log = structlog.get_logger()


class Turn:
    """The turn that answers one message, which waited since `since` (of `perf_counter`).

    With `stored` it is one that an earlier run of the gateway has begun, and goes on.
    """

    def __init__(
        self,
        host: Host,
        message: Inbound,
        since: float,
        stored: OpenTurn | None = None,
        *,
        joined: Sequence[Inbound] = (),
    ) -> None:
        """`joined` are the messages, beside the first, that `message` was made of."""
        self.id = stored.id if stored else secrets.token_hex(6)
        self._host = host
        self.message = message
        self._since = since
        self._stored = stored
        self._chat = session_key(message.address)
        owners = memory_owners(message.address, message.sender)
        self._records = Records(host.store, self._chat, owners)
        self._journal = TurnJournal(host.journal, self.id, message, self._records.entries, joined)
        self._effects: Effects | None = None
        self._stop_reason: str | None = None
        self._stopping = asyncio.Event()
        self._was_interrupted = False
        self.steers = Steers()

    @property
    def sender_id(self) -> str:
        """Whom the turn answers."""
        return self.message.sender.id

    def answers(self, message: Inbound) -> bool:
        """Whether this is the turn of a message, as it is now or as it was before a change."""
        return self.message.command is None and is_same(self.message, message)

    @property
    def left_over(self) -> list[Inbound]:
        """When the turn has ended: what was said into it and is not part of it, in order."""
        return [*self._journal.refused, *self.steers.unfed]

    def steer(self, steer: Steer) -> bool:
        """Let a message go into the turn; False if it can't any more.

        It may still come too late: then it is in `left_over` when the turn has ended.
        """
        effects = self._effects
        if self.message.command is not None or self._stop_reason is not None:
            return False
        if effects is not None and (effects.is_answered or effects.result is not None):
            return False
        self.steers.add(steer)
        if effects is not None:
            effects.answers.put_nowait(None)
        return True

    def stop(self, reason: str) -> bool:
        """End the turn early, with what there is; False if its answer is already there."""
        if self._effects is not None and self._effects.is_answered:
            return False
        if self._stop_reason is None:
            self._stop_reason = reason
            self._stopping.set()
            if self._effects is not None:
                self._effects.answers.put_nowait(None)
        return True

    async def run(self) -> None:
        """Carry the turn through. Whatever breaks, the person is told and the log knows why."""
        with structlog.contextvars.bound_contextvars(chat=self._chat, turn=self.id):
            _log.info(
                "turn begins" if self._stored is None else "turn goes on",
                sender=self.message.sender.id,
            )
            self._host.metrics.took("queue", time.perf_counter() - self._since)
            past = await self._read_past()
            async with asyncio.TaskGroup() as group:
                effects = Effects(self._host, self.message, self._journal, past, group)
                self._effects = effects
                try:
                    await self._converse(effects, past)
                except Exception as error:  # noqa: BLE001 - told to the person and to the log
                    await self._report(error, effects)
                await effects.close()
            _log.info("turn ends", **_summary(effects.result))
            outcome = effects.result.get("reason", "answered") if effects.result else "failed"
            self._host.metrics.turn_ended(outcome, time.perf_counter() - self._since)
            await self._journal.end(outcome)

    async def _converse(self, effects: Effects, past: Past) -> None:
        begun = time.perf_counter()
        taken: Taken | None = None
        if past.stored is None:
            await arrive(self._host, self.message)
            await self._records.open()
            if self.message.command is None and self.message.attachments:
                taken = await self._unless_stopped(self._take_in())
        else:
            self._records.session_id = past.stored.life.session
            await self._journal.resume()
            if past.stored.resumed >= MAX_RESUMED:
                raise TurnGivenUp(f"taken up {past.stored.resumed} times, and never got further")
        async with self._host.pool.lease(self._chat, partial(self._wake, past)) as agent:
            self._host.metrics.took("wake", time.perf_counter() - begun)
            if past.stored is None:
                await effects.carry_out(self._journal.woken(agent))
                if self._stop_reason is not None:  # while it waited for its agent
                    effects.result = {"reason": "interrupted"}
                    await effects.say_finally(STOPPED)
                    return
                lines = await self._first_lines(taken or NOTHING)
            else:
                said = await self._journal.rebuild(agent, past)
                await effects.carry_out(after_undoing(said) if past.is_redo else said)
                lines = [] if effects.result else await self._next_lines(effects)
            while effects.result is None:
                said = await self._step(agent, lines)
                await effects.carry_out(after_undoing(said) if is_redo(lines) else said)
                if effects.result is None:
                    lines = await self._next_lines(effects)
        if self._journal.turns_of_life >= self._host.settings.journal.turns_per_life:
            self._host.pool.drop(self._chat)
        if self._records.has_noted:
            await forget_old_notes(self._host, self.message)

    async def _take_in(self) -> Taken:
        """Fetch what came with the message; what can't be had is said to the person at once."""
        model = await self._host.models.of_chat(self._chat)
        taken = await self._host.intake.take(
            self.message, self._host.settings.media, sees_pictures=model.sees_images
        )
        if taken.told:
            address = self.message.address
            adapter = self._host.adapters[address.platform]
            await say(adapter, address, self._host.delivery, "\n".join(taken.told))
        return taken

    async def _unless_stopped(self, work: Coroutine[Any, Any, _T]) -> _T | None:
        """Do some work; None if the turn is stopped before it is done."""
        doing = asyncio.ensure_future(work)
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait({doing, stopping}, return_when=asyncio.FIRST_COMPLETED)
            return doing.result() if doing.done() else None
        finally:
            for task in (doing, stopping):
                task.cancel()
            await asyncio.wait({doing, stopping})

    async def _first_lines(self, taken: Taken) -> list[Line]:
        now = self._host.clock()
        if self.message.command is not None:
            return [dict(self.message.command)]
        line = user_message(self.message, now, taken)
        if self.message.is_redone and await self._was_last():
            return [UNDO_LAST, line]
        return [line]

    async def _was_last(self) -> bool:
        """Whether the chat's last turn was that of the same message, before it was changed."""
        last = await self._host.journal.last_turn(self._chat)
        return (
            last is not None
            and last.session == self._records.session_id
            and last.outcome not in {None, "failed"}  # of a failed one nobody knows what was kept
            and events.from_json(last.event).message_id == self.message.message_id
        )

    async def _read_past(self) -> Past:
        if self._stored is None:
            return Past()
        past = await read_past(self._host.journal, self._host.inbound, self._stored)
        address, button = self.message.address, stop_data(self.id)
        parts = await look_for_previews(self._host, address, button, past.parts)
        return replace(past, parts=parts)

    async def _step(self, agent: LeasedAgent, lines: Sequence[Line]) -> list[Line]:
        begun = time.perf_counter()
        answered = await self._journal.step(agent, lines)
        self._host.metrics.took("step", time.perf_counter() - begun)
        self.steers.fed(self._journal.refused)
        return answered

    async def _wake(self, past: Past) -> Sequence[str]:
        if past.stored is not None:
            return past.steps[0].lines
        records = self._records
        tools = await offered_to(self._host, self.message)
        history = await records.history()
        memory, user = await records.memory()
        init = init_message(
            self._host.settings,
            self.message,
            model=await self._host.models.of_chat(self._chat),
            session_id=records.session_id,
            history=history,
            todos=last_todos(history),
            memory=memory,
            user=user,
            tool_schemas=[tool.schema for tool in tools] or None,
            skills=await self._skills(tools),
            now=self._host.clock(),
            hint=self._host.adapters[self.message.address.platform].hint,
        )
        artefact = self._host.pool.artefact
        return await self._journal.wake(self._chat, records.session_id, artefact, init)

    async def _skills(self, tools: Sequence[Tool]) -> list[Line]:
        """The skills that the agent hears of, if it can look into them."""
        if not any(tool.name == SKILL_VIEW for tool in tools):
            return []
        workspace = self._host.workspaces.of(self._chat)
        found = await asyncio.to_thread(self._host.skills.listed, workspace)
        return [{"name": one.name, "description": one.description} for one in found]

    async def _next_lines(self, effects: Effects) -> list[Line]:
        """What the agent is told next: the answers that have come, or that it is to stop.

        Raises whatever befell an effect.
        """
        if self._was_interrupted:
            raise AgentMisbehaved("the agent did not end its turn when it was told to")
        answers: list[Line] = []
        while not answers and not self.steers and self._stop_reason is None:
            if not effects.is_waiting:
                raise AgentMisbehaved("the agent waits for nothing")
            try:
                async with asyncio.timeout_at(effects.deadline):
                    answers = _sound([await effects.answers.get()])
            except TimeoutError:
                if (deadline := effects.deadline) is not None and _now() >= deadline:
                    _log.warning("nothing happens: the turn is given up")
                    self.stop("timeout")
        if self._stop_reason is not None:
            self._was_interrupted = True
            effects.abandon()
            interrupt = {"type": "interrupt", "reason": self._stop_reason}
            return [interrupt | ({"partial": effects.streamed} if effects.streamed else {})]
        while not effects.answers.empty():
            answers += _sound([effects.answers.get_nowait()])
        # Before the answers: one of them may end the turn.
        return [*self._take_steers(), *answers]

    def _take_steers(self) -> list[Line]:
        messages = self.steers.feed()
        for message in messages:
            self._journal.merge(message)
        return [steer_line(message) for message in messages]

    async def _report(self, error: Exception, effects: Effects) -> None:
        error_id = secrets.token_hex(3)
        stderr = {"stderr": error.stderr} if isinstance(error, AgentFailure) else {}
        _log.error("turn failed", error_id=error_id, exc_info=error, **stderr)
        # What the agent believes and what is stored may differ now: the next one starts from the
        # store, which holds a valid history at all times.
        self._host.pool.drop(self._chat)
        self._journal.forget()
        said = f"{effects.streamed}\n\n" if effects.streamed else ""
        await effects.say_finally(said + apology(error, error_id), fails=True)


def _sound(answers: Sequence[Line | Exception | None]) -> list[Line]:
    """The answers without mere wake-ups; a failure among them is raised."""
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return [answer for answer in answers if isinstance(answer, dict)]


def _now() -> float:
    return asyncio.get_running_loop().time()


def _summary(result: Line | None) -> Line:
    """What the log tells of a turn's end."""
    names = ("reason", "api_calls", "error")
    return {name: result[name] for name in names if name in result} if result else {}
