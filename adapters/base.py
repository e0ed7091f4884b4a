"""What every platform speaks with the gateway: events in, parts of replies out.

An adapter turns the platform's events into `Inbound` and `ButtonPress`, and puts `Part`s on a
screen. It decides nothing: who may talk, what is a command and what is answered is the gateway's
business. It also keeps the platform's limits to itself: `render` gives parts that fit.

    AdapterError
    ├── RateLimited      the platform said when to come back
    ├── Unreachable      the platform did not take the request; it may be sent again
    ├── Ambiguous        nobody knows whether the platform took it; never blindly sent again
    ├── Rejected         the platform refused this content; the same again is refused again
    │   └── TargetGone   the message to edit, or to reply to, is no longer there
    └── ChatGone         the bot can't write to this chat any more
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class AdapterError(Exception):
    """Base of all that can go wrong between the gateway and a platform."""


class RateLimited(AdapterError):
    """The platform refused for now and said for how long."""

    def __init__(self, retry_after_s: float) -> None:
        super().__init__(f"rate limited for {retry_after_s:g} s")
        self.retry_after_s = retry_after_s


class Unreachable(AdapterError):
    """The request never arrived, or the platform failed before it acted on it."""


class Ambiguous(AdapterError):
    """The request may have arrived: sending it again may show it twice."""


class Rejected(AdapterError):
    """The platform refused what was sent."""


class TargetGone(Rejected):
    """The message to be edited or replied to was deleted."""


class ChatGone(AdapterError):
    """The bot was blocked or removed, or the chat no longer exists."""


class ChatKind(StrEnum):
    """Whether one person or several read along."""

    DIRECT = "direct"
    GROUP = "group"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a turn's replies go; made once per event and never changed (no fallback elsewhere)."""

    platform: str
    chat_id: str
    kind: ChatKind
    thread_id: str | None = None  # a forum topic, a Discord thread
    reply_to: str | None = None  # the platform's id of the message being answered


@dataclass(frozen=True, slots=True)
class Sender:
    """Who wrote. `id` is the platform's stable id; `name` is what they call themselves."""

    id: str
    name: str
    is_bot: bool = False


@dataclass(frozen=True, slots=True)
class Inbound:
    """A message from a chat."""

    event_id: str  # the platform's own id of the event, unique within the platform
    address: Address
    sender: Sender
    text: str
    is_addressed: bool = True  # a direct chat, or the bot is mentioned, replied to or commanded
    chat_title: str | None = None
    quoted_text: str | None = None  # of the message that this one replies to
    scheduled: str | None = None  # set if the gateway's schedule made it: about the run, in words


@dataclass(frozen=True, slots=True)
class ButtonPress:
    """A button under one of our messages was pressed."""

    event_id: str
    address: Address
    sender: Sender
    data: str  # as given to `Button.data`
    acknowledge: Callable[[str | None], Awaitable[None]]  # shows a short notice, ends the spinner


Event = Inbound | ButtonPress


@dataclass(frozen=True, slots=True)
class Button:
    """A labelled button; `data` comes back in the `ButtonPress`: at most 64 bytes of UTF-8."""

    label: str
    data: str


@dataclass(frozen=True, slots=True)
class Part:
    """What one platform message holds; `payload` is the adapter's own rendered form of it."""

    text: str  # the plain text, for logs and comparison
    payload: object = None  # e.g. message entities; compared with ==
    buttons: tuple[tuple[Button, ...], ...] = ()  # rows of buttons


@dataclass(slots=True)
class Pulse:
    """When a platform was last heard from. Its adapter beats it; anybody may look."""

    max_silence_s: float | None  # longer is a bad sign; None where silence means nothing
    heard_at: float | None = None  # on the monotonic clock

    def beat(self) -> None:
        """The platform has just answered, or sent something."""
        self.heard_at = time.monotonic()

    def silent_s(self) -> float | None:
        """The time since then, in seconds; None before the first time."""
        return None if self.heard_at is None else time.monotonic() - self.heard_at


class Adapter(Protocol):
    """One platform.

    `run` receives until it is cancelled, and hands each event to `receive`, which returns as soon
    as the event has been taken. The platform is told that an event has arrived only after that.
    """

    name: str
    edit_interval_s: float  # the least time between two edits of a growing message
    pulse: Pulse

    async def run(self, receive: Callable[[Event], Awaitable[None]]) -> None:
        """Serve the platform until cancelled."""

    def render(self, markdown: str) -> Sequence[Part]:
        """The final form of a text, split into parts that each fit one message. Pure."""

    def preview(self, markdown: str) -> Sequence[Part]:
        """The form of a text that still grows: all parts but the last are final. Pure."""

    async def send(self, address: Address, part: Part) -> str:
        """Show a new message and return the platform's id of it."""

    async def edit(self, address: Address, message_id: str, part: Part) -> None:
        """Replace a message. An edit that changes nothing is a success."""

    async def delete(self, address: Address, message_id: str) -> None:
        """Take a message of ours away. One that is already gone is a success."""

    async def typing(self, address: Address) -> None:
        """Show for some seconds that an answer is being made."""
