"""Open questions: what an agent waits to hear from a person, and who may answer in which way.

A button answers exactly its own question. A typed message answers the oldest question that its
writer was asked in that chat. Showing a question is delivery's business; asking and waiting is
the turn's.
"""

import asyncio
import json
import secrets
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum

from adapters.base import Button, Inbound
from gateway.chats.messages import Line
from gateway.delivery.reply import Buttons
from gateway.sessions import session_key
from gateway.store.journal import QuestionAsked, StoredQuestion

PREFIX = "ask"
_OTHER = "other"
_LABEL_CHARS = 40  # what a phone shows on one row of buttons


class Outcome(StrEnum):
    """How a question ended, in the protocol's words."""

    ANSWERED = "answered"
    TIMEOUT = "timeout"
    UNDELIVERABLE = "undeliverable"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person said."""

    content: str
    is_pressed: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A question, bound to a chat and to the person who was asked."""

    chat: str
    asked_id: str  # the person's id on the platform
    asked_name: str
    text: str
    choices: tuple[str, ...]
    asked_at: datetime
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    # None: the question was taken back, because its turn was stopped.
    answer: asyncio.Future[Answer | None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    def settle(self, answer: Answer | None) -> bool:
        """Answer it or take it back; False if that had already been done."""
        if self.answer.done():
            return False
        self.answer.set_result(answer)
        return True


def of_message(asked: Inbound, message: Line, now: datetime) -> Question:
    """The question in a `clarify_request`, for whoever wrote the message that is answered."""
    return Question(
        chat=session_key(asked.address),
        asked_id=asked.sender.id,
        asked_name=asked.sender.name,
        text=message["question"],
        choices=tuple(message["choices"] or ()),
        asked_at=now,
    )


def entry(question: Question, turn: str, clarify_id: str) -> QuestionAsked:
    """What the store keeps of it."""
    names = ("chat", "asked_id", "asked_name", "text", "choices")
    fields = {name: getattr(question, name) for name in names}
    return QuestionAsked(turn, question.id, clarify_id, json.dumps(fields))


def answer_to_json(answer: Answer) -> str:
    """What the store keeps of an answer."""
    return json.dumps(asdict(answer))


def markdown_of(question: Question) -> str:
    """The text of a question. Choices that don't fit on their buttons are spelled out."""
    if all(len(choice) <= _LABEL_CHARS for choice in question.choices):
        return question.text
    rows = [f"{number}. {choice}" for number, choice in _numbered(question.choices)]
    return "\n".join([question.text, "", *rows])


def buttons_of(question: Question) -> Buttons:
    """One row for each choice, and one for whatever else; none if there is nothing to choose."""
    if not question.choices:
        return ()
    rows = [
        (Button(_label(number, choice), f"{PREFIX}:{question.id}:{number}"),)
        for number, choice in _numbered(question.choices)
    ]
    return (*rows, (Button("Other", f"{PREFIX}:{question.id}:{_OTHER}"),))


def typed_answer(choices: tuple[str, ...], text: str) -> str:
    """What a typed message says: a number, the text of a choice in any case, or anything else."""
    said = text.strip()
    for number, choice in _numbered(choices):
        if said.rstrip(".)") == number:
            return choice
    for choice in choices:
        if choice.casefold() == said.casefold():
            return choice
    return said


class Questions:
    """All questions that are open now, of all chats."""

    def __init__(self) -> None:
        self._open: dict[str, Question] = {}

    def open(self, question: Question) -> None:
        """From now on it can be answered."""
        self._open[question.id] = question

    def restored(self, stored: StoredQuestion) -> Question:
        """The question as it stood before a restart: open, or answered and not yet passed on."""
        if stored.id in self._open:
            return self._open[stored.id]
        fields = json.loads(stored.question)
        fields["choices"] = tuple(fields["choices"])
        question = Question(id=stored.id, asked_at=stored.asked_at, **fields)
        if stored.answer is not None:
            question.settle(Answer(**json.loads(stored.answer)))
        self._open[question.id] = question
        return question

    def close(self, question: Question) -> None:
        """From now on it can't."""
        self._open.pop(question.id, None)

    def asked_in(self, chat: str, person_id: str) -> Question | None:
        """The oldest question in a chat that waits for this person."""
        for question in self._open.values():
            if (question.chat, question.asked_id) == (
                chat,
                person_id,
            ) and not question.answer.done():
                return question
        return None

    def press(self, chat: str, person_id: str, data: str) -> "str | tuple[Question, Answer] | None":
        """What a pressed button says: an answer to a question, or a notice for whoever pressed.

        `data` is what stands behind the prefix. It may be anything: clients can make it up.
        """
        question_id, _, choice = data.partition(":")
        question = self._open.get(question_id)
        if question is None or question.chat != chat or question.answer.done():
            return "This question is no longer open."
        if question.asked_id != person_id:
            return f"This question is for {question.asked_name[:60]}."
        if choice == _OTHER:
            return "Then write your answer."
        meant = dict(_numbered(question.choices)).get(choice)
        return None if meant is None else (question, Answer(meant, is_pressed=True))


def _numbered(choices: tuple[str, ...]) -> list[tuple[str, str]]:
    """The choices with what stands before them on a screen."""
    return [(str(number), choice) for number, choice in enumerate(choices, start=1)]


def _label(number: str, choice: str) -> str:
    choice = " ".join(choice.split())
    if len(choice) <= _LABEL_CHARS:
        return choice
    return f"{number}. {choice[: _LABEL_CHARS - 4]}…"
