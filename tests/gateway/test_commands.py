"""What is a command and what is not."""

import pytest

from gateway.commands import Command, Invocation, help_text, parse, welcome_text


@pytest.mark.parametrize(
    ("text", "invocation"),
    [
        ("/new", Invocation("new", Command.NEW, "")),
        ("  /STOP  ", Invocation("stop", Command.STOP, "")),
        ("/help@hermes_bot", Invocation("help", Command.HELP, "")),
        ("/start ref 1\nmore", Invocation("start", Command.START, "ref 1\nmore")),
        ("/frobnicate now", Invocation("frobnicate", None, "now")),
    ],
)
def test_commands_are_recognised(text: str, invocation: Invocation) -> None:
    assert parse(text) == invocation


@pytest.mark.parametrize(
    "text", ["new", "/", "//", "/etc/hosts", "/2", "what does /new do?", "", "/usr/bin is full"]
)
def test_ordinary_text_is_no_command(text: str) -> None:
    assert parse(text) is None


def test_help_names_every_command_but_start() -> None:
    named = {command for command in Command if f"/{command}" in help_text()}
    assert named == set(Command) - {Command.START}
    assert help_text() in welcome_text()
