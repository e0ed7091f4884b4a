"""Flood control: how many messages the bot may send, and how often it was told to wait.

The numbers of the FAQ ("My bot is hitting limits, how do I avoid this?") are about one message a
second per chat, 20 a minute per group, 30 a second over all. By default nothing is limited.

An album counts as its messages. One of more than a window holds is let in when the window is empty,
and fills so many of those that follow.
"""

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.fakes.telegram.errors import retry_after


@dataclass(frozen=True, slots=True)
class FloodLimits:
    """Messages and edits allowed; None is no limit."""

    per_chat_per_s: int | None = None
    per_group_per_min: int | None = None
    overall_per_s: int | None = None

    @classmethod
    def published(cls) -> "FloodLimits":
        """What the FAQ says."""
        return cls(per_chat_per_s=1, per_group_per_min=20, overall_per_s=30)


@dataclass(slots=True)
class FloodControl:
    """Counts what was sent in sliding windows."""

    limits: FloodLimits = field(default_factory=FloodLimits)
    clock: Callable[[], float] = time.monotonic
    refusals: int = 0
    _sent: dict[str, deque[float]] = field(default_factory=dict)

    def admit(self, chat_id: int, messages: int = 1) -> None:
        """Count messages to this chat. Raises `ApiError` 429 if they are too many."""
        windows = self._windows(chat_id)
        now = self.clock()
        wait_s = max((self._wait(*window, now, messages) for window in windows), default=0.0)
        if wait_s > 0:
            self.refusals += 1
            raise retry_after(math.ceil(wait_s))
        for name, most, span_s in windows:
            sent = self._sent.setdefault(name, deque())
            sent.extend(now + span_s * (number // most) for number in range(messages))

    def _windows(self, chat_id: int) -> list[tuple[str, int, float]]:
        limits = self.limits
        chosen = [
            (f"chat {chat_id}", limits.per_chat_per_s, 1.0),
            (f"group {chat_id}", limits.per_group_per_min if chat_id < 0 else None, 60.0),
            ("all", limits.overall_per_s, 1.0),
        ]
        return [(name, most, span_s) for name, most, span_s in chosen if most is not None]

    def _wait(self, name: str, most: int, span_s: float, now: float, messages: int) -> float:
        sent = self._sent.setdefault(name, deque())
        while sent and sent[0] <= now - span_s:
            sent.popleft()
        too_many = len(sent) + min(messages, most) - most
        return sent[too_many - 1] + span_s - now if too_many > 0 else 0.0
