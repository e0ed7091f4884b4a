"""Tools that an administrator brings along."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.base import Address, ChatKind, Inbound, Sender
from gateway.errors import StartupError
from gateway.tools.modules import load_tools
from gateway.tools.toolbox import Toolbox, ToolCall

DICE = """
class Dice:
    name = "dice"
    schema = {"type": "function", "function": {"name": "dice", "description": "Throws."}}
    is_repeatable = True

    async def run(self, call):
        from gateway.tools.toolbox import ToolResult
        return ToolResult("four")

def tools():
    return [Dice()]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that Python looks into."""
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in ("brought_dice", "brought_nothing"):
        sys.modules.pop(name, None)


async def test_what_a_module_brings_can_be_called(folder: Path) -> None:
    (folder / "brought_dice.py").write_text(DICE)
    toolbox = Toolbox(load_tools(["brought_dice"]))
    assert toolbox.is_repeatable("dice")
    address = Address("console", "console", ChatKind.DIRECT)
    message = Inbound("1", address, Sender("local", "Ada"), "throw")
    result = await toolbox.run(ToolCall("1", "dice", "{}", "console", message))
    assert result.content == "four"


def test_a_module_that_is_not_there_is_a_sentence() -> None:
    with pytest.raises(StartupError, match="no_such_module brings no tools"):
        load_tools(["no_such_module"])


def test_a_module_without_tools_is_a_sentence(folder: Path) -> None:
    (folder / "brought_nothing.py").write_text("")
    with pytest.raises(StartupError, match="brought_nothing brings no tools"):
        load_tools(["brought_nothing"])


def test_a_tool_that_says_nothing_is_not_repeated() -> None:
    assert not Toolbox().is_repeatable("unknown")
