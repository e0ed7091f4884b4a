"""The turn: from a user's message to `done`. A generator that yields what it waits for.

    receive the message → [compress → ask → run the calls]* → answer

Whatever happens, a turn ends with a sound history, one final message if there is anything to say,
and `done`. What the model's provider did wrong is mended here as far as asking again can mend it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from agent_core import prompts
from agent_core.asking import ModelFailed, ask
from agent_core.calling import read_call, run_calls
from agent_core.compression import compress_if_needed
from agent_core.expecting import MEMORY, SKILLS, Expected, Interrupted, Steps
from agent_core.model_reply import ModelReply
from agent_core.session import Session, TurnState
from agent_core.wire import Message

MAX_UNKNOWN_IN_A_ROW = 3
MAX_EMPTY, MAX_EMPTY_AFTER_TOOLS = 2, 1
MAX_CONTINUATIONS = 3
MAX_CUT_OFF = 3
MAX_UNREADABLE = 1
CALL_TOKENS, MAX_CALL_TOKENS = 4_096, 32_768

STOPPED = "Stopped."
STOPPED_MARK = "*(stopped)*"
CUT_OFF_MARK = "*(The answer was cut off at the model's length limit.)*"
EMPTY_MESSAGE = "[An empty message.]"
NO_ANSWER = "The model gave no answer. Please try again, or say it in other words."
ONLY_THOUGHT = (
    "The model used up its whole output limit for thinking and gave no answer. A shorter question "
    "or a higher max_tokens helps."
)
CALLS_CUT_OFF = (
    "What the model wanted to do was cut off at its length limit each time, so nothing was done. "
    "Ask for it in smaller pieces."
)
NO_SUMMARY = {
    "max_iterations": "I have used all the steps there are for one message and must stop here.",
    "error": "I kept making tool calls that could not work, so I have stopped here.",
}
TOO_LONG = (
    "This conversation has grown too long for the model and could not be shortened. Start a new "
    "one with /new, or try /compress."
)
FAILED = "I could not get an answer from the model: {message}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a turn ended."""

    reason: str
    text: str
    error: dict[str, str] | None = None

    @property
    def is_completed(self) -> bool:
        """Whether the person got an answer, or rightly none."""
        return self.reason in ("answered", "silent")


@dataclass(slots=True)
class _Tries:
    """How far the turn has come, and how often the model was asked again, by what was wrong."""

    batches: int = 0  # of tool calls, carried out
    unknown_in_a_row: int = 0
    unreadable: int = 0
    cut_off: int = 0
    empty: int = 0  # since the last batch
    nudge: list[Message] = field(default_factory=list)  # for the next request only
    room: int | None = None  # max_tokens, for the next request only


def run_turn(session: Session, message: Message) -> Steps[None]:
    """A whole turn for a `user_message`."""

    def begin() -> Steps[None]:
        yield from _take_message(session, message)

    yield from _run(session, begin)


def rerun_turn(session: Session, question: Message) -> Steps[None]:
    """A whole turn for a message of the user that was in the history before."""

    def begin() -> Steps[None]:
        session.record_user(question["content"])
        yield from ()

    yield from _run(session, begin)


def finish(session: Session, outcome: Outcome) -> None:
    """Say the last words of a turn or command."""
    for message in session.early:
        text = f"Nothing had asked for this {message['type']}."
        session.emit("error", message=text, code="unexpected")
    session.early.clear()
    for _ in session.turn.steers:
        text = "The turn was over before this steer could be taken into account."
        session.emit("error", message=text, code="no_turn")
    session.turn.steers = []
    if outcome.reason != "silent":
        session.emit_for_level(
            "assistant_message",
            {"final": True, "message_id": session.next_id("m")},
            content=outcome.text,
        )
    turn = session.turn
    level_2: dict[str, Any] = {"reason": outcome.reason}
    if outcome.error:
        level_2["error"] = outcome.error
    result = {
        "final_response": outcome.text,
        # A level 2 host has been told of every change and needs no copy of the whole.
        "messages": list(turn.messages if session.is_level_2 else session.history),
        "api_calls": turn.api_calls,
        "completed": outcome.is_completed,
        "interrupted": outcome.reason == "interrupted",
        "session_id": session.settings.session_id,
        **(level_2 if session.is_level_2 else {}),
    }
    session.emit("done", result=result)


def _run(session: Session, begin: Callable[[], Steps[None]]) -> Steps[None]:
    session.turn = TurnState()
    try:
        yield from begin()
        outcome = yield from _converse(session)
    except Interrupted as stop:
        outcome = _stopped(session, stop)
    except ModelFailed as failure:
        outcome = _failed(session, failure)
    finish(session, outcome)


def _take_message(session: Session, message: Message) -> Steps[None]:
    if message.get("conversation_history") is not None:
        session.take_history(message["conversation_history"])
    session.set_system_message(message.get("system_message"))
    session.turn.may_be_silent = session.is_level_2 and bool(message.get("may_be_silent"))
    session.record_user(_user_content(session, message))
    if not session.is_level_2:
        session.emit("request_memory")
        texts = (yield (Expected(MEMORY),)).message
        session.memory = {name: texts.get(name) or "" for name in ("memory", "user")}
        session.emit("request_skills")
        session.skills = (yield (Expected(SKILLS),)).message.get("skills") or []


def _user_content(session: Session, message: Message) -> str | list[Any]:
    def framed(text: str) -> str:
        return prompts.user_text(
            text,
            settings=session.settings,
            sender=message.get("sender"),
            context=message.get("context") or [],
            date=session.new_date(message.get("now")),
        )

    content = message["content"]
    if isinstance(content, str):
        text = framed(content)
        return text if text.strip() else EMPTY_MESSAGE
    texts = [part.get("text") or "" for part in content if part["type"] == "text"]
    pictures = [part for part in content if part["type"] == "image_url" and part.get("image_url")]
    text = framed("\n".join(texts))
    if not text.strip():
        return pictures or EMPTY_MESSAGE
    return [{"type": "text", "text": text}, *pictures]


def _converse(session: Session) -> Steps[Outcome]:
    tries = _Tries()
    while tries.batches < session.settings.max_iterations:
        yield from compress_if_needed(session)
        reply = yield from ask(session, "turn", extra=tries.nudge, max_tokens=tries.room)
        tries.nudge, tries.room = [], None
        if _must_ask_again(session, reply, tries):
            continue
        if not reply.calls:
            text = yield from _whole_text(session, reply)
            outcome = _answered(session, text, reply)
            if not session.turn.steers:
                return outcome
            _say_in_between(session, text)
        else:
            is_hopeless = yield from _run_batch(session, reply, tries)
            if is_hopeless:
                error = {"code": "tool_loop", "message": "the model repeated calls that can't work"}
                return (yield from _sum_up(session, "error", error))
        _record_steers(session)
    return (yield from _sum_up(session, "max_iterations"))


def _must_ask_again(session: Session, reply: ModelReply, tries: _Tries) -> bool:
    """Whether the reply is of no use and another is worth asking for; fails if none is left."""
    if reply.calls and reply.is_cut_off:  # never run: nobody knows what is missing
        tries.cut_off += 1
        if tries.cut_off > MAX_CUT_OFF:
            raise ModelFailed("output_limit", CALLS_CUT_OFF)
        usual = session.settings.max_tokens or CALL_TOKENS
        tries.room = min(usual * 2**tries.cut_off, MAX_CALL_TOKENS)
        return True
    if any(read_call(raw, session.tools).is_unreadable for raw in reply.calls):
        tries.unreadable += 1
        return tries.unreadable <= MAX_UNREADABLE  # most models do better the second time
    if reply.calls or not _is_empty(session, reply):
        return False
    tries.empty += 1
    is_after_tools = session.history[-1]["role"] == "tool"
    if tries.empty > (MAX_EMPTY_AFTER_TOOLS if is_after_tools else MAX_EMPTY):
        raise _no_answer(reply)
    if is_after_tools or tries.empty > 1:
        text = prompts.NUDGE_AFTER_TOOLS if is_after_tools else prompts.NUDGE_EMPTY
        tries.nudge = [_assistant("(empty)"), _user(text)]
    return True


def _no_answer(reply: ModelReply) -> ModelFailed:
    if reply.is_cut_off:
        return ModelFailed("output_limit", ONLY_THOUGHT)
    is_filtered = reply.finish_reason == "content_filter"
    return ModelFailed("content_filter" if is_filtered else "empty_answer", NO_ANSWER)


def _run_batch(session: Session, reply: ModelReply, tries: _Tries) -> Steps[bool]:
    """Carry out the reply's calls; whether the model is going round in circles."""
    _say_in_between(session, reply.content)
    batch = yield from run_calls(
        session, reply, [read_call(raw, session.tools) for raw in reply.calls]
    )
    tries.batches += 1
    tries.empty = 0
    tries.unknown_in_a_row = tries.unknown_in_a_row + 1 if batch.all_unknown else 0
    return batch.is_stuck or tries.unknown_in_a_row >= MAX_UNKNOWN_IN_A_ROW


def _whole_text(session: Session, reply: ModelReply) -> Steps[str]:
    """The text of an answer, continued where it was cut off."""
    text = reply.content
    for _ in range(MAX_CONTINUATIONS):
        if not reply.is_cut_off:
            return text.strip()
        extra = [_assistant(text), _user(prompts.CONTINUE)]
        reply = yield from ask(session, "continue", extra=extra, with_tools=False)
        text += reply.content
    return f"{text.strip()}\n\n{CUT_OFF_MARK}" if reply.is_cut_off else text.strip()


def _is_empty(session: Session, reply: ModelReply) -> bool:
    content = reply.content.strip()
    # Silence is for groups, and for where nobody wrote: a person always gets something.
    may_be_silent = session.settings.is_group or session.turn.may_be_silent
    return not content or (content == prompts.SILENT and not may_be_silent)


def _answered(session: Session, text: str, reply: ModelReply) -> Outcome:
    answer = _assistant(text)
    if reply.reasoning:
        answer["reasoning_content"] = reply.reasoning
    session.record(answer)
    return Outcome("silent" if text == prompts.SILENT else "answered", text)


def _sum_up(session: Session, reason: str, error: dict[str, str] | None = None) -> Steps[Outcome]:
    """One last call without tools, in which the model says how far it came."""
    extra = [_user(prompts.SUMMARISE_AT_LIMIT)]
    reply = yield from ask(session, "final_summary", extra=extra, with_tools=False)
    text = reply.content.strip()
    if text in ("", prompts.SILENT):
        text = NO_SUMMARY[reason]
    session.record(_assistant(text))
    return Outcome(reason, text, error)


def _stopped(session: Session, stop: Interrupted) -> Outcome:
    partial = stop.partial.strip()
    text = f"{partial}\n\n{STOPPED_MARK}" if partial else STOPPED
    _record_steers(session)
    session.record(_assistant(text))
    return Outcome("interrupted", text)


def _failed(session: Session, failure: ModelFailed) -> Outcome:
    own_words = {"output_limit", "empty_answer", "content_filter", "budget"}
    text = failure.message if failure.code in own_words else FAILED.format(message=failure.message)
    if failure.code == "context_overflow":
        text = TOO_LONG
    _record_steers(session)
    session.record(_assistant(f"[No answer was given. {text}]"))
    return Outcome("error", text, {"code": failure.code, "message": failure.message})


def _record_steers(session: Session) -> None:
    steers, session.turn.steers = session.turn.steers, []
    if steers:
        session.turn.may_be_silent = False  # now somebody waits
        session.record_user("\n\n".join(_steer_text(session, s) for s in steers))


def _steer_text(session: Session, steer: Message) -> str:
    return prompts.steer_text(
        steer["content"], settings=session.settings, sender=steer.get("sender")
    )


def _say_in_between(session: Session, text: str) -> None:
    if text.strip() not in ("", prompts.SILENT):
        session.emit_for_level(
            "assistant_message",
            {"final": False, "message_id": session.next_id("m")},
            content=text.strip(),
        )


def _assistant(content: str) -> Message:
    return {"role": "assistant", "content": content}


def _user(content: str) -> Message:
    return {"role": "user", "content": content}
