"""What a turn writes down before it happens, so that it can be rebuilt and go on after a kill.

The rule: lines are stored before they are fed, and what the answers ask to keep is stored before
anything else comes of them, in one transaction with the note that they were carried out. An agent
is deterministic: the lines of its life, from its waking on, make the same agent again.
"""

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from adapters.base import Inbound
from agent_core.wire import encode, parse_line
from gateway import events
from gateway.chats.busy import is_too_late
from gateway.chats.messages import Line, heard, tools_given
from gateway.chats.past import Past
from gateway.chats.records import AgentNotes
from gateway.errors import GatewayError
from gateway.runtime.pool import LeasedAgent
from gateway.store.errors import StoreError
from gateway.store.journal import (
    Answered,
    Entry,
    EventSettled,
    EventState,
    Fed,
    JournalStore,
    LifeBegun,
    MemoryChanged,
    TurnBegun,
    TurnEnded,
    TurnResumed,
)

_PIECE_BYTES = 2_047
"""For more at a time hashlib lets go of the interpreter's lock, and getting it back takes longer
than hashing."""

ToEntries = Callable[[Sequence[Line], AgentNotes], Sequence[Entry]]
"""What is to be kept of what an agent said, who knows these notes (`Records.entries`)."""


class AgentChanged(GatewayError):
    """The agent was exchanged for one that answers the same lines differently."""


@dataclass(slots=True)
class AgentLife:
    """An agent from its waking to its sleep; it is left with the agent between turns."""

    id: str
    notes: AgentNotes
    tools: frozenset[str] = frozenset()  # the host's tools that it was told of
    steps: int = 0  # fed so far
    turns: int = 0


def digest(answers: Sequence[str]) -> str:
    """The hash by which answers are compared."""
    written = memoryview("\n".join(answers).encode("utf-8", "replace"))
    hashed = hashlib.sha256()
    for start in range(0, len(written), _PIECE_BYTES):
        hashed.update(written[start : start + _PIECE_BYTES])
    return hashed.hexdigest()


class TurnJournal:
    """One turn's journal."""

    def __init__(
        self,
        store: JournalStore,
        turn: str,
        event: Inbound,
        to_entries: ToEntries,
        joined: Sequence[Inbound] = (),
    ) -> None:
        """`joined` are other messages whose content is part of `event`."""
        self.turn = turn
        self._joined = joined
        self.is_begun = False
        self._store = store
        self._event = event
        self._to_entries = to_entries
        self._life: AgentLife | None = None
        self._noted: list[Entry] = []
        self._merged: list[Inbound] = []
        self.refused: list[Inbound] = []
        """Messages that were fed in mid-turn, and came too late to be part of the turn."""

    def note(self, *entries: Entry) -> None:
        """Let entries ride with the next that are written."""
        self._noted += entries

    async def write(self, *entries: Entry) -> None:
        """Write what was noted and this, all or nothing; what could not be written stays noted.

        Raises `StoreError`.
        """
        noted, self._noted = self._noted, []
        if not noted and not entries:
            return
        try:
            await self._store.write([*noted, *entries])
        except StoreError:
            self._noted = noted + self._noted
            raise

    async def wake(self, chat: str, session: str, artefact: str, init: Line) -> Sequence[str]:
        """An agent's life begins with this line; returns what it is fed."""
        life = _life_of(secrets.token_hex(8), init, steps=1)
        lines = (encode(init),)
        begun = LifeBegun(life.id, chat, session, artefact)
        await self.write(begun, Fed(life.id, 0, None, lines))
        self._life = life
        return lines

    def woken(self, agent: LeasedAgent) -> list[Line]:
        """Take over the agent; what it said when it was woken, if it was woken for this turn."""
        if self._life is not None:
            agent.memo = self._life
            return self._answered(self._life, 0, agent.woken)
        if not isinstance(agent.memo, AgentLife):
            raise TypeError("an agent without a life was left in the pool")
        self._life = agent.memo
        return []

    @property
    def voices(self) -> list[Inbound]:
        """Whose words the turn goes by: the message that it answers, and what was said into it."""
        return [self._event, *self._merged]

    @property
    def tools(self) -> frozenset[str]:
        """The host's tools that this turn's agent was told of."""
        return self._life.tools if self._life is not None else frozenset()

    @property
    def turns_of_life(self) -> int:
        """How many turns this turn's agent has had, this one included."""
        return self._life.turns if self._life is not None else 0

    async def step(self, agent: LeasedAgent, lines: Sequence[Line]) -> list[Line]:
        """Feed lines, stored before. Raises `StoreError` and `AgentFailure`."""
        life = self._life
        if life is None:
            raise RuntimeError("nothing is fed to an agent that was not woken")
        written = tuple(encode(line) for line in lines)
        if not self.is_begun:
            joined = (_settled(message, "merged") for message in self._joined)
            self.note(self._begun(life), *joined)
        fed = Fed(life.id, life.steps, self.turn, written)
        await self.write(fed)
        life.steps += 1
        life.turns += not self.is_begun
        self.is_begun = True
        return self._answered(life, fed.number, await agent.step(written))

    def merge(self, message: Inbound) -> None:
        """Let a message be part of this turn, from the next step on, which feeds it."""
        self._merged.append(message)
        self.note(_settled(message, "steering"))

    async def rebuild(self, agent: LeasedAgent, past: Past) -> list[Line]:
        """Feed a new agent, woken with the first of them, all that the one before was fed.

        Returns what it has said in this turn. Raises `AgentChanged` if it speaks differently.
        """
        stored, steps = past.stored, past.steps
        if stored is None:
            raise ValueError("a turn without a past can't be rebuilt")
        self.is_begun = True
        self._merged = list(past.steering)
        turns = {step.turn for step in steps if step.turn is not None}
        life = _life_of(stored.life.id, parse_line(steps[0].lines[0]), steps=len(steps))
        life.turns = len(turns)
        self._life = agent.memo = life
        said: list[Line] = []
        for step in steps:
            answers = await agent.step(step.lines) if step.number else agent.woken
            if step.answers is None:
                messages = self._answered(life, step.number, answers)
            elif step.answers == digest(answers):
                messages = heard(answers)
                self._kept(messages, life)  # it is in the store already; the notes follow
            else:
                raise AgentChanged("the agent answers its journal differently")
            if step.turn == self.turn:
                said += messages
        return said

    async def resume(self) -> None:
        """Note that the turn is taken up once more."""
        self.is_begun = True
        await self.write(TurnResumed(self.turn))

    async def end(self, outcome: str) -> None:
        """The turn is over: nothing of it is taken up again."""
        if self.is_begun:
            merged = [_settled(message, "merged") for message in self._merged]
            await self.write(*merged, TurnEnded(self.turn, outcome))
        else:
            await self.write(*(_settled(one, "done") for one in (self._event, *self._joined)))

    def forget(self) -> None:
        """What was noted and not written is not to be kept: the turn has failed."""
        self._noted.clear()

    def _begun(self, life: AgentLife) -> TurnBegun:
        event = self._event
        platform, written = event.address.platform, events.to_json(event)
        return TurnBegun(self.turn, life.id, platform, event.event_id, written)

    def _answered(self, life: AgentLife, number: int, answers: Sequence[str]) -> list[Line]:
        messages = heard(answers)
        if late := sum(map(is_too_late, messages)):
            # The agent takes them in the order of their coming: it is the last that are left.
            self.refused += self._merged[-late:]
            del self._merged[-late:]
            self.note(*(_settled(message, "accepted") for message in self.refused))
        self.note(*self._kept(messages, life), Answered(life.id, number, digest(answers)))
        return messages

    def _kept(self, messages: Sequence[Line], life: AgentLife) -> Sequence[Entry]:
        """What is to be kept of what an agent said; what it knows of notes follows."""
        kept = self._to_entries(messages, life.notes)
        for entry in kept:
            if isinstance(entry, MemoryChanged):
                life.notes[entry.kind] = entry.text
        return kept


def _life_of(id_: str, init: Line, *, steps: int) -> AgentLife:
    notes: AgentNotes = {"memory": init["memory"], "user": init["user"]}
    return AgentLife(id_, notes, tools_given(init), steps)


def _settled(message: Inbound, state: EventState) -> EventSettled:
    return EventSettled(message.address.platform, message.event_id, state)
