"""Where an event goes: nowhere, to a command, to an open question, or into its chat's inbox.

The order matters. Who may not talk is turned away before anything is stored, so that strangers
cost nothing; what is not meant for the bot as well; then each event is taken once. `receive`
returns as soon as the event has been taken: whatever takes time happens in the chats.
"""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial

import structlog

from adapters.base import ButtonPress, ChatKind, Event, Inbound
from gateway.access import Allowed, may_talk
from gateway.chats import effects, questions
from gateway.chats.apologies import RESTARTING, apology
from gateway.chats.directory import Chats
from gateway.chats.questions import Answer, Questions, typed_answer
from gateway.commands.command import Call, parse
from gateway.commands.table import CommandTable, unknown_text
from gateway.sessions import session_key
from gateway.store.base import Store
from gateway.store.errors import StoreError

MAX_STRANGERS = 1_000
"""So many strangers are remembered as having been logged; the log is not theirs to fill."""

_log = structlog.get_logger()


class Router:
    """The way in for all platforms."""

    def __init__(
        self,
        store: Store,
        chats: Chats,
        questions_: Questions,
        *,
        commands: CommandTable,
        allowed: Mapping[str, Allowed],
        inbox_size: int,
    ) -> None:
        self._store = store
        self._chats = chats
        self._questions = questions_
        self._commands = commands
        self._allowed = allowed
        self._inbox_size = inbox_size
        self._strangers: OrderedDict[tuple[str, str], None] = OrderedDict()
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

    async def _take(self, event: Event) -> None:
        if not may_talk(self._allowed, event):
            self._note_stranger(event)
        elif isinstance(event, ButtonPress):
            self._take_press(event)
        else:
            await self._take_message(event)

    async def _take_message(self, message: Inbound) -> None:
        chat, person = session_key(message.address), message.sender.id
        is_answer = self._questions.asked_in(chat, person) is not None
        if not message.is_addressed and not is_answer:
            return
        call = parse(message) if message.is_addressed else None
        try:
            is_new = await self._store.claim_event(message.address.platform, message.event_id)
        except StoreError as error:
            if call is None:  # commands work even now: /stop is more needed than ever
                self._apologise(message, error)
                return
            is_new = True
        if not is_new:
            _log.info("event seen before", chat=chat, event_id=message.event_id)
            return
        if call is not None:
            self._run_command(call)
        elif (question := self._questions.asked_in(chat, person)) is not None:
            question.settle(Answer(typed_answer(question.choices, message.text)))
        elif message.is_addressed:
            self._offer(message)

    def _take_press(self, press: ButtonPress) -> None:
        """Answer a button. The notice is shown to whoever pressed it, and to nobody else."""
        kind, _, detail = press.data.partition(":")
        taken = _PRESSES.get(kind)
        if taken is None:
            _log.warning("unknown button", data=press.data[:64])
        notice = taken(self, press, detail) if taken else None
        self._chats.aside(press.address, partial(press.acknowledge, notice))

    def _press_stop(self, press: ButtonPress, turn_id: str) -> str | None:
        is_stopped = self._chats.stop(session_key(press.address), turn_id)
        return None if is_stopped else "This answer is no longer being written."

    def _press_choice(self, press: ButtonPress, detail: str) -> str | None:
        return self._questions.press(session_key(press.address), press.sender.id, detail)

    def _offer(self, message: Inbound) -> None:
        if not self._chats.offer(message):
            text = RESTARTING if self._chats.is_closing else full_text(self._inbox_size)
            self._chats.notify(message.address, text)

    def _run_command(self, call: Call) -> None:
        address = call.message.address
        _log.info("command", chat=session_key(address), name=call.name)
        command = self._commands.find(call.name)
        if command is None:
            self._chats.notify(address, unknown_text(call.name))
        else:
            self._chats.respond(address, command.run(call))

    def _apologise(self, message: Inbound, error: StoreError) -> None:
        error_id = secrets.token_hex(3)
        _log.error("message not taken", error_id=error_id, exc_info=error)
        self._chats.notify(message.address, apology(error, error_id))

    def _note_stranger(self, event: Event) -> None:
        """One line for each stranger, with the id that the administrator needs to let them in."""
        if event.sender.is_bot or (isinstance(event, Inbound) and not event.is_addressed):
            return
        stranger = event.address.platform, event.sender.id
        if stranger in self._strangers:
            return
        self._strangers[stranger] = None
        if len(self._strangers) > MAX_STRANGERS:
            self._strangers.popitem(last=False)
        is_group = event.address.kind is ChatKind.GROUP
        _log.warning(
            "a stranger was ignored; to let them in, add the id to allowed_users",
            platform=event.address.platform,
            user_id=event.sender.id,
            name=event.sender.name[:80],
            **({"chat_id": event.address.chat_id} if is_group else {}),
        )


def full_text(inbox_size: int) -> str:
    """What is said to a message that found no room."""
    return (
        f"{inbox_size} of your messages already wait for an answer, so I did not take this one."
        " Please send it again later."
    )


_PRESSES: Mapping[str, Callable[[Router, ButtonPress, str], str | None]] = {
    effects.STOP_PREFIX: Router._press_stop,
    questions.PREFIX: Router._press_choice,
}
