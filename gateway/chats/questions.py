"""Open questions: what an agent waits to hear from a person, and who may answer in which way.

A button answers exactly its own question. A typed message answers the oldest question that its
writer was asked in that chat; it never answers an approval, which takes a button or a command.
Showing a question and waiting is `asking`'s business.
"""

import asyncio
import json
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from adapters.base import Button, ButtonPress, Inbound, Sender
from gateway.access.roles import Role
from gateway.chats.messages import Line, quoted
from gateway.delivery.reply import Buttons
from gateway.sessions import session_key
from gateway.store.journal import QuestionAsked, StoredQuestion

PREFIX = "ask"
ANEW_PREFIX = "anew"
_OTHER = "other"
GONE = "This question is no longer open."
SHORT_ID_CHARS = 6
READ_AND_WRITTEN_WITHIN = timedelta(seconds=30)
"""So long a person may take to answer an approval by a command."""

_LABEL_CHARS = 40  # what a phone shows on one row of buttons


class Outcome(StrEnum):
    """How a question ended, in the protocol's words."""

    ANSWERED = "answered"
    TIMEOUT = "timeout"
    UNDELIVERABLE = "undeliverable"


class Answerers(StrEnum):
    """Who may answer."""

    ASKED = "asked"  # the person whose message led to it; by words, too
    OWNERS = "owners"  # an approval
    OWNERS_OR_ASKED = "owners_or_asked"  # an approval in the asker's own chat


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person said."""

    content: str
    is_pressed: bool = False
    by_name: str = ""  # where it may be another than the person asked
    by_id: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, bound to a chat and to the person who was asked."""

    chat: str
    asked_id: str  # the person's id on the platform
    asked_name: str
    text: str
    choices: tuple[str, ...]
    asked_at: datetime
    answerers: Answerers = Answerers.ASKED
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    # None: the question was taken back, because its turn was stopped.
    answer: asyncio.Future[Answer | None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    @property
    def is_approval(self) -> bool:
        """Whether it asks for leave, not for words."""
        return self.answerers is not Answerers.ASKED

    @property
    def short_id(self) -> str:
        """What people type for it."""
        return self.id[:SHORT_ID_CHARS]

    def refusal(self, person_id: str, role: Role) -> str | None:
        """Why somebody may not answer it; None if they may."""
        if self.answerers is Answerers.ASKED:
            is_theirs = self.asked_id == person_id
            return None if is_theirs else f"This question is for {self.asked_name[:60]}."
        is_asker = self.answerers is Answerers.OWNERS_OR_ASKED and self.asked_id == person_id
        return None if is_asker or role >= Role.OWNER else "Only an owner of this bot can say that."

    def with_text(self, text: str) -> "Question":
        """The same question, in these words."""
        return replace(self, text=text)

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
    names = ("chat", "asked_id", "asked_name", "text", "choices", "answerers")
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


def buttons_of(question: Question, *, has_forms: bool = False) -> Buttons:
    """One row for each choice, and one for whatever else; if there is nothing to choose, none, or
    one that opens a form where there are forms.
    """
    if not question.choices:
        return ((_words_button(question, "Answer"),),) if has_forms else ()
    if question.is_approval:
        return _verdict_buttons(question)
    rows = [
        (Button(_label(number, choice), f"{PREFIX}:{question.id}:{number}"),)
        for number, choice in _numbered(question.choices)
    ]
    return (*rows, (_words_button(question, "Other"),))


def _words_button(question: Question, label: str) -> Button:
    return Button(label, f"{PREFIX}:{question.id}:{_OTHER}", opens_form=True)


def anew_buttons(question: Question) -> Buttons:
    """What stands under a question that nobody answered in time."""
    if question.is_approval:
        return ()
    return ((Button("Ask me again", f"{ANEW_PREFIX}:{question.id}"),),)


def anew(stored: StoredQuestion, press: ButtonPress) -> Inbound | str:
    """What is said in the name of somebody who wants to be asked again, or why they may not."""
    fields = json.loads(stored.question)
    if fields["chat"] != session_key(press.address):
        return GONE
    if fields["asked_id"] != press.sender.id:
        return f"This question is for {fields['asked_name'][:60]}."
    text = f"I did not answer this in time. Please ask me again:\n{quoted(fields['text'])}"
    return Inbound(f"{ANEW_PREFIX}:{stored.id}", press.address, press.sender, text)


def _verdict_buttons(question: Question) -> Buttons:
    """Two in a row, so that they fit on a phone; the last of them is the no."""
    buttons = [
        Button(
            choice,
            f"{PREFIX}:{question.id}:{number}",
            "bad" if choice == question.choices[-1] else "good",
        )
        for number, choice in _numbered(question.choices)
    ]
    return tuple(tuple(buttons[start : start + 2]) for start in range(0, len(buttons), 2))


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

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._open: dict[str, Question] = {}
        self._approval_ended_at: dict[str, datetime] = {}  # by chat

    def open(self, question: Question) -> None:
        """From now on it can be answered."""
        self._open[question.id] = question

    def restored(self, stored: StoredQuestion) -> Question:
        """The question as it stood before a restart: open, or answered and not yet passed on."""
        if stored.id in self._open:
            return self._open[stored.id]
        fields = json.loads(stored.question)
        fields["choices"] = tuple(fields["choices"])
        fields["answerers"] = Answerers(fields.get("answerers", Answerers.ASKED))
        question = Question(id=stored.id, asked_at=stored.asked_at, **fields)
        if stored.answer is not None:
            question.settle(Answer(**json.loads(stored.answer)))
        self._open[question.id] = question
        return question

    def close(self, question: Question) -> None:
        """From now on it can't."""
        self._open.pop(question.id, None)
        if question.is_approval:
            self._approval_ended_at[question.chat] = self._clock()

    def find(self, question_id: str | None) -> Question | None:
        """The question of that id, if it is open."""
        return self._open.get(question_id or "")

    def asked_in(self, chat: str, person_id: str) -> Question | None:
        """The oldest question in a chat that waits for words of this person."""
        for question in self._open.values():
            is_theirs = (question.chat, question.asked_id) == (chat, person_id)
            if is_theirs and not question.is_approval and not question.answer.done():
                return question
        return None

    def approvals(self, chat: str | None = None) -> list[Question]:
        """The approvals that are waited for, in a chat or everywhere, the oldest first."""
        return [
            question
            for question in self._open.values()
            if question.is_approval and not question.answer.done() and chat in {None, question.chat}
        ]

    def is_plainly_meant(self, approval: Question) -> bool:
        """Whether a yes that names none can only be for this one, which alone is open in its chat.

        What was written while another stood there is not for the next.
        """
        for one in self._open.values():
            if one.is_approval and one.chat == approval.chat and one.id != approval.id:
                return False  # it has been answered this moment
        ended_at = self._approval_ended_at.get(approval.chat)
        return ended_at is None or self._clock() - ended_at > READ_AND_WRITTEN_WITHIN

    def press(
        self, chat: str, person: Sender, role: Role, data: str, typed: str | None = None
    ) -> "str | tuple[Question, Answer] | None":
        """What a pressed button says: an answer to a question, or a notice for whoever pressed.

        `data` is what stands behind the prefix, `typed` what was written into a form. Either may
        be anything: clients can make it up.
        """
        question_id, _, choice = data.partition(":")
        question = self._open.get(question_id)
        if question is None or question.chat != chat or question.answer.done():
            return GONE
        if refusal := question.refusal(person.id, role):
            return refusal
        if choice == _OTHER and not question.is_approval:
            if not (typed and typed.strip()):
                return "Then write your answer."
            return question, Answer(typed_answer(question.choices, typed))
        meant = dict(_numbered(question.choices)).get(choice)
        return None if meant is None else (question, pressed(meant, person))


def plain_label(name: str) -> str:
    """A name as mere letters: it stands in Markdown of ours."""
    kept = "".join(c if c.isalnum() or c in " .-'" else " " for c in name)
    return " ".join(kept.split())[:_LABEL_CHARS] or "somebody"


def pressed(choice: str, person: Sender) -> Answer:
    """The answer of somebody who chose."""
    return Answer(choice, is_pressed=True, by_name=person.name, by_id=person.id)


def _numbered(choices: tuple[str, ...]) -> list[tuple[str, str]]:
    """The choices with what stands before them on a screen."""
    return [(str(number), choice) for number, choice in enumerate(choices, start=1)]


def _label(number: str, choice: str) -> str:
    choice = " ".join(choice.split())
    if len(choice) <= _LABEL_CHARS:
        return choice
    return f"{number}. {choice[: _LABEL_CHARS - 4]}…"
