"""Messages on their way into a running turn, in order: those that wait, then those being fed.

Whether the turn can still take one is the turn's business, and what has gone in is a part of it.
"""

from collections import deque
from collections.abc import Collection
from dataclasses import replace

from adapters.base import Inbound
from gateway.chats.busy import Steer
from gateway.chats.joining import is_same


class Steers:
    """What was said into one turn and is not part of it yet. Its length is how many wait."""

    def __init__(self) -> None:
        self._waiting: deque[Steer] = deque()
        self._feeding: list[Steer] = []

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def unfed(self) -> list[Inbound]:
        """Whatever has not gone in for good."""
        return [steer.message for steer in (*self._feeding, *self._waiting)]

    def add(self, steer: Steer) -> None:
        """Let a message wait until the agent is told something the next time."""
        self._waiting.append(steer)

    def take_back(self) -> list[Inbound]:
        """Keep the messages that wait out of the turn; returns them."""
        messages = [steer.message for steer in self._waiting]
        self._waiting.clear()
        return messages

    def change(self, message: Inbound) -> Inbound | None:
        """Put a changed message in the place of what it was, if that still waits."""
        for place, steer in enumerate(self._waiting):
            if is_same(steer.message, message):
                kept = steer.message
                changed = replace(message, event_id=kept.event_id, context=kept.context)
                self._waiting[place] = replace(steer, message=changed)
                return changed
        return None

    def drop(self, message_id: str) -> Inbound | None:
        """Drop a message that was deleted, if it still waits."""
        for steer in self._waiting:
            if steer.message.message_id == message_id:
                self._waiting.remove(steer)
                return steer.message
        return None

    def feed(self) -> list[Inbound]:
        """The messages that go in now: all that wait."""
        self._feeding = list(self._waiting)
        self._waiting.clear()
        return [steer.message for steer in self._feeding]

    def fed(self, refused: Collection[Inbound]) -> None:
        """They have gone in, but for those that the agent refused: tell whoever said them."""
        for steer in self._feeding:
            if steer.message not in refused:
                steer.tell()
        self._feeding.clear()
