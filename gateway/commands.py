"""Which messages are commands, and what each is for. Pure.

Commands run at once, even while a turn runs, and are never given to the model; the router does
what they ask. Issue after issue adds rows to the table.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

# Telegram writes /new@some_bot in groups. A path (/etc/hosts) or a lone slash is no command.
_COMMAND = re.compile(r"/([A-Za-z][A-Za-z0-9_]{0,31})(?:@\w+)?(?:\s+(.*))?", re.DOTALL)


class Command(StrEnum):
    """Every command, by the word behind the slash."""

    START = "start"
    HELP = "help"
    NEW = "new"
    STOP = "stop"


_BY_NAME = {command.value: command for command in Command}

PURPOSES: dict[Command, str] = {
    Command.NEW: "begin a new conversation; what I remember stays",
    Command.STOP: "stop the answer that is being written",
    Command.HELP: "show this list",
}
"""What `/help` and the platforms' menus say, in their order. `/start` needs no explanation."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """A command as it was typed. `command` is None when there is none of that name."""

    name: str
    command: Command | None
    arguments: str


def parse(text: str) -> Invocation | None:
    """The command in a message; None if the message is an ordinary one."""
    match = _COMMAND.fullmatch(text.strip())
    if match is None:
        return None
    name = match[1].lower()
    return Invocation(name, _BY_NAME.get(name), (match[2] or "").strip())


def help_text() -> str:
    """The answer to `/help`."""
    rows = [f"- /{command} - {purpose}" for command, purpose in PURPOSES.items()]
    return "\n".join(
        ["Write to me, and I answer. While I am busy, further messages wait their turn.", "", *rows]
    )


def welcome_text() -> str:
    """The answer to `/start`."""
    return f"Hello! {help_text()}"


def unknown_text(name: str) -> str:
    """The answer to a command that doesn't exist."""
    return f"There is no command /{name}. /help lists them."
