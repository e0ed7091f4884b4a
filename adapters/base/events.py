"""What comes in: who did what, where, as every platform tells it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum


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
    # Set by the gateway: the line, in the agent's protocol, that the message stands for.
    command: Mapping[str, object] | None = None
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
    # The platform shows that message to have this very button. Clients can make data up.
    is_on_message: bool = False
    typed: str | None = None  # into the form that the button has opened, on platforms with forms


PersonalEvent = Inbound | ButtonPress | Edited | Reaction
"""What somebody did, who has to be let in first."""

Event = PersonalEvent | Deleted | Moved
