"""What a running gateway notes about itself: the seam between who does things and who counts them.

This class takes everything and keeps nothing; it serves wherever nobody asks for figures.
`operations/prometheus.py` has the one that counts. Made by the composition root and handed in.
"""

from collections.abc import Callable
from typing import Literal

from gateway.runtime.pool import PoolStats
from gateway.store.usage import ModelCall

Phase = Literal["queue", "wake", "step", "first_token", "model", "delivery"]
"""Where a turn's time goes:

    queue        a message waits for the turns before it
    wake         from the turn's beginning until its agent may be stepped
    step         one step of the agent, waiting for a thread included
    first_token  from a model call until the first text or the end of an answer without any
    model        a model call, its retries included
    delivery     from a text that is whole until it is on the screen
"""


class Metrics:
    """Takes notes. All durations are in seconds; no method fails or waits."""

    def took(self, phase: Phase, seconds: float) -> None:
        """A phase of a turn is over."""

    def turn_ended(self, outcome: str, seconds: float) -> None:
        """A turn is over: the reason of its `done`, or `failed`; since the message was taken."""

    def model_answered(self, provider: str) -> None:
        """A model call brought an answer."""

    def model_failed(self, provider: str, code: str) -> None:
        """A model call failed for good, with a code of `llm.errors`, or `cancelled`."""

    def model_used(self, call: ModelCall) -> None:
        """A call is in the ledger, with its tokens and what it cost."""

    def tool_ended(self, tool: str, outcome: str, seconds: float) -> None:
        """A tool call is over: done, error or cancelled."""

    def event_met(self, platform: str, outcome: str) -> None:
        """The gate has looked at an event: taken, stranger, blocked or too_much."""

    def delivered(self, platform: str, outcome: str) -> None:
        """A text was delivered, or was not: an outcome of `delivery.persistence`."""

    def loop_lagged(self, seconds: float) -> None:
        """The event loop came so much later to a task than it was asked to."""

    def watch_agents(self, stats: Callable[[], PoolStats]) -> None:
        """Where to look for the agents' figures when somebody asks."""

    def watch_chats(self, busy: Callable[[], int], waiting: Callable[[], int]) -> None:
        """Where to look for the number of busy chats, and of messages that wait in them."""

    def watch_platform(self, platform: str, silence_s: Callable[[], float | None]) -> None:
        """Where to look for the time since a platform was last heard from."""
