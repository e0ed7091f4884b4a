"""Carries out what an agent asks for in a turn, and brings back the answers.

Each message type has one method in the table at the end. What takes time runs as a task of the
turn's group and puts its answer, a protocol message, into `answers`; so does a failure, as the
exception itself, for the turn to report. Nothing is decided here that the agent can decide.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import structlog

from adapters.base import Inbound
from gateway.chats import questions
from gateway.chats.apologies import AgentMisbehaved, retry_button
from gateway.chats.asking import Asking
from gateway.chats.host import Host
from gateway.chats.journal import TurnJournal
from gateway.chats.messages import Line, error_fields, summary_request, text_of
from gateway.chats.past import Past
from gateway.chats.questions import Question
from gateway.chats.records import KEPT
from gateway.chats.tool_calls import ToolCalls
from gateway.chats.voice import Voice
from gateway.delivery.reply import Reply
from gateway.llm.budgets import Caller
from gateway.llm.errors import ModelError
from gateway.llm.models import COMPRESS
from gateway.llm.provider import ChatRequest
from gateway.media.showing import with_pictures
from gateway.sessions import person_key, session_key
from gateway.tools.order import Place
from gateway.tools.tool import ToolCall

_log = structlog.get_logger()


class Effects:
    """The effects of one turn. Lives as long as the task group it is given."""

    def __init__(
        self,
        host: Host,
        message: Inbound,
        journal: TurnJournal,
        past: Past,
        group: asyncio.TaskGroup,
    ) -> None:
        # None only wakes whoever waits.
        self.answers: asyncio.Queue[Line | Exception | None] = asyncio.Queue()
        self.result: Line | None = None  # the result of `done`, once it is there
        self.is_answered = False  # a final text is being shown, or was
        self._last_sign_of_life = asyncio.get_running_loop().time()
        self._host = host
        self._message = message
        self._journal = journal
        self._past = past
        self._fails = False  # the text that is final says so
        self._is_past = False  # what is carried out belongs to a turn that had already ended
        self._group = group
        self._calls: set[asyncio.Task[None]] = set()  # what `abandon` may cut off
        self._voice = Voice(host, message, journal, past, self._spawn)
        self._asking = Asking(
            host,
            message,
            journal,
            past,
            make_way=self._voice.make_way,
            waits=self._wait_for_people,
            spawn=self._spawn,
        )
        self._tools = ToolCalls(
            host,
            message,
            journal,
            past,
            asking=self._asking,
            report=self._note_progress,
            show=self._voice.show,
        )
        self._is_closing = False

    @property
    def is_waiting(self) -> bool:
        """Whether anything is under way whose answer the agent will get."""
        return bool(self._calls or self._asking.is_open or not self.answers.empty())

    @property
    def deadline(self) -> float | None:
        """When, on the loop's clock, nothing will have happened for too long.

        None while a question is open: a person may take their time.
        """
        if self._asking.is_open:
            return None
        return self._last_sign_of_life + self._host.settings.chats.turn_timeout_s

    @property
    def streamed(self) -> str:
        """What the person has been shown of the present text, or is about to be."""
        return self._voice.reply.text

    async def carry_out(self, messages: Sequence[Line]) -> None:
        """Do what the agent asked for, in its order. What is to be kept is the journal's business.

        Raises `StoreError`, and `AgentMisbehaved` if the agent says that it can't go on.
        """
        ends = [message for message in messages if message["type"] == "done"]
        self._is_past = bool(ends)
        self._fails = any(end["result"].get("reason") == "error" for end in ends)
        for message in messages:
            if message["type"] not in KEPT:
                effect = _EFFECTS.get(message["type"])
                if effect is None:
                    _log.warning("unknown message from the agent", type=message["type"])
                elif not (message["type"] in REQUESTS and self._is_dealt_with(message)):
                    await effect(self, message)

    def _is_dealt_with(self, message: Line) -> bool:
        """Whether a request is only here again because the turn was rebuilt."""
        return self._is_past or self._past.has_answer(message)

    def abandon(self) -> None:
        """Cut off what is under way: its answers are not wanted any more."""
        for call in self._calls - self._asking.tasks:
            call.cancel()
        self._asking.take_back()

    async def say_finally(self, text: str, *, fails: bool = False) -> None:
        """Show the turn's last word; whatever was streamed turns into it. One that fails has a
        button to try again.
        """
        self.is_answered = True
        button = retry_button(self._message, self._journal.turn) if fails else ()
        await self._voice.finish(text, button)

    async def close(self) -> None:
        """End what only accompanies a turn, and take back a text that never became final."""
        self._is_closing = True
        self.abandon()
        has_failed = self.result is None or self.result.get("reason") == "error"
        await self._voice.close(is_answered=self.is_answered, has_failed=has_failed)

    # What agents ask for

    async def _say(self, message: Line) -> None:
        await self._journal.write()  # what a person has read is never forgotten
        if message.get("final", True):
            await self.say_finally(message["content"], fails=self._fails)
        else:
            await self._voice.finish(message["content"])
            self._voice.go_on()

    async def _ask_model(self, message: Line) -> None:
        reply = self._voice.reply
        reply.begin(continues=message.get("purpose") == "continue")
        self._start(self._call_model(message, reply))

    async def _call_model(self, message: Line, reply: Reply) -> None:
        def on_text(piece: str | None) -> None:
            self._note_life()
            reply.grow(piece)

        answered = {"request_id": message.get("request_id")}
        try:
            request = await self._with_pictures(message["kwargs"])
            response = await self._host.models.complete(
                self._caller(message.get("purpose") or "turn"), request, on_text
            )
        except ModelError as error:
            _log.warning(
                "model call failed", code=error.code, status=error.status, detail=error.detail
            )
            self._answer({"type": "error", **answered, **error_fields(error)})
        else:
            self._answer({"type": "api_response", **answered, "response": response})

    async def _with_pictures(self, request: ChatRequest) -> ChatRequest:
        workspace = self._host.workspaces.of(session_key(self._message.address))
        return await with_pictures(request, workspace, self._host.settings.media.picture_turns)

    async def _ask_summary(self, message: Line) -> None:
        self._start(self._call_for_summary(message))

    async def _call_for_summary(self, message: Line) -> None:
        request = summary_request(message)
        answer = {"type": "compress_response", "request_id": message.get("request_id")}
        try:
            response = await self._host.models.complete(
                self._caller(COMPRESS), request, lambda _: self._note_life()
            )
        except ModelError as error:
            _log.warning("summary failed", code=error.code, detail=error.detail)
            self._answer({**answer, "summary": "", "error": error.message})
        else:
            self._answer({**answer, "summary": text_of(response)})

    def _caller(self, purpose: str) -> Caller:
        address, sender = self._message.address, self._message.sender
        return Caller(session_key(address), person_key(address, sender), purpose)

    async def _call_tool(self, message: Line) -> None:
        self._start(self._run_tool(message, self._tools.place(message["name"])))

    async def _run_tool(self, message: Line, place: Place) -> None:
        self._voice.activity.begin(message["id"], message["name"], message["arguments"])
        answer = await self._tools.answer(message, place)
        self._voice.activity.end(message["id"], has_failed=bool(answer.get("is_error")))
        self._answer(answer)

    def _note_progress(self, call: ToolCall, text: str) -> None:
        self._note_life()
        self._voice.activity.report(call.id, text)
        _log.debug("progress", tool=call.name, text=text)

    async def _ask_person(self, message: Line) -> None:
        clarify_id = message.get("clarify_id") or ""

        def make() -> Question:
            return questions.of_message(self._message, message, self._host.clock())

        question = await self._asking.enter(clarify_id, make)
        self._spawn(self._ask(question, clarify_id))

    async def _ask(self, question: Question, clarify_id: str) -> None:
        timeout_s = self._host.settings.chats.clarify_timeout_s
        heard = await self._asking.hear(question, clarify_id, timeout_s=timeout_s)
        self._answer(
            {
                "type": "clarify_response",
                "clarify_id": clarify_id,
                "content": heard.answer.content if heard.answer else "",
                "outcome": heard.outcome.value,
            }
        )

    def _wait_for_people(self, is_waiting: bool) -> None:
        """Nothing is typed while people are asked something."""
        if not self._is_closing:
            self._voice.wait_for_people(is_waiting)
        self._note_life()

    async def _note(self, message: Line) -> None:
        fields = {name: value for name, value in message.items() if name != "type"}
        _log.debug(message["type"], **{f"agent_{name}": value for name, value in fields.items()})

    async def _note_error(self, message: Line) -> None:
        code, text = message.get("code"), message["message"]
        if message.get("fatal"):
            raise AgentMisbehaved(f"the agent can't go on: {text} ({code})")
        _log.warning("error from the agent", code=code, error=text)

    async def _finish(self, message: Line) -> None:
        self.result = message["result"]

    # How they are carried out

    def _start(self, effect: Coroutine[Any, Any, None]) -> None:
        call = self._group.create_task(self._carried(effect))
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)

    def _spawn(self, effect: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        return self._group.create_task(self._carried(effect))

    async def _carried(self, effect: Coroutine[Any, Any, None]) -> None:
        try:
            await effect
        except Exception as error:  # noqa: BLE001 - the turn takes it from the queue and reports it
            self.answers.put_nowait(error)

    def _answer(self, message: Line) -> None:
        self.answers.put_nowait(message)

    def _note_life(self) -> None:
        self._last_sign_of_life = asyncio.get_running_loop().time()


REQUESTS = frozenset({"api_request", "compress_request", "tool_call", "clarify_request"})
"""What the agent waits to be answered."""

_EFFECTS: dict[str, Callable[[Effects, Line], Coroutine[Any, Any, None]]] = {
    "api_request": Effects._ask_model,
    "compress_request": Effects._ask_summary,
    "tool_call": Effects._call_tool,
    "clarify_request": Effects._ask_person,
    "assistant_message": Effects._say,
    "error": Effects._note_error,
    "done": Effects._finish,
    "ready": Effects._note,
    "status": Effects._note,
    "usage": Effects._note,
    "tool_response": Effects._note,
}
