"""What of a turn had been carried out before the gateway was restarted. A fresh turn has none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from adapters.base import Inbound
from agent_core.expecting import ANSWERS
from agent_core.wire import parse_line
from gateway import events
from gateway.chats.messages import Line, is_redo
from gateway.store.inbound import InboundStore
from gateway.store.journal import (
    JournalStore,
    OpenTurn,
    StoredPart,
    StoredQuestion,
    StoredStep,
)

MAX_RESUMED = 10
"""A turn that is taken up so often without coming a step further is given up: it may be what
brings the gateway down."""


@dataclass(frozen=True, slots=True)
class Past:
    """What was done before."""

    stored: OpenTurn | None = None
    steps: Sequence[StoredStep] = ()
    answered: frozenset[str] = frozenset()  # requests whose answers are in the journal
    started: frozenset[str] = frozenset()  # tool calls that were begun
    parts: Mapping[str, Sequence[StoredPart]] = field(default_factory=dict)  # by reply
    questions: Mapping[str, StoredQuestion] = field(default_factory=dict)  # by the agent's id
    steering: Sequence[Inbound] = ()  # what was said into the turn
    is_redo: bool = False  # it began by taking back the turn before

    def has_answer(self, message: Line) -> bool:
        """Whether a request of the agent's was answered."""
        return request_key(message) in self.answered


def request_key(message: Line) -> str:
    """What tells a request, or the answer to one, from the others of its turn."""
    if message["type"] == "tool_call":
        return f"tool_call_id {message['id']}"
    if message["type"] == "clarify_request":
        return f"clarify_id {message.get('clarify_id')}"
    if message["type"] in ANSWERS:
        name = ANSWERS[message["type"]][1]
        return f"{name} {message.get(name)}" if name else message["type"]
    return f"request_id {message.get('request_id')}"


async def read_past(journal: JournalStore, inbound: InboundStore, stored: OpenTurn) -> Past:
    """All that is known of a turn. Raises `StoreError`."""
    steps = await journal.steps(stored.life.id)
    own = [list(map(parse_line, step.lines)) for step in steps if step.turn == stored.id]
    fed = [line for lines in own for line in lines]
    parts = await journal.parts(stored.id)
    questions = [one for one in await journal.questions() if one.turn == stored.id]
    return Past(
        stored=stored,
        steps=steps,
        answered=frozenset(request_key(line) for line in fed if line["type"] in ANSWERS),
        started=await journal.tools_started(stored.id),
        parts={reply: list(those) for reply, those in groupby(parts, lambda part: part.reply)},
        questions={question.clarify_id: question for question in questions},
        is_redo=bool(own) and is_redo(own[0]),
        steering=[events.from_json(event) for event in await inbound.steering(stored.life.chat)],
    )
