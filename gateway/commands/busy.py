"""Commands that hand a message over in a way of its own while an answer is being written.

What follows the name is a message like any other and takes the same way in; the name only says
what is to be done with it, whatever `chats.busy` says.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from adapters.base import Inbound
from gateway.chats.busy import Mode
from gateway.commands.command import Call, Command

_MODES: Final[Mapping[str, Mode]] = {"queue": "queue", "steer": "steer"}


def busy_commands() -> list[Command]:
    """/queue and /steer, as they are when there is no message behind them."""

    async def explain(call: Call) -> str:
        return f"Write your message behind it: `/{call.name} and also …`"

    return [
        Command(
            "queue",
            "say something that waits until the answer is written",
            explain,
            argument="text",
        ),
        Command(
            "steer", "say something into the answer that is being written", explain, argument="text"
        ),
    ]


def handed_over(call: Call) -> tuple[Inbound, Mode] | None:
    """The message in a /queue or /steer, and what to do with it; None for anything else."""
    mode = _MODES.get(call.name)
    if mode is None or not call.arguments:
        return None
    return replace(call.message, text=call.arguments), mode
