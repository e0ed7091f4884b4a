"""What was not said to the bot and is told to it with the next message: talk that it overhears,
reactions to its answers, changes of old messages. The words for it; the store keeps it, bounded.

What is handed on becomes part of the message that it goes with, and is as durable as that.
"""

from adapters.base import Address, Attachment, Inbound, Sender
from gateway.sessions import person_key
from gateway.store.inbound import Aside, AsideKind

MAX_NOTES = 20
MAX_CHARS = 500
QUOTED_CHARS = 120


def aside(chat: str, kind: AsideKind, address: Address, sender: Sender, text: str) -> Aside:
    """What somebody said or did, to be told in a chat (by its key)."""
    return Aside(chat, kind, person_key(address, sender), sender.name, cut(text, MAX_CHARS))


def overheard_text(message: Inbound) -> str:
    """What stands for a message that was meant for others."""
    return " ".join([message.text, *map(_named, message.attachments)]).strip()


def reaction_text(emoji: str, answer: str, *, is_added: bool) -> str:
    """What is said of a reaction to an answer of ours; an empty one is still being written."""
    what = "".join(filter(str.isprintable, emoji))[:40]
    done = f"put {what} under" if is_added else f"took {what} away from"
    if not answer:
        return f"({done} an answer while you wrote it)"
    return f"({done} your message “{cut(answer, QUOTED_CHARS)}”)"


def change_text(message: Inbound) -> str:
    """What is said of an old message that was changed."""
    return f"(changed an earlier message, which says now: “{cut(message.text, MAX_CHARS - 80)}”)"


def cut(text: str, limit: int) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _named(one: Attachment) -> str:
    return f"[{one.kind.value}]"
