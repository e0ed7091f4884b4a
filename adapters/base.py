"""What every platform speaks with the gateway: events in, parts of replies out.

An adapter turns the platform's events into one of `Event`, and puts `Part`s on a screen. It
decides nothing: who may talk, what is a command and what is answered is the gateway's
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
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable


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
    # What the platform answers by for a while, such as a Discord interaction; its adapter's own.
    interaction: str | None = None


@dataclass(frozen=True, slots=True)
class Sender:
    """Who wrote. `id` is the platform's stable id; `name` is what they call themselves."""

    id: str
    name: str
    is_bot: bool = False
    roles: tuple[str, ...] = ()  # ids of what they are where they write, on platforms with roles


class MediaKind(StrEnum):
    """What a file is to a person, which need not be what its media type says."""

    IMAGE = "image"
    VOICE = "voice"  # spoken into the chat
    AUDIO = "audio"
    VIDEO = "video"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a message. Its bytes are still with the platform: see `download`.

    All but `ref` is what the sender or the platform says, and may be wrong.
    """

    kind: MediaKind
    ref: str  # what the adapter finds it by, at any later time
    name: str | None = None
    media_type: str | None = None  # such as image/jpeg (RFC 6838)
    size_bytes: int | None = None
    duration_s: float | None = None
    is_quoted: bool = False  # it is part of another message that this one is about


@dataclass(frozen=True, slots=True)
class Observed:
    """What somebody else said in the chat before: context, and nothing that anybody asked for."""

    sender: Sender
    text: str


@dataclass(frozen=True, slots=True)
class Inbound:
    """A message from a chat.

    `text` is what the person wrote, and in brackets what they sent instead of words: a sticker, a
    place. What comes from others (a quotation, a forwarded text, context) has fields of its own.
    """

    event_id: str  # the platform's own id of the event, unique within the platform
    address: Address
    sender: Sender
    text: str
    is_addressed: bool = True  # a direct chat, or the bot is mentioned, replied to or commanded
    chat_title: str | None = None
    quoted_text: str | None = None  # of the message that this one replies to
    scheduled: str | None = None  # set if the gateway's schedule made it: about the run, in words
    # Set by the gateway: the id of the question that the message answers, once it is in words.
    answers: str | None = None
    # Set by the gateway: the message was changed, and is answered anew instead of what it was.
    is_redone: bool = False
    message_id: str | None = None  # the platform's id of the message, unique within its chat
    attachments: tuple[Attachment, ...] = ()
    forwarded_from: str | None = None  # the origin of a forwarded message, as a label
    album_id: str | None = None  # messages of one sender with the same id are one message
    may_go_on: bool = False  # so long that the client may have split it: the rest comes at once
    context: tuple[Observed, ...] = ()  # oldest first


@dataclass(frozen=True, slots=True)
class Edited:
    """A message was changed by its writer; `message` is what it says now."""

    message: Inbound  # with the id of this event, and the `message_id` of the old one

    @property
    def event_id(self) -> str:
        """The id of the change itself."""
        return self.message.event_id

    @property
    def address(self) -> Address:
        """Where it happened."""
        return self.message.address

    @property
    def sender(self) -> Sender:
        """Who changed it."""
        return self.message.sender


@dataclass(frozen=True, slots=True)
class Reaction:
    """Somebody put an emoji under a message, or took it away. Feedback, never consent."""

    event_id: str
    address: Address
    sender: Sender
    message_id: str
    emoji: str
    is_added: bool = True


@dataclass(frozen=True, slots=True)
class Deleted:
    """A message was deleted; platforms don't say by whom."""

    event_id: str
    address: Address
    message_id: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A chat has got another id: a Telegram group that became a supergroup."""

    event_id: str
    address: Address  # as it was
    new_chat_id: str


@dataclass(frozen=True, slots=True)
class ButtonPress:
    """A button under one of our messages was pressed."""

    event_id: str
    address: Address
    sender: Sender
    data: str  # as given to `Button.data`
    acknowledge: Callable[[str | None], Awaitable[None]]  # shows a short notice, ends the spinner
    message_id: str | None = None  # of the message under which it stands
    typed: str | None = None  # into the form that the button has opened, on platforms with forms


PersonalEvent = Inbound | ButtonPress | Edited | Reaction
"""What somebody did, who has to be let in first."""

Event = PersonalEvent | Deleted | Moved


@dataclass(frozen=True, slots=True)
class Button:
    """A labelled button; `data` comes back in the `ButtonPress`: at most 64 bytes of UTF-8."""

    label: str
    data: str
    meaning: Literal["plain", "good", "bad"] = "plain"  # for platforms that have colours
    opens_form: bool = False  # where there are forms, it asks for a text, which the press brings


@dataclass(frozen=True, slots=True)
class OutgoingFile:
    """A file on this machine that is to be shown. The host has checked that it may be."""

    path: Path
    kind: MediaKind
    name: str  # what the person sees


@dataclass(frozen=True, slots=True)
class Part:
    """What one platform message holds; `payload` is the adapter's own rendered form of it."""

    text: str  # the plain text, for logs and comparison; a file's caption
    payload: object = None  # e.g. message entities; compared with ==
    buttons: tuple[tuple[Button, ...], ...] = ()  # rows of buttons
    file: OutgoingFile | None = None  # such a part can't be edited into one without, or back


class Style(StrEnum):
    """What a text is, for platforms that show such things in a form of their own."""

    ANSWER = "answer"
    QUESTION = "question"
    APPROVAL = "approval"
    STATUS = "status"


class Mark(StrEnum):
    """How far a person's message has come, shown by a reaction to it."""

    SEEN = "seen"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Menus:
    """Commands with their purposes, for platforms with menus, by who sees them."""

    members: tuple[tuple[str, str], ...] = ()  # in direct chats
    groups: tuple[tuple[str, str], ...] = ()
    owners: tuple[tuple[str, str], ...] = ()  # in direct chats
    owner_ids: tuple[str, ...] = ()  # the platform's ids of the owners


@dataclass(frozen=True, slots=True)
class Rate:
    """A token bucket: `burst` at once after a while of quiet, and `per_s` in the long run."""

    per_s: float
    burst: int = 1


@dataclass(frozen=True, slots=True)
class RateLimits:
    """How many new and edited messages a platform takes; None where it, or its client, waits by
    itself. What is beyond is held back by the gateway: previews are left out, the rest waits.
    """

    chat: Rate | None = None  # any one chat
    group: Rate | None = None  # one chat of several people, beside what holds for any
    total: Rate | None = None  # all chats of the bot together


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

    async def send(self, address: Address, part: Part) -> str:
        """Show a new message and return the platform's id of it."""

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
