"""What is a command and what is not, and what is said of those there are."""

from dataclasses import replace

import pytest

from adapters.base import Address, ChatKind, Inbound, Sender
from gateway.commands.command import Call, Command, parse
from gateway.commands.table import CommandTable


def said(text: str) -> Inbound:
    address = Address("console", "1", ChatKind.DIRECT)
    return Inbound("1", address, Sender("7", "Ann"), text)


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("/new", "new", ""),
        ("  /STOP  ", "stop", ""),
        ("/help@hermes_bot", "help", ""),
        ("/start ref 1\nmore", "start", "ref 1\nmore"),
        ("/frobnicate now", "frobnicate", "now"),
    ],
)
def test_commands_are_recognised(text: str, name: str, arguments: str) -> None:
    message = said(text)
    assert parse(message) == Call(message, name, arguments)


@pytest.mark.parametrize(
    "text", ["new", "/", "//", "/etc/hosts", "/2", "what does /new do?", "", "/usr/bin is full"]
)
def test_ordinary_text_is_no_command(text: str) -> None:
    assert parse(said(text)) is None


def test_what_was_forwarded_is_no_command_of_whoever_forwards_it() -> None:
    assert parse(replace(said("/new"), forwarded_from="Eve")) is None


async def echo(call: Call) -> str:
    return call.arguments


TABLE = CommandTable([Command("echo", "say it again", echo), Command("x", "", echo, False)])


def test_help_names_every_command_that_is_listed() -> None:
    assert [name for name, _ in TABLE.purposes()] == ["echo", "help"]
    assert "- /echo - say it again" in TABLE.help_text()


async def test_start_says_hello_and_what_there_is() -> None:
    start = TABLE.find("start")
    assert start is not None
    answer = await start.run(Call(said("/start"), "start", ""))
    assert answer == f"Hello! {TABLE.help_text()}"


def test_what_is_not_in_the_table_is_not_found() -> None:
    assert TABLE.find("frobnicate") is None
