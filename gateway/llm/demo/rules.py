"""Decides what the demo says or which tool it calls. Pure: a `Turn` in, a `Reply` out.

`RULES` is the table: the first pattern that fits a person's words decides. A rule is asked again
after each tool result, and tells by the turn's results how far it has come.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gateway.llm.demo.notes import find_note, to_answer, to_note
from gateway.llm.demo.texts import HELP, long_answer
from gateway.llm.demo.turn import Result, Turn

Words = re.Match[str]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool to be called."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """Either a text or calls."""

    text: str = ""
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """What is done about words of a kind, and with which tool."""

    pattern: re.Pattern[str]
    act: Callable[[Turn, Words], Reply]
    tool: str | None = None


def reply_to(turn: Turn) -> Reply:
    """What to say, or which tool to call, at this point of a turn."""
    text = " ".join(turn.text.replace("’", "'").split())
    for rule in RULES:
        if not (words := rule.pattern.fullmatch(text)):
            continue
        if rule.tool and rule.tool not in turn.tools:
            return Reply(f"That would need the tool `{rule.tool}`, which is not switched on here.")
        if turn.results and (error := turn.results[-1].error):
            return Reply(f"That did not work: {error}")
        return rule.act(turn, words)
    return Reply(f"I can only do a few things. {HELP}")


def _call(name: str, **arguments: Any) -> Reply:  # noqa: ANN401 - JSON
    return Reply(calls=(Call(name, arguments),))


def _help(_turn: Turn, _words: Words) -> Reply:
    return Reply(f"Hello! {HELP}")


# Memory


def _remember(turn: Turn, words: Words) -> Reply:
    note = to_note(words["what"])
    if turn.results:
        return Reply(f"I will remember that. {to_answer(note.text)}")
    return _call("memory", action="add", target=note.target, content=note.text)


def _forget(turn: Turn, words: Words) -> Reply:
    if turn.results:
        return Reply("I have forgotten that.")
    note = find_note(words["what"], turn.notes)
    if note is None:
        return Reply(f"I have no note about “{words['what']}”.")
    return _call("memory", action="remove", target=note.target, old_text=note.text)


def _recall_all(turn: Turn, _words: Words) -> Reply:
    if not turn.notes:
        return Reply("I have not noted anything yet. Try: *remember that my cat is called Luna*.")
    lines = "\n".join(f"- {to_answer(note.text)}" for note in turn.notes)
    return Reply(f"This is what I have noted:\n\n{lines}")


def _recall(turn: Turn, words: Words) -> Reply:
    if note := find_note(words[0], turn.notes):
        return Reply(to_answer(note.text))
    if re.search(r"\b(?:my|i|me)\b", words[0], re.IGNORECASE):
        return Reply("I don't know that. Tell me, as in: *remember that my cat is called Luna*.")
    return Reply(f"I don't know that, being a demo. {HELP}")


# Tasks


def _add_tasks(turn: Turn, words: Words) -> Reply:
    """Read the list for the ids that are taken, then add to it."""
    if not turn.results:
        return _call("todo")
    if len(turn.results) > 1:
        return _show_list(turn.results[-1])
    taken = {str(item.get("id")) for item in _todos(turn.results[-1])}
    free = (str(number) for number in range(1, 10_000) if str(number) not in taken)
    items = re.split(r"\s*[,;]\s*(?:and\s+)?|\s+and\s+", words["what"].rstrip(".!"))
    added = [
        {"id": next(free), "content": item, "status": "pending"} for item in items if item.strip()
    ]
    return _call("todo", todos=added, merge=True)


def _finish_task(turn: Turn, words: Words) -> Reply:
    if not turn.results:
        return _call("todo")
    if len(turn.results) > 1:
        return _show_list(turn.results[-1])
    wanted = words["what"].rstrip(".!").casefold()
    found = [item for item in _todos(turn.results[-1]) if wanted in str(item["content"]).casefold()]
    if not found:
        return Reply(f"“{words['what']}” is not on your list.")
    return _call("todo", todos=[{**item, "status": "completed"} for item in found], merge=True)


def _read_tasks(turn: Turn, _words: Words) -> Reply:
    return _show_list(turn.results[-1]) if turn.results else _call("todo")


def _clear_tasks(turn: Turn, _words: Words) -> Reply:
    return Reply("Your list is empty now.") if turn.results else _call("todo", todos=[])


def _show_list(result: Result) -> Reply:
    marks = {"completed": "✅", "in_progress": "▶️", "cancelled": "❌"}
    lines = [
        f"- {marks.get(str(item.get('status')), '⬜')} {item.get('content')}"
        for item in _todos(result)
    ]
    if not lines:
        return Reply("Your list is empty.")
    return Reply("\n".join(["Your list:", "", *lines]))


def _todos(result: Result) -> Sequence[dict[str, Any]]:
    todos = result.content.get("todos")
    return [item for item in todos if isinstance(item, dict)] if isinstance(todos, list) else []


# Reminders


def _remind(turn: Turn, words: Words) -> Reply:
    if turn.results:
        return Reply(str(turn.results[-1].content.get("text") or "I will remind you."))
    prompt = f"{_REMINDER} {words['what']}"
    return _call("cronjob", action="create", when=words["when"], prompt=prompt)


def _is_time(_turn: Turn, words: Words) -> Reply:
    return Reply(f"⏰ You wanted to be reminded: {words['what']}")


# A sum, by a program in the sandbox


# What a program printed stands between marks (gateway/tools/untrusted.py).
_MARKED = re.compile(r"<untrusted (?P<mark>\w+)>\n(?P<text>.*)\n</untrusted (?P=mark)>", re.DOTALL)


def _calculate(turn: Turn, words: Words) -> Reply:
    sum_ = words["what"].strip(" .=?!")
    if turn.results:
        said = str(turn.results[-1].content.get("text"))
        printed = _MARKED.search(said)
        return Reply(f"`{sum_}` is **{printed['text'] if printed else said}**, says Python.")
    return _call("execute_code", code=f"print({sum_.replace('^', '**').replace('×', '*')})")


# A question


SEASONS = {
    "spring": "Everything begins again, and the evenings grow long.",
    "summer": "Late light, and no coat to look for.",
    "autumn": "The best colours, and soup again.",
    "winter": "Quiet, and a good excuse to stay in.",
}


def _ask(turn: Turn, _words: Words) -> Reply:
    if not turn.results:
        return _call(
            "clarify",
            question="Which season do you like best?",
            choices=[season.capitalize() for season in SEASONS],
        )
    answer = turn.results[-1].content.get("user_response")
    if not isinstance(answer, str) or not answer.strip():
        return Reply("You did not answer, so I will never know which season you like best.")
    comment = SEASONS.get(answer.strip().casefold(), "That was none of my choices, all the better.")
    return Reply(f"You said **{answer.strip()}**. {comment}")


def _long(_turn: Turn, _words: Words) -> Reply:
    return Reply(long_answer())


def _rule(pattern: str, act: Callable[[Turn, Words], Reply], tool: str | None = None) -> Rule:
    return Rule(re.compile(pattern, re.IGNORECASE), act, tool)


_PLEASE = r"(?:please,? |can you |could you |would you )*(?:please )?"
_LIST = r"(?:my |the )?(?:to-?do |task |shopping )?(?:list|tasks|to-?dos)"

_REMINDER = "Reminder:"

RULES = (
    _rule(
        rf"{_PLEASE}remind me (?P<when>(?:in|at|tomorrow|every|on)\b.+?) "
        "(?:to|that|of) (?P<what>.+)",
        _remind,
        "cronjob",
    ),
    _rule(rf"{_REMINDER} (?P<what>.+)", _is_time),
    _rule(r"(?:/?help|/start|\?|hi|hello|hey|good (?:morning|day|evening))[ !.?]*", _help),
    _rule(
        rf"{_PLEASE}(?:remember|note(?: down)?|keep in mind|don't forget|memori[sz]e)"
        r"(?: this| for me)?[:,]?(?: that)? (?P<what>.+[^?])",
        _remember,
        "memory",
    ),
    _rule(rf"{_PLEASE}forget(?: that| about)* (?P<what>.+)", _forget, "memory"),
    _rule(
        r"(?:what|tell me what|do you know what)(?: do| have| did)? (?:you|i) "
        r"(?:know|remember|noted?|told? you|tell you)(?: about me| of me| so far)*[ .?!]*",
        _recall_all,
    ),
    _rule(r"who am i[ ?]*", _recall_all),
    _rule(rf"{_PLEASE}(?:clear|empty|delete) {_LIST}[ .!]*", _clear_tasks, "todo"),
    _rule(
        rf"(?:what's|what is|what do i have|what|{_PLEASE}(?:show|read|list)(?: me)?)"
        rf"(?: is| are)?(?: on| in)? ?{_LIST}[ .?!]*",
        _read_tasks,
        "todo",
    ),
    _rule(
        rf"{_PLEASE}(?:add|put) (?P<what>.+) (?:to|on|onto|in) {_LIST}[ .!]*", _add_tasks, "todo"
    ),
    _rule(r"(?:to-?dos?|tasks?)(?: ?:| list:|,)? (?P<what>.+)", _add_tasks, "todo"),
    _rule(
        r"(?:done|finished|completed)(?: with)?:? (?P<what>[^?]+)",
        _finish_task,
        "todo",
    ),
    _rule(
        rf"{_PLEASE}(?:mark|check off|tick off) (?P<what>.+?)(?: as)?(?: done| finished)?[ .!]*",
        _finish_task,
        "todo",
    ),
    _rule(
        rf"{_PLEASE}ask me (?:a |another |some )?(?:question|something|anything).*", _ask, "clarify"
    ),
    _rule(
        rf"{_PLEASE}(?:calculate|compute|what is|what's) "
        r"(?P<what>[\d(.-][\d\s.+*×/%^()-]*)[ .=?!]*",
        _calculate,
        "execute_code",
    ),
    _rule(r".*\blong(?:er)? (?:answer|text|message|story|reply|one).*", _long),
    _rule(
        rf"{_PLEASE}(?:write|say|tell me|show me|give me) (?:something|anything) (?:very )?long.*",
        _long,
    ),
    _rule(r"(?P<what>my .+ (?:is|are|was|live|lives|likes?|has|have) .+[^?])", _remember, "memory"),
    _rule(r".+\?|(?:what|what's|who|who's|where|when|which|how|do you|tell me|say)\b.*", _recall),
)
