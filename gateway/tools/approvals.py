"""What a person is asked before a call, and which answers there are. Pure.

How it is asked, and who may answer, is `gateway.chats.approving`'s business.
"""

import json
import re
import unicodedata
from enum import StrEnum

from pydantic_core import to_jsonable_python

from gateway.tools.tool import Approval, Arguments, Tool, ToolFailed

MAX_CHARS = 12_000
"""What nobody would read to its end is not put before a person: the model has to do it in steps."""

_backticks = re.compile("`+")
_BLANKS = " \t\u00a0\u202f\u3000"  # those that languages are written with
_gap = re.compile(rf"[{_BLANKS}]{{40,}}|\n(?:[{_BLANKS}]*\n){{9,}}")
"""What would push the rest out of sight."""


class Verdict(StrEnum):
    """The answers, as their buttons say them."""

    ONCE = "Once"
    SESSION = "This session"
    ALWAYS = "Always"
    DENY = "Deny"


def verdicts(approval: Approval) -> tuple[Verdict, ...]:
    """Those that are offered."""
    if approval.always:
        return (Verdict.ONCE, Verdict.DENY)
    return (Verdict.ONCE, Verdict.SESSION, Verdict.ALWAYS, Verdict.DENY)


def approval_of(tool: Tool, arguments: Arguments) -> Approval:
    """What is asked about a tool that has nothing of its own to say: its arguments, all of them."""
    given = {name: value for name, value in arguments.items() if value is not None}
    written = json.dumps(to_jsonable_python(given), ensure_ascii=False, indent=1)
    return Approval(kind=tool.name, pattern=tool.name, text=fenced(written, "json"))


def question_text(tool: Tool, approval: Approval, asker: str, how: str = "") -> str:
    """The question, as it is shown; `asker` is fit for Markdown.

    Raises `ToolFailed` if it is too long to be read.
    """
    text = visible(approval.text)
    if len(text) > MAX_CHARS:
        raise ToolFailed(
            "Somebody has to approve this, and it is too long to be read. Do it in smaller steps."
        )
    head = f"**May I use {tool.name}?** {asker} asked me something that needs it."
    return "\n\n".join(filter(None, [head, text, how]))


def visible(text: str) -> str:
    """The text with nothing in it that a person would not see, or would see elsewhere.

    Whoever approves has to read what will be done: not with letters that turn a line round
    (CVE-2021-42574), or hide in it, and not with the end of it behind a thousand blanks.
    """
    shown = "".join(map(_visible, text))
    return _gap.sub(lambda gap: f" ⟨{len(gap[0])} blanks⟩ ", shown)


def _visible(character: str) -> str:
    if character == "\n" or character in _BLANKS or unicodedata.category(character) not in _UNSEEN:
        return character
    return f"⟨U+{ord(character):04X}⟩"


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})


def fenced(text: str, language: str = "") -> str:
    """Any text as a code block that it can't end itself."""
    longest = max(map(len, _backticks.findall(text)), default=0)
    fence = "`" * max(longest + 1, 3)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def inline(text: str) -> str:
    """The same for a name within a line."""
    longest = max(map(len, _backticks.findall(text)), default=0)
    fence = "`" * (longest + 1)
    edge = " " if longest else ""
    return f"{fence}{edge}{' '.join(text.split())}{edge}{fence}"
