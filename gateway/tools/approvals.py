"""What a person is asked before a call, and which answers there are. Pure.

How it is asked, and who may answer, is `gateway.chats.approving`'s business.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum

from pydantic_core import to_jsonable_python

from gateway.tools.tool import Approval, Arguments, Tool, ToolFailed

MAX_CHARS = 12_000
"""What nobody would read to its end is not put before a person: the model has to do it in steps."""

_backticks = re.compile("`+")
_BLANKS = " \t\u00a0\u202f\u3000"  # those that languages are written with
_gap = re.compile(rf"[{_BLANKS}]{{40,}}|\n(?:[{_BLANKS}]*\n){{9,}}")
"""What would push the rest out of sight."""

_BLANK_LETTERS = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U00016fe4\U0001d159"
).union(map(chr, range(0xFE00, 0xFE10)), map(chr, range(0xE0100, 0xE01F0)))
"""Nothing is drawn for them, although they count as letters or as marks on one (Unicode's
Default_Ignorable_Code_Point, and some that fonts leave empty)."""

_EMOJI_STYLE = "\ufe0f"
_MAX_STACKED = 4
"""Marks on one letter, more than any language needs; a tower of them covers the lines around it."""

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
    text = visible(approval.text)
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


def visible(text: str) -> str:
    """The text with nothing in it that a person would not see, or would see elsewhere.

    Whoever approves has to read what will be done: not with letters that turn a line round
    (CVE-2021-42574), or hide in it, and not with the end of it behind a thousand blanks.
    """
    return _gap.sub(_gap_in_words, "".join(_seen(text)))


def _gap_in_words(gap: re.Match[str]) -> str:
    if not gap[0].startswith("\n"):
        return f" ⟨{len(gap[0])} blanks⟩ "
    # On a line of its own: what came to stand beside the marks of a code block would not be shown.
    lines = gap[0].count("\n") - 1
    return f"\n⟨{lines} empty lines⟩\n"


def _seen(text: str) -> Iterator[str]:
    before, stacked = "", 0
    for character in text:
        category = unicodedata.category(character)
        stacked = stacked + 1 if category in _STACKING else 0
        is_style = character == _EMOJI_STYLE and unicodedata.category(before or " ") == "So"
        is_blank = character in _BLANK_LETTERS and not is_style
        is_unseen = category in _UNSEEN and character != "\n" and character not in _BLANKS
        is_hidden = is_blank or is_unseen or stacked > _MAX_STACKED
        yield f"⟨U+{ord(character):04X}⟩" if is_hidden else character
        before = character


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_STACKING = frozenset({"Mn", "Me"})


def fenced(text: str, language: str = "") -> str:
    """Any text as a code block that it can't end itself."""
    longest = max(map(len, _backticks.findall(text)), default=0)
    fence = "`" * max(longest + 1, 3)
    return f"{fence}{language}\n{text.removesuffix(_END)}\n{fence}"


def inline(text: str) -> str:
    """The same for a name within a line."""
    longest = max(map(len, _backticks.findall(text)), default=0)
    fence = "`" * (longest + 1)
    edge = " " if longest else ""
    return f"{fence}{edge}{' '.join(text.split())}{edge}{fence}"
