"""What was not said to the bot and is told to it with the next message: talk that it overhears,
reactions to its answers, changes of old messages.

In memory and bounded: after a restart nobody misses it. What is handed on becomes part of the
message that it goes with, and is as durable as that.
"""

from collections import OrderedDict, deque
from dataclasses import replace

from adapters.base import Attachment, Inbound, Observed, Sender

MAX_CHATS = 1_000
MAX_NOTES = 20
MAX_CHARS = 500
QUOTED_CHARS = 120


class Asides:
    """The asides of all chats, by session key."""

    def __init__(self) -> None:
        self._overheard: OrderedDict[str, deque[Observed]] = OrderedDict()
        self._notes: OrderedDict[str, deque[Observed]] = OrderedDict()

    def overhear(self, chat: str, message: Inbound, limit: int) -> None:
        """Keep what somebody said to others; of a chat the last `limit` messages."""
        if limit > 0 and (said := overheard_text(message)):
            self._put(self._overheard, chat, Observed(message.sender, said), limit)

    def note(self, chat: str, sender: Sender, text: str) -> None:
        """Keep what somebody did."""
        self._put(self._notes, chat, Observed(sender, text), MAX_NOTES)

    def of(self, chat: str) -> tuple[Observed, ...]:
        """What the chat's next message goes with, oldest first."""
        return (*self._overheard.get(chat, ()), *self._notes.get(chat, ()))

    def clear(self, chat: str) -> None:
        """It has been told."""
        self._overheard.pop(chat, None)
        self._notes.pop(chat, None)

    def move(self, chat: str, new_chat: str) -> None:
        """A chat has got another key."""
        for table in (self._overheard, self._notes):
            if chat in table:
                table[new_chat] = table.pop(chat)

    def forget(self, platform: str, person_id: str) -> None:
        """Drop what is kept of somebody, in all chats of a platform."""
        for table in (self._overheard, self._notes):
            for chat, kept in list(table.items()):
                if chat.startswith(f"{platform}:"):
                    rest = [one for one in kept if one.sender.id != person_id]
                    table[chat] = deque(rest, maxlen=kept.maxlen)

    @staticmethod
    def _put(
        table: OrderedDict[str, deque[Observed]], chat: str, one: Observed, limit: int
    ) -> None:
        kept = deque(table.pop(chat, ()), maxlen=limit)
        kept.append(replace(one, text=cut(one.text, MAX_CHARS)))
        table[chat] = kept
        while len(table) > MAX_CHATS:
            table.popitem(last=False)


def overheard_text(message: Inbound) -> str:
    """What stands for a message that was meant for others."""
    return " ".join([message.text, *map(_named, message.attachments)]).strip()


def reaction_text(emoji: str, answer: str, *, is_added: bool) -> str:
    """What is said of a reaction to an answer of ours."""
    what = "".join(filter(str.isprintable, emoji))[:40]
    done = f"put {what} under" if is_added else f"took {what} away from"
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
