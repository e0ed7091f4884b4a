"""What happens to a message that comes while its chat is being answered.

Queued, it gets a turn of its own; steered, it goes into the running turn; or it interrupts that
turn. Whichever it is, the message itself is the same, with all that it quotes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from adapters.base import Inbound
from gateway.chats.messages import Line, content_of, quoted, sender_of

Mode = Literal["queue", "steer", "interrupt"]

MERGED = "*Taken into the answer that is being written.*"
CHANGED = "changed message"
"""Why a turn is stopped whose message was changed."""

SUPERSEDED = "new message"
"""Why a turn is stopped that a later message interrupts."""


@dataclass(frozen=True, slots=True)
class Steer:
    """A message for the running turn; `tell` is called once the turn has taken it."""

    message: Inbound
    tell: Callable[[], None]


def steer_line(message: Inbound) -> Line:
    """A message as the agent gets it in mid-turn."""
    seen = "\n".join(quoted(f"{one.sender.name}: {one.text}") for one in message.context)
    head = f"[Seen in the chat, for information only:]\n{seen}\n\n" if seen else ""
    return {"type": "steer", "content": head + content_of(message), "sender": sender_of(message)}


def is_too_late(line: Line) -> bool:
    """Whether an agent says that it could not take a steer into account any more."""
    return line["type"] == "error" and line.get("code") == "no_turn"
