"""What a host may do to a session between turns: undo, retry, compress, reset."""

from collections.abc import Callable

from agent_core.compression import compress
from agent_core.expecting import Interrupted, Steps
from agent_core.prompts import is_steer
from agent_core.session import Session, TurnState
from agent_core.summary import is_summary
from agent_core.turn import Outcome, finish, rerun_turn
from agent_core.wire import Message

Command = Callable[[Session, Message], Steps[Outcome]]


def run_command(session: Session, message: Message) -> Steps[None]:
    """Carry out a `command`; like a turn it ends with a final message and `done`."""
    session.weak_compressions = 0  # the user has acted
    args = message.get("args") or {}
    if message["name"] == "retry":
        yield from _retry(session)
        return
    session.turn = TurnState()
    try:
        outcome = yield from _COMMANDS[message["name"]](session, args)
    except Interrupted:
        outcome = Outcome("interrupted", "Stopped; nothing was changed.")
    finish(session, outcome)


def _retry(session: Session) -> Steps[None]:
    start = _turn_start(session.history)
    if start is None:
        session.turn = TurnState()
        finish(session, Outcome("answered", "There is nothing to try again."))
        return
    question = session.history[start]
    session.truncate_history(start)
    yield from rerun_turn(session, question)


def _undo(session: Session, args: Message) -> Steps[Outcome]:
    yield from ()
    wanted = args.get("n")
    times = wanted if isinstance(wanted, int) and wanted > 0 else 1
    undone, length = 0, len(session.history)
    while undone < times and (start := _turn_start(session.history[:length])) is not None:
        undone, length = undone + 1, start
    if not undone:
        return Outcome("answered", "There is nothing to undo.")
    session.truncate_history(length)
    what = "message and its answer" if undone == 1 else f"{undone} messages and their answers"
    return Outcome("answered", f"Undone: your last {what}.")


def _compress(session: Session, args: Message) -> Steps[Outcome]:
    before = session.context_tokens()
    topic = args.get("topic")
    is_shorter = yield from compress(
        session, topic=topic if isinstance(topic, str) else "", is_forced=True
    )
    if not is_shorter:
        return Outcome("answered", "There is nothing that could be shortened.")
    after = session.context_tokens()
    text = f"Shortened: about {before:,} tokens before, {after:,} now."
    return Outcome("answered", text)


def _reset(session: Session, args: Message) -> Steps[Outcome]:  # noqa: ARG001 - one shape for all
    yield from ()
    session.todos = []
    session.replace_history([])
    return Outcome("answered", "A new conversation. What I noted stays.")


_COMMANDS: dict[str, Command] = {"undo": _undo, "compress": _compress, "reset": _reset}


def _turn_start(messages: list[Message]) -> int | None:
    """Where the latest turn begins: the user's message that is neither a summary nor a steer."""
    for index in reversed(range(len(messages))):
        follows_tool = index > 0 and messages[index - 1]["role"] == "tool"
        if (
            messages[index]["role"] == "user"
            and not follows_tool
            and not is_summary(messages[index])
            and not is_steer(messages[index])
        ):
            return index
    return None
