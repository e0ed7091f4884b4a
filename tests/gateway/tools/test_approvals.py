"""What a person is asked to approve is what they see: nothing hides, turns round or breaks out."""

import re

import pytest

from gateway.tools.approvals import fenced, inline, question_text
from gateway.tools.tool import Approval, Tool, ToolFailed, tool, tools_of
from gateway.tools.visible import visible


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
        ("ls" + "\n" * 500 + "rm -r b", "ls\n⟨499 empty lines⟩\nrm -r b"),
        ("\n" * 500 + "rm -r b", "```\n⟨500 empty lines⟩\nrm -r b\n```"),
        ("rm a\ufe0f", "⟨U+FE0F⟩"),
        ("rm a\u3164b", "⟨U+3164⟩"),
        ("rm a\u2800b", "⟨U+2800⟩"),
        ("rm a\u034fb", "⟨U+034F⟩"),
        ("rm a\U000e0100b", "⟨U+E0100⟩"),
        ("rm \u0430pp.py", "rm ⟨U+0430⟩pp.py"),
        ("cp a \u0441\u043e\u0440\u0443.txt", "cp a ⟨U+0441⟩⟨U+043E⟩⟨U+0440⟩⟨U+0443⟩.txt"),
        ("curl https://\u0391pple.example", "curl https://⟨U+0391⟩pple.example"),
        ("curl https://goog\u04cfe.example", "curl https://goog⟨U+04CF⟩e.example"),
        ("curl https://\u03c1aypal.example", "curl https://⟨U+03C1⟩aypal.example"),
        ("curl https://\u0261ithub.example", "curl https://⟨U+0261⟩ithub.example"),
        ("curl https://n\u0585de.example", "curl https://n⟨U+0585⟩de.example"),
        ("curl https://\u217cist.example", "curl https://⟨U+217C⟩ist.example"),
        ("rm a" + "\u0335" * 9, "a" + "\u0335" * 4 + "⟨U+0335⟩" * 5),
    ],
)
def test_what_could_not_be_seen_is_shown(hidden: str, shown: str) -> None:
    text = question_text(TOOL, Approval("run", "run", fenced(hidden)), "Ada")
    assert shown in text
    assert not re.search("[\u202e\u200b\U000e0041\r\x1b\u2028\u2003\ufe0f\u3164\u2800]", text)


def test_what_can_be_seen_stays_as_it_is() -> None:
    words = "Größe, 大きさ, حجم, शक्ति, Việt, о cat, отчёт.txt, Ωmega, μm"
    text = f"def f():\n\treturn '{words}, 🙂❤\ufe0f\u00a0!\u3000'\n\n\n# end"
    assert visible(text) == text


@pytest.mark.parametrize("hidden", ["\n" * 50 + "rm -r b", "ls" + "\n" * 50, "\n" * 50, " \n" * 50])
def test_blanks_never_join_a_code_block_to_its_marks(hidden: str) -> None:
    """What stands beside the opening marks names the language, and is not shown."""
    block, reason = fenced(hidden), "It deletes."
    lines = question_text(TOOL, Approval("run", "run", f"{block}\n{reason}"), "Ada").splitlines()
    assert lines.count("```") == 2
    assert lines[lines.index("```", lines.index("```") + 1) + 1] == reason


def test_whoever_is_asked_reads_what_a_yes_for_longer_would_hold_for() -> None:
    for_all = question_text(TOOL, Approval("run", "run", "text"), "Ada")
    assert "*This session* and *Always* hold for every call of it." in for_all
    for_some = question_text(TOOL, Approval("run", "cp *, `x\u200b", "text"), "Ada")
    assert "hold for every call of it about `` cp *, `x⟨U+200B⟩ ``." in for_some
    assert "Always" not in question_text(TOOL, Approval("run", "rm a", "text", always=True), "Ada")


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
