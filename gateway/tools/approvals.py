"""What a person is asked before a call, and which answers there are. Pure.

How it is asked, and who may answer, is `gateway.chats.approving`'s business; what could not be seen
in it that of `visible`.
"""

import json
import re
from enum import StrEnum

from pydantic_core import to_jsonable_python

from gateway.tools.tool import Approval, Arguments, Tool, ToolFailed
from gateway.tools.visible import visible

MAX_CHARS = 12_000
"""What nobody would read to its end is not put before a person: the model has to do it in steps."""

_BACKTICKS = re.compile("`+")
_PATTERN_CHARS = 300
_END = "\n"


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
    # Gaps are shown by their length: a text may become shorter, but then it is a strange one.
    text = visible(approval.text) if len(approval.text) <= 4 * MAX_CHARS else approval.text
    if len(text) > MAX_CHARS:
        raise ToolFailed(
            "Somebody has to approve this, and it is too long to be read. Do it in smaller steps."
        )
    head = f"**May I use {tool.name}?** {asker} asked me something that needs it."
    return "\n\n".join(filter(None, [head, text, _for_longer(tool, approval), how]))


def _for_longer(tool: Tool, approval: Approval) -> str:
    if approval.always:
        return ""
    about = approval.pattern.replace("\t", ", ")
    if about == tool.name:
        which = ""
    elif len(about) > _PATTERN_CHARS:
        which = " about exactly this"
    else:
        which = f" about {inline(visible(about))}"
    return f"*{Verdict.SESSION}* and *{Verdict.ALWAYS}* hold for every call of it{which}."


def fenced(text: str, language: str = "") -> str:
    """Any text as a code block that it can't end itself."""
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(longest + 1, 3)
    return f"{fence}{language}\n{text.removesuffix(_END)}\n{fence}"


def inline(text: str) -> str:
    """The same for a name within a line."""
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    edge = " " if longest else ""
    return f"{fence}{edge}{' '.join(text.split())}{edge}{fence}"
