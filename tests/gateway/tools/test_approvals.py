"""What a person is asked to approve is what they see: nothing hides, turns round or breaks out."""

import re

import pytest

from gateway.tools.approvals import fenced, inline, question_text, visible
from gateway.tools.tool import Approval, Tool, ToolFailed, tool, tools_of


class Family:
    @tool()
    async def run(self, context: object, command: str) -> str:
        """Runs."""
        return command


TOOL: Tool = tools_of(Family(), "own")[0]


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("cat a\u202etxt.b", "⟨U+202E⟩"),
        ("rm\u200b -r b", "⟨U+200B⟩"),
        ("echo \U000e0041", "⟨U+E0041⟩"),
        ("ls\r rm -r b", "⟨U+000D⟩"),
        ("ls\x1b[2K", "⟨U+001B⟩"),
        ("ls\u2028rm", "⟨U+2028⟩"),
        ("ls\u2003rm", "⟨U+2003⟩"),
        ("ls" + " " * 500 + "; rm -r b", "ls ⟨500 blanks⟩ ; rm -r b"),
        ("ls" + "\n" * 500 + "rm -r b", "ls ⟨500 blanks⟩ rm -r b"),
    ],
)
def test_what_could_not_be_seen_is_shown(hidden: str, shown: str) -> None:
    text = question_text(TOOL, Approval("run", "run", fenced(hidden)), "Ada")
    assert shown in text
    assert not re.search("[\u202e\u200b\U000e0041\r\x1b\u2028\u2003]", text)


def test_what_can_be_seen_stays_as_it_is() -> None:
    text = "def f():\n\treturn 'Größe, 大きさ, حجم, 🙂\u00a0!\u3000'\n\n\n# end"
    assert visible(text) == text


def test_what_grows_too_long_by_being_shown_is_not_asked() -> None:
    with pytest.raises(ToolFailed, match="smaller steps"):
        question_text(TOOL, Approval("run", "run", "\u200b" * 2_000), "Ada")


@pytest.mark.parametrize("name", ["a.txt", "a` **approved** `b", "``", "a\nb", "`"])
def test_a_name_can_not_end_its_marks(name: str) -> None:
    shown = inline(name)
    fence = re.match("`+", shown)
    assert fence is not None
    assert shown.endswith(fence[0])
    inside = shown[len(fence[0]) : -len(fence[0])]
    assert fence[0] not in re.findall("`+", inside)
    assert "\n" not in shown
