"""`check` looks at the shell where the settings let somebody use it, and says what is missing."""

import platform

import pytest

from config.settings import Settings
from config.tools import ToolRule, ToolSettings
from gateway.cli.shell_check import is_shell_named, shell_works
from gateway.errors import StartupError
from gateway.shell import bubblewrap


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        (ToolSettings(), False),
        (ToolSettings(toolsets=("files", "shell")), True),
        (ToolSettings(rules=(ToolRule(roles=("owner",), allow=("shell",)),)), True),
        (ToolSettings(rules=(ToolRule(ask=("term*",)),)), True),
        (ToolSettings(rules=(ToolRule(deny=("shell",)),)), False),
        (ToolSettings(rules=(ToolRule(allow=("read_file",)),)), False),
    ],
)
def test_the_shell_is_looked_at_where_it_is_named(tools: ToolSettings, expected: bool) -> None:
    assert is_shell_named(Settings(tools=tools)) is expected


@pytest.mark.skipif(bubblewrap.why_not() is not None, reason=str(bubblewrap.why_not()))
@pytest.mark.parametrize(
    ("machine", "calls"), [("", "filtered"), ("riscv64", "not filtered on this machine")]
)
async def test_it_says_how_commands_are_shut_in(
    monkeypatch: pytest.MonkeyPatch, machine: str, calls: str
) -> None:
    if machine:
        monkeypatch.setattr(platform, "machine", lambda: machine)
    said = await shell_works(Settings())
    assert said.startswith("bubblewrap works, without network; limits by ")
    assert said.endswith(f", system calls {calls}")


async def test_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(StartupError, match="bubblewrap is not installed"):
        await shell_works(Settings())
