"""A platform, as the gateway sees it: what it has to do, what it may do, and its limits."""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from adapters.base.events import Address, Attachment, Event
from adapters.base.parts import Mark, OutgoingFile, Part, Style


@dataclass(frozen=True, slots=True)
class Menus:
    """Commands with their purposes, for platforms with menus, by who sees them."""

    members: tuple[tuple[str, str], ...] = ()  # in direct chats
    groups: tuple[tuple[str, str], ...] = ()
    owners: tuple[tuple[str, str], ...] = ()  # in direct chats
    owner_ids: tuple[str, ...] = ()  # the platform's ids of the owners


@dataclass(frozen=True, slots=True)
class Rate:
    """A token bucket: `burst` at once after a while of quiet, and `per_s` in the long run.

    Of what goes as one and counts as several (an album), `credit` may go ahead of their time; they
    are waited for afterwards.
    """

    per_s: float
    burst: int = 1
    credit: int = 0


@dataclass(frozen=True, slots=True)
class RateLimits:
    """How many new and edited messages a platform takes; None where it, or its client, waits by
    itself. What is beyond is held back by the gateway: previews are left out, the rest waits.
    """

    chat: Rate | None = None  # any one chat
    group: Rate | None = None  # one chat of several people, beside what holds for any
    total: Rate | None = None  # all chats of the bot together
    counts_files: bool = False  # several files in one part count as so many messages


NO_LIMITS = RateLimits()


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
    limits: RateLimits
    pulse: Pulse
    hint: str  # what a model should know of the platform: its Markdown, its files

    async def run(self, receive: Callable[[Event], Awaitable[None]]) -> None:
        """Serve the platform until cancelled."""

    def render(self, markdown: str, style: Style = Style.ANSWER) -> Sequence[Part]:
        """The final form of a text, split into parts that each fit one message. Pure."""

    def preview(self, markdown: str) -> Sequence[Part]:
        """The form of a text that still grows: all parts but the last are final. Pure."""

    def render_files(self, files: Sequence[OutgoingFile]) -> Sequence[Part]:
        """The parts that show files and what is said of them, in their order, each file once.

        Neighbours that the platform shows together are one part. May read the files, so it blocks;
        the same files give the same parts.
        """

    async def send(self, address: Address, part: Part) -> tuple[str, ...]:
        """Show a new part and return the platform's ids of its messages: one, but for albums."""

    async def edit(self, address: Address, message_id: str, part: Part) -> None:
        """Replace a message. An edit that changes nothing is a success."""

    async def delete(self, address: Address, message_id: str) -> None:
        """Take a message of ours away. One that is already gone is a success."""

    async def typing(self, address: Address) -> None:
        """Show for some seconds that an answer is being made."""

    async def mark(self, address: Address, message_id: str, mark: Mark | None) -> None:
        """React to a person's message, in place of an earlier mark; where there are reactions."""

    def download(self, attachment: Attachment) -> AsyncGenerator[bytes, None]:
        """The bytes of a file that came in, a piece at a time. Raises `AdapterError`.

        Whoever does not want all of them closes it (`contextlib.aclosing`).
        """


@runtime_checkable
class ShowsDrafts(Protocol):
    """What an adapter may do besides: show a growing text as a draft, which is no message.

    It goes by itself when a message comes or some seconds pass, so nothing is ever left behind.
    """

    def can_draft(self, address: Address) -> bool:
        """Whether drafts are shown there."""

    async def draft(self, address: Address, draft_id: int, part: Part) -> None:
        """Show, or change, the draft of that id (not 0, below 2**31); a preview's last part.

        Of its buttons the platform may show one, in its own form; its press has no `message_id`.
        `Rejected`: no drafts here, the text is to be shown by edits.
        """


@runtime_checkable
class FindsMessages(Protocol):
    """What an adapter may do besides: look for a message of ours whose id was never heard of."""

    async def find(self, address: Address, button_data: str) -> str | None:
        """The id of the newest message of ours with such a button, if it is there."""


@runtime_checkable
class OpensForms(Protocol):
    """What an adapter may do besides: open a form for a text when a button asks for one."""

    opens_forms: bool
