"""What a person is asked before a call, and which answers there are. Pure.

How it is asked, and who may answer, is `gateway.chats.approving`'s business.
"""

import json
import re
from enum import StrEnum

from pydantic_core import to_jsonable_python

from gateway.tools.tool import Approval, Arguments, Tool, ToolFailed

MAX_CHARS = 12_000
"""What nobody would read to its end is not put before a person: the model has to do it in steps."""

_backticks = re.compile("`{3,}")


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
    if len(approval.text) > MAX_CHARS:
        raise ToolFailed(
            "Somebody has to approve this, and it is too long to be read. Do it in smaller steps."
        )
    head = f"**May I use {tool.name}?** {asker} asked me something that needs it."
    return "\n\n".join(filter(None, [head, approval.text, how]))


def fenced(text: str, language: str = "") -> str:
    """Any text as a code block that it can't end itself."""
    longest = max(map(len, _backticks.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
