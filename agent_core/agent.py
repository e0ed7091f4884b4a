"""The agent: takes one message, gives the messages that follow from it.

Knows what is open and whose answer a message is; knows nothing of what a turn does. Messages that
come early wait for their request; those that nothing will ever ask for get an `error`, and so
does whatever breaks the protocol. An exception from here is a defect of ours.
"""

from collections import deque
from collections.abc import Callable

from agent_core.commands import run_command
from agent_core.expecting import (
    ANSWERS,
    MEMORY,
    SKILLS,
    Answer,
    Expected,
    Interrupted,
    Steps,
    find_expected,
    is_awaited,
)
from agent_core.protocol import BadMessage, check
from agent_core.session import Session
from agent_core.turn import run_turn
from agent_core.wire import Message

MAX_QUEUED = 32
MAX_EARLY = 64


class Agent:
    """One chat's agent. Sans-IO: `receive` is all there is."""

    def __init__(self) -> None:
        self.is_closed = False
        self._session: Session | None = None
        self._running: Steps[None] | None = None
        self._expected: tuple[Expected, ...] = ()
        self._queued: deque[Message] = deque()

    def receive(self, message: Message) -> list[Message]:
        """Take a message of the host; returns what to tell it, in order."""
        try:
            check(message)
            handle = self._handlers.get(message["type"], Agent._take_answer)
            return handle(self, message)
        except BadMessage as error:
            return [*self._drain(), self._error(error.code, str(error))]

    # One method per message type that is no answer; each returns what goes out.

    def _init(self, message: Message) -> list[Message]:
        if self._session is not None:
            raise BadMessage("already_initialised", "init came a second time and was ignored.")
        self._session = Session(message)
        return self._drain()

    def _user_message(self, message: Message) -> list[Message]:
        session = self._open_session()
        if self._running is None:
            return self._start(run_turn(session, message))
        if len(self._queued) >= MAX_QUEUED:
            raise BadMessage("busy", f"{MAX_QUEUED} messages are waiting; this one was not taken.")
        self._queued.append(message)
        return []

    def _command(self, message: Message) -> list[Message]:
        session = self._open_session()
        if self._running is not None:
            raise BadMessage("busy", f"{message['name']} is not possible while a turn runs.")
        return self._start(run_command(session, message))

    def _steer(self, message: Message) -> list[Message]:
        session = self._open_session()
        if self._running is None:
            raise BadMessage("no_turn", "No turn is running that could be steered.")
        session.turn.steers.append(message)
        return []

    def _interrupt(self, message: Message) -> list[Message]:
        self._open_session()
        return self._stop(message.get("partial") or "")

    def _shutdown(self, message: Message) -> list[Message]:  # noqa: ARG002 - one shape for all
        self._queued.clear()
        out = self._stop() if self._session is not None and not self.is_closed else []
        self.is_closed = True
        return out

    def _take_answer(self, message: Message) -> list[Message]:
        session = self._open_session()
        if not session.is_level_2:  # such a host was given no such ids: what it says is its own
            message = {k: v for k, v in message.items() if k not in ("request_id", "clarify_id")}
        expected = find_expected(message, self._expected)
        if expected is not None:
            return self._resume(Answer(expected, message))
        kinds, _ = ANSWERS[message["type"]]
        if kinds == (MEMORY,) and self._is_told_unasked():
            session.memory = {name: message.get(name) or "" for name in ("memory", "user")}
            return []
        if kinds == (SKILLS,) and self._is_told_unasked():
            session.skills = message.get("skills") or []
            return []
        if (
            self._running is None
            or is_awaited(message, self._expected)
            or len(session.early) >= MAX_EARLY
        ):
            raise BadMessage("unexpected", f"Nothing had asked for this {message['type']}.")
        session.early.append(message)
        return []

    _handlers: dict[str, Callable[["Agent", Message], list[Message]]] = {  # noqa: RUF012 - constant
        "init": _init,
        "user_message": _user_message,
        "command": _command,
        "steer": _steer,
        "interrupt": _interrupt,
        "shutdown": _shutdown,
    }

    def _is_told_unasked(self) -> bool:
        """Whether the host gives memory and skills on its own: level 2, or between turns."""
        return self._running is None or self._open_session().is_level_2

    def _start(self, steps: Steps[None]) -> list[Message]:
        self._running = steps
        return self._advance(lambda: next(steps))

    def _resume(self, answer: Answer) -> list[Message]:
        steps = self._running
        assert steps is not None, "something is awaited, so something runs"  # noqa: S101
        return self._advance(lambda: steps.send(answer))

    def _stop(self, partial: str = "") -> list[Message]:
        steps = self._running
        if steps is None:
            return []
        return self._advance(lambda: steps.throw(Interrupted(partial)))

    def _advance(self, go_on: Callable[[], tuple[Expected, ...]]) -> list[Message]:
        """Let the turn run until it waits for something that has not come, or ends."""
        steps = self._running
        assert steps is not None, "it has just been started or waits"  # noqa: S101
        try:
            self._expected = go_on()
            while (answer := self._early_answer()) is not None:
                self._expected = steps.send(answer)
        except StopIteration:
            return self._end_of_turn()
        except Exception:
            self._running, self._expected = None, ()
            raise
        return self._drain()

    def _early_answer(self) -> Answer | None:
        """The first of the answers that have come early that is asked for now."""
        early = self._open_session().early
        for index, message in enumerate(early):
            expected = find_expected(message, self._expected)
            if expected is not None:
                del early[index]
                return Answer(expected, message)
        return None

    def _end_of_turn(self) -> list[Message]:
        self._running, self._expected = None, ()
        out = self._drain()
        if self._queued:
            out += self._user_message(self._queued.popleft())
        return out

    def _open_session(self) -> Session:
        if self.is_closed:
            raise BadMessage("closed", "The agent has been shut down.")
        if self._session is None:
            raise BadMessage("not_initialised", "init must come first.")
        return self._session

    def _drain(self) -> list[Message]:
        if self._session is None:
            return []
        out, self._session.outbox = self._session.outbox, []
        return out

    @staticmethod
    def _error(code: str, text: str) -> Message:
        return {"type": "error", "message": text, "code": code}
