"""What is written down so that a turn can go on after a kill, and read again at the next start.

Everything that is written is an `Entry`; entries that belong together are one transaction. What
they mean for a turn is decided in `gateway.chats`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from gateway.store.base import MemoryKind, Message

PartState = Literal["sending", "sent", "unknown"]
"""How far a part got; a part that has no row was not tried, or is known not to have arrived."""

EventState = Literal[
    "accepted", "begun", "done", "answer", "steering", "merged", "refused", "dropped"
]
"""What became of an inbound event; before that it is `accepted`, or a `command`.

`steering` has gone into a turn that still runs: it will be `merged`, or `accepted` once more.
"""


@dataclass(frozen=True, slots=True)
class LifeBegun:
    """An agent was woken."""

    life: str
    chat: str
    session: str
    artefact: str


@dataclass(frozen=True, slots=True)
class TurnBegun:
    """A turn answers an inbound event, which is settled with it."""

    turn: str
    life: str
    platform: str
    event_id: str
    event: str  # all of it, as JSON


@dataclass(frozen=True, slots=True)
class Fed:
    """Lines are about to be fed, in one call."""

    life: str
    number: int
    turn: str | None
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """What was answered to that; written together with what the answers ask to keep."""

    life: str
    number: int
    sha256: str


@dataclass(frozen=True, slots=True)
class HistoryChanged:
    """A `history` line of the agent's."""

    session: str
    op: str
    messages: tuple[Message, ...] = ()
    length: int = 0


@dataclass(frozen=True, slots=True)
class MemoryChanged:
    """A memory text was changed by somebody who knew it as `before`: the difference is what counts,
    should another have changed it meanwhile (`notes.merged`).
    """

    kind: MemoryKind
    owner: str
    text: str
    before: str


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool is about to run."""

    turn: str
    call_id: str
    name: str


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """A question is about to be shown; `question` is JSON."""

    turn: str
    id: str
    clarify_id: str
    question: str


@dataclass(frozen=True, slots=True)
class QuestionAnswered:
    """What a person said to a question; `answer` is JSON."""

    id: str
    answer: str


@dataclass(frozen=True, slots=True)
class PartMoved:
    """A part of a reply is being sent, or was; `state` None: it is not there."""

    turn: str
    reply: str
    position: int
    state: PartState | None
    message_ids: tuple[str, ...] = ()  # the platform's: several for an album
    markdown: str | None = None  # the whole reply, for a part that is final as it is sent


@dataclass(frozen=True, slots=True)
class ReplySaid:
    """A reply is final; `beginning` is how it begins."""

    turn: str
    reply: str
    beginning: str


@dataclass(frozen=True, slots=True)
class EventSettled:
    """What became of an inbound event."""

    platform: str
    event_id: str
    state: EventState


@dataclass(frozen=True, slots=True)
class TurnResumed:
    """A turn is being rebuilt."""

    turn: str


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """A turn is over, and its event settled."""

    turn: str
    outcome: str


Entry = (
    LifeBegun
    | TurnBegun
    | Fed
    | Answered
    | HistoryChanged
    | MemoryChanged
    | ToolStarted
    | QuestionAsked
    | QuestionAnswered
    | PartMoved
    | ReplySaid
    | EventSettled
    | TurnResumed
    | TurnEnded
)


@dataclass(frozen=True, slots=True)
class Life:
    """An agent's life."""

    id: str
    chat: str
    session: str
    artefact: str
    begun_at: str


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A turn that has not ended."""

    id: str
    life: Life
    resumed: int  # so often since it last came a step further
    event: str  # the inbound event, as JSON


@dataclass(frozen=True, slots=True)
class LastTurn:
    """The turn that a chat had last."""

    turn: str
    event: str  # the inbound event, as JSON
    session: str
    begun_at: datetime
    outcome: str | None  # None: it still runs


@dataclass(frozen=True, slots=True)
class StoredStep:
    """Lines that were fed in one call, and the hash of the answer if all of it was carried out."""

    number: int
    turn: str | None
    lines: tuple[str, ...]
    answers: str | None


@dataclass(frozen=True, slots=True)
class StoredPart:
    """A part of a reply on a screen."""

    reply: str
    position: int
    state: PartState
    message_ids: tuple[str, ...]
    markdown: str | None


@dataclass(frozen=True, slots=True)
class StoredQuestion:
    """A question of an open turn; `question` and `answer` are JSON."""

    id: str
    turn: str
    clarify_id: str
    question: str
    answer: str | None
    asked_at: datetime


class JournalStore(Protocol):
    """The journal. All methods raise `StoreError`."""

    async def write(self, entries: Sequence[Entry]) -> None:
        """Write all entries, in their order, or none."""

    async def open_turns(self) -> list[OpenTurn]:
        """The turns that were begun and not ended, the oldest first."""

    async def steps(self, life: str) -> list[StoredStep]:
        """All that was fed in a life, in order."""

    async def tools_started(self, turn: str) -> frozenset[str]:
        """The ids of the calls that were begun in a turn."""

    async def parts(self, turn: str) -> list[StoredPart]:
        """What a turn has put on screens, in order."""

    async def last_turn(self, chat: str) -> LastTurn | None:
        """The turn that began last in a chat; None if none is known any more."""

    async def answer_shown(self, chat: str, message_id: str) -> tuple[str, str] | None:
        """The chat, or topic of it, where a message of ours is part of an answer, and how that
        begins, empty as long as it is being written; None of any other message."""

    async def chat_of(self, turn: str) -> str | None:
        """The session key of the chat that a turn was in; None if it is not known any more."""

    async def questions(self) -> list[StoredQuestion]:
        """The questions of all turns that have not ended, the oldest first."""

    async def question(self, id_: str) -> StoredQuestion | None:
        """The question of that id, of whatever turn; None if it is not known any more."""

    async def lives(self, session: str) -> list[Life]:
        """The lives of a session that are still kept, the oldest first.

        `session` is its id, or the last 8 characters of it, as people are shown them.
        """

    async def prune(self, keep_days: int) -> int:
        """Forget the lives that began before that, but for those with an open turn; how many."""
