"""Carries out the tool calls of one model reply, and records them with their results.

Nothing runs before its name is known and its arguments have been read and checked. Results come
in any order and are recorded in the order of the calls, all at once, so that a history never
holds a call without its result, not even when the turn is stopped in between.
"""

import json
import re
from dataclasses import dataclass, replace
from typing import Any

from agent_core import history as rules
from agent_core.expecting import CLARIFY, TOOL, Expected, Interrupted, Steps
from agent_core.model_reply import ModelReply, RawCall, free_id
from agent_core.registry import INTERACTIVE, LOCAL, Tool
from agent_core.schema import coerce, problems
from agent_core.session import Session
from agent_core.summary import clip
from agent_core.tool_arguments import explain, read_arguments
from agent_core.tool_names import resolve
from agent_core.tools.clarify import answer_for_model, read_question
from agent_core.tools.memory import change_memory
from agent_core.tools.todo import change_todos
from agent_core.wire import Message, load

WARN_AFTER_FAILURES = 3  # of the same call with the same outcome
STOP_AFTER_FAILURES = 5
_NAME_SHOWN_CHARS = 64
_not_in_names = re.compile(r"[^a-zA-Z0-9_-]")  # what the OpenAI API refuses in a tool's name


@dataclass(frozen=True, slots=True)
class Call:
    """A call whose name and arguments have been looked at; with an `error` it must not run."""

    id: str
    name: str
    arguments: dict[str, Any]
    arguments_text: str
    tool: Tool | None = None
    error: str | None = None
    is_unreadable: bool = False  # the arguments could not be read at all


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """What the turn has to know of a batch of calls."""

    all_unknown: bool  # no call named a tool
    is_stuck: bool  # some call has now failed the same way too often


def read_call(raw: RawCall, tools: dict[str, Tool]) -> Call:
    """Resolve, read and check one call. Pure."""
    name = resolve(raw.name, tools)
    arguments = read_arguments(raw.arguments)
    if name is None:
        shown = _not_in_names.sub("_", raw.name.strip())[:_NAME_SHOWN_CHARS] or "unnamed"
        error = f"There is no tool {raw.name.strip()[:_NAME_SHOWN_CHARS]!r}. There are: "
        error += (", ".join(tools) or "none") + "."
        return Call(raw.id, shown, {}, _valid_text(raw, arguments), error=error)
    tool = tools[name]
    if arguments is None:
        error = f"{explain(raw.arguments)} Nothing was run. Send one complete JSON object."
        return Call(raw.id, name, {}, "{}", tool, error, is_unreadable=True)
    if tool.kind not in (LOCAL, INTERACTIVE):  # our own read what they get more kindly
        given, arguments = arguments, coerce(arguments, tool.parameters)
        found = problems(arguments, tool.parameters)
        if found:
            error = f"Nothing was run: {'; '.join(found[:5])}."
            return Call(raw.id, name, arguments, _valid_text(raw, arguments), tool, error)
        if arguments != given:
            return Call(raw.id, name, arguments, _dump(arguments), tool)
    return Call(raw.id, name, arguments, _valid_text(raw, arguments), tool)


def run_calls(session: Session, reply: ModelReply, calls: list[Call]) -> Steps[BatchOutcome]:
    """Carry out the calls of `reply` and record them."""
    if session.is_level_2:
        calls = _renamed(session.history, calls)
    results: dict[str, str] = {}
    try:
        yield from _carry_out(session, calls, results)
    except Interrupted:
        _record(session, reply, calls, results)
        raise
    is_stuck = _watch_failures(session, calls, results)
    _record(session, reply, calls, results)
    return BatchOutcome(all(call.tool is None for call in calls), is_stuck)


def _renamed(history: list[Message], calls: list[Call]) -> list[Call]:
    """The calls under ids that the history doesn't have: some servers count from 0 in each reply,
    and a late result of an interrupted call must not pass for that of the next one."""
    taken = {call["id"] for message in history for call in message.get("tool_calls") or ()}
    renamed = []
    for call in calls:
        call_id = free_id(call.id, taken)
        taken.add(call_id)
        renamed.append(call if call_id == call.id else replace(call, id=call_id))
    return renamed


def _carry_out(session: Session, calls: list[Call], results: dict[str, str]) -> Steps[None]:
    open_calls: dict[Expected, Call] = {}
    for call in calls:
        if call.error is not None:
            _finish(session, call, _dump({"success": False, "error": call.error}), results)
        elif call.tool is not None and call.tool.kind == LOCAL:
            session.status(f"Executing tool: {call.name}", "tool", name=call.name)
            _finish(session, call, _run_local(session, call), results)
        elif call.tool is not None and call.tool.kind == INTERACTIVE:
            expected = _ask_person(session, call, results)
            if expected is not None:
                open_calls[expected] = call
        else:
            session.status(f"Executing tool: {call.name}", "tool", name=call.name)
            session.emit("tool_call", id=call.id, name=call.name, arguments=call.arguments_text)
            open_calls[Expected(TOOL, call.id)] = call
        if open_calls and not session.is_level_2:  # there, only one is open at a time
            yield from _await_results(session, open_calls, results)
    yield from _await_results(session, open_calls, results)


def _await_results(
    session: Session, open_calls: dict[Expected, Call], results: dict[str, str]
) -> Steps[None]:
    while open_calls:
        expected, message = yield tuple(open_calls)
        call = open_calls.pop(expected)
        if expected.kind == CLARIFY:
            question, choices = read_question(call.arguments)
            content = answer_for_model(
                question,
                choices,
                response=message.get("content") or "",
                outcome=message.get("outcome") or "answered",
            )
        else:
            content = _result_text(message, session.settings.max_result_chars)
        _finish(session, call, content, results)


def _ask_person(session: Session, call: Call, results: dict[str, str]) -> Expected | None:
    question, choices = read_question(call.arguments)
    if not question:
        error = {"success": False, "error": "clarify needs a question."}
        _finish(session, call, _dump(error), results)
        return None
    clarify_id = session.next_id("q")
    session.emit_for_level(
        "clarify_request",
        {"clarify_id": clarify_id, "tool_call_id": call.id},
        question=question,
        choices=choices,
    )
    return Expected(CLARIFY, clarify_id)


def _run_local(session: Session, call: Call) -> str:
    if call.name == "todo":
        answer, session.todos = change_todos(call.arguments, session.todos)
        return _dump(answer)
    target = call.arguments.get("target") or "memory"
    if target not in session.memory:
        return _dump({"success": False, "error": "target must be memory or user."})
    limits = {
        "memory": session.settings.memory_limit_chars,
        "user": session.settings.user_limit_chars,
    }
    change = change_memory(
        call.arguments,
        text=session.memory[target],
        limit=limits[target],
        target=target,
        overflows=session.turn.memory_overflows,
    )
    session.turn.memory_overflows += change.is_overflow
    if change.text is not None and change.text != session.memory[target]:
        session.memory[target] = change.text
        session.emit("memory_update", memory=session.memory["memory"], user=session.memory["user"])
    return _dump(change.answer)


def _finish(session: Session, call: Call, content: str, results: dict[str, str]) -> None:
    results[call.id] = content
    session.emit("tool_response", tool_call_id=call.id, name=call.name, content=content)


def _record(
    session: Session, reply: ModelReply, calls: list[Call], results: dict[str, str]
) -> None:
    assistant: Message = {
        "role": "assistant",
        "content": reply.content if reply.content.strip() else None,
        "tool_calls": [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments_text},
                **raw.extra,
            }
            for call, raw in zip(calls, reply.calls, strict=True)
        ],
    }
    if reply.reasoning:
        assistant["reasoning_content"] = reply.reasoning
    session.record(
        assistant,
        *(
            {
                "role": "tool",
                "tool_call_id": call.id,
                "name": call.name,
                "content": results.get(call.id, rules.MISSING_RESULT),
            }
            for call in calls
        ),
    )


def _watch_failures(session: Session, calls: list[Call], results: dict[str, str]) -> bool:
    """Count calls that fail the same way again; warn the model, and say when to stop."""
    is_stuck = False
    for call in calls:
        content = results[call.id]
        if not _is_failure(content):
            continue
        key = (call.name, call.arguments_text, content)
        times = session.turn.failures[key] = session.turn.failures.get(key, 0) + 1
        is_stuck = is_stuck or times >= STOP_AFTER_FAILURES
        if times >= WARN_AFTER_FAILURES:
            results[call.id] += (
                f"\n\n[This same call has now failed the same way {times} times. Don't repeat it: "
                "try something else, or tell the user what is in the way.]"
            )
    return is_stuck


def _is_failure(content: str) -> bool:
    if not content.startswith("{"):
        return content.startswith(("Error", "error"))
    try:
        value = load(content)
    except ValueError:
        return False
    return isinstance(value, dict) and (value.get("success") is False or bool(value.get("error")))


def _result_text(message: Message, max_chars: int) -> str:
    content = message["content"]
    text = content if isinstance(content, str) else _dump(content)
    if message.get("is_error") and not _is_failure(text):
        text = _dump({"success": False, "error": text})
    return clip(text, max_chars * 7 // 10, max_chars * 3 // 10)


def _valid_text(raw: RawCall, arguments: dict[str, Any] | None) -> str:
    """The arguments as valid JSON: what the model wrote if that is, else what was made of it."""
    try:
        written = load(raw.arguments)
    except ValueError:
        written = None
    return raw.arguments if written == arguments and written is not None else _dump(arguments or {})


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
