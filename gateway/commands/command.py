"""What a command is, and which messages are one. Pure.

Commands run at once, even while a turn runs, and are never given to the model. A family of
commands is a function that is given what it works with and returns its rows for the table.
"""

import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from adapters.base import Button, ButtonPress, Inbound
from gateway.access.roles import Role
from gateway.delivery.reply import Said

# Telegram writes /new@some_bot in groups. A path (/etc/hosts) or a lone slash is no command.
_COMMAND = re.compile(r"/([A-Za-z][A-Za-z0-9_]{0,31})(?:@\w+)?(?:\s+(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Call:
    """A command as somebody typed it: `message` is all of it, `arguments` what follows the name."""

    message: Inbound
    name: str
    arguments: str
    role: Role = Role.MEMBER  # what the sender is here


Handler = Callable[[Call], Coroutine[Any, Any, Said | None]]
"""Does what is asked and returns what to say, if anything, with buttons or without.

It runs beside the chat's turn. What must happen before the sender's next message is looked at
(to stop, to begin anew) has to come before the first `await`.
"""


@dataclass(frozen=True, slots=True)
class Command:
    """A row of the table."""

    name: str
    purpose: str  # one line for /help and the platforms' menus
    run: Handler
    is_listed: bool = True
    role: Role = Role.MEMBER  # the least that is needed
    is_counted: bool = True  # whether the rate limits hold for it
    argument: str = ""  # what may stand behind it, in a word; for platforms that ask for it
    is_private: bool = False  # its answer is for whoever asks, where others need not see it
    has_buttons: bool = False  # whether a button may stand for it (`button_for`)


def button_for(name: str, argument: str, label: str) -> Button:
    """A button that does what the command does with an argument.

    Name and argument take at most 63 bytes (`Button.data`).
    """
    return Button(label, f"{name}:{argument}")


def call_of(press: ButtonPress, name: str, argument: str, role: Role) -> Call:
    """The command for which a button stands, as if whoever pressed it had typed it."""
    text = f"/{name} {argument}"
    message = Inbound(press.event_id, press.address, press.sender, text)
    return Call(message, name, argument, role)


def parse(message: Inbound) -> Call | None:
    """The command in a message; None if the message is an ordinary one, or somebody else's."""
    if message.forwarded_from is not None:
        return None
    match = _COMMAND.fullmatch(message.text.strip())
    return match and Call(message, match[1].lower(), (match[2] or "").strip())
