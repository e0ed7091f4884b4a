"""Tools that an administrator brings along."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.errors import StartupError
from gateway.tools.modules import load_tools
from tests.gateway.tools.calling import called

DICE = '''
from gateway.tools.tool import tool, tools_of

class Dice:
    @tool(is_repeatable=True)
    async def dice(self, context, sides: int = 6) -> str:
        """Throws."""
        return f"four of {sides}"

def tools():
    return tools_of(Dice(), "web")
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that Python looks into."""
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in ("brought_dice", "brought_nothing"):
        sys.modules.pop(name, None)


async def test_what_a_module_brings_can_be_called_whatever_toolset_it_names(
    folder: Path,
) -> None:
    (folder / "brought_dice.py").write_text(DICE)
    (dice,) = load_tools(["brought_dice"])
    assert (dice.toolset, dice.is_repeatable) == ("own", True)
    assert (await called(dice, folder, sides=20)).content == "four of 20"


def test_a_module_that_is_not_there_is_a_sentence() -> None:
    with pytest.raises(StartupError, match="no_such_module brings no tools"):
        load_tools(["no_such_module"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "brought_nothing brings no tools"),
        ("def tools():\n    return [42]", "brought_nothing brings is no tool"),
        (DICE.replace("dice(", "todo("), "brought_nothing brings a todo: agents have one"),
    ],
)
def test_a_module_without_tools_is_a_sentence(folder: Path, text: str, said: str) -> None:
    (folder / "brought_nothing.py").write_text(text)
    with pytest.raises(StartupError, match=said):
        load_tools(["brought_nothing"])
