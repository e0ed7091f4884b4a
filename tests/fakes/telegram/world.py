"""What there is: the bot, persons, chats with their topics, and messages with all their versions.

Only data and its JSON; who changes it is people.py (persons) and methods.py (the bot).
"""

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.fakes.telegram.drafts import Draft
    from tests.fakes.telegram.menus import Menus

Json = dict[str, Any]

GENERAL_TOPIC = 1
MEDIA = frozenset({"animation", "audio", "document", "photo", "video", "voice"})
"""The fields of a `Message` that may have a caption."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an account; also bots, ours among them."""

    id: int
    first_name: str
    username: str | None = None
    is_bot: bool = False

    def to_json(self) -> Json:
        """A `User`."""
        user = {"id": self.id, "is_bot": self.is_bot, "first_name": self.first_name}
        return user | ({"username": self.username} if self.username else {})


@dataclass(slots=True)
class Message:
    """A message as it stands now; `versions` are the texts that were seen, the latest last."""

    chat: "Chat"
    id: int
    sender: Person
    text: str
    entities: list[Json] = field(default_factory=list)
    keyboard: list[list[Json]] = field(default_factory=list)
    reply_to: "Message | None" = None
    topic: int | None = None  # set in ordinary supergroups too, for replies
    sender_chat: "Chat | None" = None
    content: Json = field(default_factory=dict)  # further fields: a photo, where it comes from, …
    reactions: list[str] = field(default_factory=list)  # of the bot
    is_deleted: bool = False
    date: int = field(default_factory=lambda: int(time.time()))
    versions: list[str] = field(default_factory=list)

    @property
    def is_caption(self) -> bool:
        """Whether the text stands under something."""
        return not MEDIA.isdisjoint(self.content)

    @property
    def labels(self) -> list[str]:
        """What stands on the buttons below."""
        return [button["text"] for row in self.keyboard for button in row]

    def styled(self, kind: str) -> list[str]:
        """The pieces of text that have this style."""
        units = self.text.encode("utf-16-le")
        return [
            units[2 * entity["offset"] : 2 * (entity["offset"] + entity["length"])].decode(
                "utf-16-le"
            )
            for entity in self.entities
            if entity["type"] == kind
        ]

    def to_json(self, *, is_nested: bool = False) -> Json:
        """A `Message`; a reply shows its target, but not that one's target."""
        message: Json = {
            "message_id": self.id,
            "from": self.sender.to_json(),
            "chat": self.chat.to_json(),
            "date": self.date,
            **self.content,
        }
        if self.text:
            message["caption" if self.is_caption else "text"] = self.text
        if self.entities:
            message["caption_entities" if self.is_caption else "entities"] = self.entities
        if self.keyboard:
            message["reply_markup"] = {"inline_keyboard": self.keyboard}
        if self.sender_chat is not None:
            message["sender_chat"] = self.sender_chat.to_json()
        if self.reply_to is not None and not is_nested:
            message["reply_to_message"] = self.reply_to.to_json(is_nested=True)
        if self.topic is not None:
            message["message_thread_id"] = self.topic
            if self.chat.is_forum or self.chat.type == "private":
                message["is_topic_message"] = True
        return message


@dataclass(slots=True)
class Chat:
    """A conversation. A private one has the id of its person."""

    id: int
    type: str  # private, group, supergroup, channel
    title: str
    is_forum: bool = False
    topics: dict[int, str] = field(default_factory=dict)
    closed_topics: set[int] = field(default_factory=set)  # General is 1
    messages: list[Message] = field(default_factory=list)
    refusal: str | None = None  # why the bot can't write here, e.g. it was blocked
    moved_to: int | None = None  # the supergroup that it has become
    refuses_voice: bool = False  # by the person's privacy settings
    last_message_id: int = 0

    def to_json(self) -> Json:
        """A `Chat`."""
        name = "first_name" if self.type == "private" else "title"
        chat: Json = {"id": self.id, "type": self.type, name: self.title}
        return chat | ({"is_forum": True} if self.is_forum else {})

    def add(self, message: Message) -> Message:
        """Put a new message at the end."""
        self.messages.append(message)
        message.versions.append(message.text)
        return message

    def next_message_id(self) -> int:
        """Ids go up within a chat."""
        self.last_message_id += 1
        return self.last_message_id

    def find(self, message_id: int) -> Message | None:
        """A message that is still there."""
        for message in self.messages:
            if message.id == message_id and not message.is_deleted:
                return message
        return None


@dataclass(slots=True)
class Query:
    """A button press that waits to be answered."""

    message: Message
    person: Person
    is_answered: bool = False
    notice: str | None = None
    pressed_at: float = field(default_factory=time.monotonic)


@dataclass(slots=True)
class World:
    """Everything that the server knows."""

    bot: Person
    chats: dict[int, Chat] = field(default_factory=dict)
    persons: dict[str, Person] = field(default_factory=dict)
    queries: dict[str, Query] = field(default_factory=dict)
    actions: list[tuple[int, str]] = field(default_factory=list)  # chat, e.g. typing
    menus: "Menus" = field(default_factory=dict)
    drafts: "list[Draft]" = field(default_factory=list)
    violations: list[str] = field(default_factory=list)

    @property
    def commands(self) -> list[Json]:
        """The menu that is shown where there is no narrower one."""
        return self.menus.get(("default", ""), [])

    def transcript(self) -> str:
        """All chats as a person would read them, with what can't be seen in brackets."""
        lines = []
        for chat in self.chats.values():
            lines.append(f"=== {chat.type} {chat.title!r} ({chat.id})")
            lines += [_line(message) for message in chat.messages]
        return "\n".join(lines)


def _line(message: Message) -> str:
    notes = sorted(message.content)
    notes += [f"topic {message.topic}"] if message.topic else []
    if message.reply_to:
        notes.append(f"reply to {message.reply_to.id}")
    if len(message.versions) > 1:
        notes.append(f"edited {len(message.versions) - 1} times")
    if message.is_deleted:
        notes.append("deleted")
    if message.keyboard:
        notes.append("buttons " + " | ".join(message.labels))
    suffix = f"   [{', '.join(notes)}]" if notes else ""
    shown = message.text if len(message.text) <= 300 else f"{message.text[:300]}… "
    return f"#{message.id} {message.sender.first_name}: {shown}{suffix}"
