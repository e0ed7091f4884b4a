"""Where an event goes: nowhere, to a command, to an open question, or into its chat's inbox.

The order matters. Who may not talk is turned away at the gate before anything is stored, so that
strangers cost nothing; what is not meant for the bot as well, and what is too much; then each
event is taken once. `receive`
returns as soon as the event has been taken: whatever takes time happens in the chats.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import structlog

from adapters.base import ButtonPress, Deleted, Edited, Event, Inbound, Moved
from config.settings import ChatSettings
from gateway import events
from gateway.access.gate import Gate, request_text
from gateway.access.rates import Verdict
from gateway.access.roles import Standing
from gateway.changes import Changes, incoming
from gateway.chats import lost_replies, questions, voice
from gateway.chats.apologies import RETRY_PREFIX, TOO_MUCH_WAITS, apology
from gateway.chats.asides import aside, overheard_text
from gateway.chats.busy import Mode
from gateway.chats.directory import Chats
from gateway.chats.questions import Answer, Question, Questions, typed_answer
from gateway.commands.busy import handed_over
from gateway.commands.command import Call, Command, call_of, parse
from gateway.commands.history import commanded
from gateway.commands.table import CommandTable, unknown_text
from gateway.delivery.reply import Said
from gateway.schedule.scheduler import Taken
from gateway.sessions import session_key
from gateway.store.errors import StoreError
from gateway.store.inbound import InboundStore
from gateway.store.journal import JournalStore, QuestionAnswered

TOO_MUCH = "That was too much at once: I take no more from here for a minute."

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Pressed:
    """A button that somebody who may talk has pressed."""

    event: ButtonPress
    detail: str  # what its data says behind the prefix
    standing: Standing


class Router:
    """The way in for all platforms."""

    def __init__(
        self,
        inbound: InboundStore,
        journal: JournalStore,
        chats: Chats,
        questions_: Questions,
        *,
        commands: CommandTable,
        gate: Gate,
        chat_settings: Callable[[], ChatSettings],
        changes: Changes,
        move: Callable[[Moved], Awaitable[None]],
    ) -> None:
        self._inbound = inbound
        self._journal = journal
        self._chats = chats
        self._questions = questions_
        self._commands = commands
        self._gate = gate
        self._chat_settings = chat_settings
        self._changes = changes
        self._move = move
        self._is_closed = False

    def close(self) -> None:
        """Take nothing more in. Platforms keep what was not taken, for the next start."""
        self._is_closed = True

    async def receive(self, event: Event) -> None:
        """Take an event in. Once closed it never returns: the event has not been taken."""
        if self._is_closed:
            await asyncio.get_running_loop().create_future()
        try:
            await self._take(event)
        except Exception:  # noqa: BLE001 - logged; given back, it would block all that come after
            _log.exception("event dropped", platform=event.address.platform, id=event.event_id)

    async def receive_scheduled(self, message: Inbound) -> Taken:
        """Put a scheduled run into its chat's inbox, if its owner may still talk there.

        What it says is never taken for a command or for the answer to a question. Raises
        `StoreError`.
        """
        if self._is_closed:
            await asyncio.get_running_loop().create_future()
        chat = session_key(message.address)
        if not await self._gate.may_answer(message):
            return Taken.REFUSED
        if self._chats.activity(chat)[1] >= self._chat_settings().inbox_size:
            return Taken.FULL  # not stored: it comes again
        if not await self._keep(message):
            return Taken.SEEN
        await self._offer(message, "queue")  # it never steers into what a person is being told
        return Taken.TAKEN

    async def _take(self, event: Event) -> None:
        if isinstance(event, Deleted):  # nobody's doing: there is nobody to be let in
            await self._changes.deleted(event)
            return
        if isinstance(event, Moved):
            await self._move(event)
            return
        entry = await self._gate.meet(event)
        if not entry.is_open:
            if entry.text is not None:
                self._chats.notify(event.address, entry.text)
            if entry.asked is not None:
                await self._chats.tell_owners(self._gate.access, request_text(entry.asked))
        elif isinstance(event, ButtonPress):
            await self._take_press(event, entry.standing)
        elif isinstance(event, Inbound):
            await self._take_message(event, entry.standing)
        elif self._gate.admit(event, entry.standing) is Verdict.TAKEN:
            if isinstance(event, Edited):
                await self._take_change(event)
            else:
                await self._changes.reacted(event)

    async def _take_change(self, event: Edited) -> None:
        try:
            await self._changes.edited(event)
        except StoreError as error:
            self._apologise(event.message, error)

    async def _take_message(self, message: Inbound, standing: Standing) -> None:
        message = self._heard_from_members(message)
        chat, person = session_key(message.address), message.sender.id
        # What is forwarded are somebody else's words: no answer, even to their own question.
        is_own = message.forwarded_from is None
        question = self._questions.asked_in(chat, person) if is_own else None
        is_meant = message.is_addressed or self._chats.expects(message)
        if not is_meant and question is None:
            await self._overhear(chat, message)
            return
        call = parse(message) if message.is_addressed else None
        if self._is_counted(call) and not self._admit(message, standing):
            return
        mode: Mode = self._chat_settings().busy
        if call is not None and self._may_use(call, standing) and (handed := _handed(call)):
            (message, mode), call, question = handed, None, None
        try:
            if call is not None:
                is_new = await self._keep(message, is_command=True)
            elif question is not None:
                is_new = await self._take_answer(message, question)
            else:
                is_new = await self._take_for_turn(message, mode)
        except StoreError as error:
            if call is None:
                self._apologise(message, error)
                return
            is_new = True  # commands work even now: /stop is more needed than ever
        if not is_new:
            _log.info("event seen before", chat=chat, event_id=message.event_id)
        elif call is not None:
            await self._run_command(replace(call, role=standing.role))

    def _heard_from_members(self, message: Inbound) -> Inbound:
        """The message without what its platform says that strangers said."""
        if not message.context:
            return message
        known = (one for one in message.context if self._gate.may_talk(message.address, one.sender))
        return replace(message, context=tuple(known))

    async def _take_for_turn(self, message: Inbound, mode: Mode) -> bool:
        """Keep what is to have a turn, or a part in one, and hand it over; False if seen before."""
        if message.command is not None:
            is_new = await self._keep(message)
        else:  # what its chat has heard of in between goes with it
            alone = incoming(message)
            add = partial(events.with_asides, is_told=self._gate.is_welcome)
            kept = await self._inbound.take_telling(alone, add)
            is_new = kept is not None
            if kept is not None and kept != alone.event:
                message = events.from_json(kept)
        if is_new:
            await self._offer(message, mode)
        return is_new

    async def _overhear(self, chat: str, message: Inbound) -> None:
        """Keep what somebody said to others, if that is wanted: it goes with the next message."""
        limit, said = self._chat_settings().observe, overheard_text(message)
        if limit > 0 and said:
            heard = aside(chat, "overheard", message.address, message.sender, said)
            await self._inbound.take_aside(incoming(message), heard, limit)

    async def _keep(self, message: Inbound, *, is_command: bool = False) -> bool:
        """Store a message; False if that was done before."""
        return await self._inbound.take(incoming(message), is_command=is_command)

    async def _take_answer(self, message: Inbound, question: Question) -> bool:
        if message.attachments:
            message = replace(message, answers=question.id)
            if is_new := await self._keep(message):
                self._chats.answer_in_words(message, question)
            return is_new
        answer = Answer(typed_answer(question.choices, message.text))
        written = questions.answer_to_json(answer)
        is_new = await self._inbound.take_answer(incoming(message), question.id, written)
        # Somebody may have been quicker; then it is a message like any other.
        if is_new and not question.settle(answer) and message.is_addressed:
            await self._offer(message, self._chat_settings().busy)
        return is_new

    def _may_use(self, call: Call, standing: Standing) -> bool:
        command, kind = self._commands.find(call.name), call.message.address.kind
        return command is not None and not self._commands.refusal(command, standing.role, kind)

    def _is_counted(self, call: Call | None) -> bool:
        command = None if call is None else self._commands.find(call.name)
        return command is None or command.is_counted

    def _admit(self, message: Inbound, standing: Standing) -> bool:
        """Whether this message is not too many; said once, and then left unanswered."""
        verdict = self._gate.admit(message, standing)
        if verdict is Verdict.REFUSED:
            self._chats.notify(message.address, TOO_MUCH)
        return verdict is Verdict.TAKEN

    async def _take_press(self, press: ButtonPress, standing: Standing) -> None:
        """Answer a button. The notice is shown to whoever pressed it, and to nobody else."""
        kind, _, detail = press.data.partition(":")
        if kind != voice.STOP_PREFIX:
            verdict = self._gate.admit(press, standing)
            if verdict is not Verdict.TAKEN:
                notice = TOO_MUCH if verdict is Verdict.REFUSED else None
                self._chats.beside(press.address, partial(press.acknowledge, notice))
                return
        taken, command = _PRESSES.get(kind), self._commands.find(kind)
        pressed = _Pressed(press, detail, standing)
        if taken is not None:
            notice = await taken(self, pressed)
        elif command is not None and command.has_buttons:
            notice = await self._press_command(pressed, command)
        else:
            _log.warning("unknown button", data=press.data[:64])
            notice = None
        self._chats.beside(press.address, partial(press.acknowledge, notice))

    async def _press_stop(self, pressed: _Pressed) -> str | None:
        press = pressed.event
        if self._chats.stop(session_key(press.address), pressed.detail):
            return None
        # Only what grows has this button: a kill, or a platform that did not answer, has left it.
        if press.message_id is not None and press.is_on_message:
            self._chats.take_away(press.address, press.message_id)
        return "This answer is no longer being written."

    async def _press_again(self, pressed: _Pressed) -> str | None:
        self._chats.show_again(pressed.event, pressed.detail)
        return None

    async def _press_retry(self, pressed: _Pressed) -> str | None:
        try:
            return await self._changes.retried(pressed.event, pressed.detail)
        except StoreError as error:
            _log.error("nothing is tried again", exc_info=error)
            return "That is not possible at the moment. Please try again later."

    async def _press_choice(self, pressed: _Pressed) -> str | None:
        chat, person = session_key(pressed.event.address), pressed.event.sender
        said = self._questions.press(
            chat, person, pressed.standing.role, pressed.detail, pressed.event.typed
        )
        if not isinstance(said, tuple):
            return said
        question, answer = said
        try:
            written = questions.answer_to_json(answer)
            await self._journal.write([QuestionAnswered(question.id, written)])
        except StoreError as error:  # it counts all the same, unless the gateway is killed now
            _log.warning("an answer was not written down", error=str(error))
        question.settle(answer)
        return None

    async def _press_anew(self, pressed: _Pressed) -> str | None:
        stored = await self._journal.question(pressed.detail)
        said = questions.GONE if stored is None else questions.anew(stored, pressed.event)
        if isinstance(said, str):
            return said
        if not await self._keep(said):
            return "I have been told that already."
        await self._offer(said, "queue")
        return None

    async def _press_command(self, pressed: _Pressed, command: Command) -> str | None:
        """Do what a command does, for whoever may type it here."""
        press, role = pressed.event, pressed.standing.role
        if refusal := self._commands.refusal(command, role, press.address.kind):
            return refusal
        call = call_of(press, command.name, pressed.detail, role)
        try:
            is_new = await self._keep(call.message, is_command=True)
        except StoreError:
            is_new = True  # as when it is typed
        if is_new:
            await self._run_command(call)
        return None

    async def _offer(self, message: Inbound, mode: Mode) -> None:
        if self._chats.is_closing:
            return  # it is stored: the next start answers it
        if not self._chats.say(message, mode):
            size = self._chat_settings().inbox_size
            text = full_text(size) if message.command is None else TOO_MUCH_WAITS
            self._chats.notify(message.address, text)
            await self._inbound.settle(message.address.platform, message.event_id, "refused")

    async def _run_command(self, call: Call) -> None:
        address = call.message.address
        _log.info("command", chat=session_key(address), name=call.name)
        command = self._commands.find(call.name)
        if command is None:
            self._chats.notify(address, unknown_text(call.name))
            await self._settle(call)
        elif refusal := self._commands.refusal(command, call.role, address.kind):
            self._chats.notify(address, refusal)
            await self._settle(call)
        else:
            self._chats.respond(address, self._carried_out(command, call))

    async def _carried_out(self, command: Command, call: Call) -> Said | None:
        """Run a command, and note that it has taken effect, or failed and said so."""
        try:
            said = await command.run(call)
        except Exception:
            await self._settle(call)
            raise
        await self._settle(call)
        return said

    async def _settle(self, call: Call) -> None:
        try:
            await self._inbound.settle(call.message.address.platform, call.message.event_id, "done")
        except StoreError as error:
            _log.warning("a command's end was not written down", error=str(error))

    def _apologise(self, message: Inbound, error: StoreError) -> None:
        error_id = secrets.token_hex(3)
        _log.error("message not taken", error_id=error_id, exc_info=error)
        self._chats.notify(message.address, apology(error, error_id))


def _handed(call: Call) -> tuple[Inbound, Mode] | None:
    """What a command hands over to the chat, and how; None of one that is carried out here."""
    line = commanded(call)
    return handed_over(call) if line is None else (replace(call.message, command=line), "queue")


def full_text(inbox_size: int) -> str:
    """What is said to a message that found no room."""
    return (
        f"{inbox_size} of your messages already wait for an answer, so I did not take this one."
        " Please send it again later."
    )


_PRESSES: Mapping[str, Callable[[Router, _Pressed], Awaitable[str | None]]] = {
    voice.STOP_PREFIX: Router._press_stop,
    lost_replies.PREFIX: Router._press_again,
    questions.PREFIX: Router._press_choice,
    RETRY_PREFIX: Router._press_retry,
    questions.ANEW_PREFIX: Router._press_anew,
}
