"""What persons do: write, send, reply, edit, press buttons, react, make groups, delete, block.

Entities in their texts (commands, mentions) are found here, as the real server finds them.
"""

import itertools
import re

from tests.fakes.telegram.drafts import Draft
from tests.fakes.telegram.texts import units
from tests.fakes.telegram.updates import UpdateQueue
from tests.fakes.telegram.world import Chat, Json, Message, Person, Query, World

_ENTITIES = (
    ("bot_command", re.compile(r"(?<![\w/])/\w{1,64}(?:@\w+)?")),
    ("mention", re.compile(r"(?<![\w@])@\w{4,32}\b")),
    ("url", re.compile(r"https?://\S+")),
)
# The senders that stand in for a chat, for old clients (Bot API, Message.from).
ANONYMOUS_ADMIN = Person(1087968824, "Group", "GroupAnonymousBot", is_bot=True)
CHANNEL_BOT = Person(136817688, "Channel", "Channel_Bot", is_bot=True)
TELEGRAM = Person(777000, "Telegram")


class People:
    """Everybody but the bot."""

    def __init__(self, world: World, updates: UpdateQueue) -> None:
        self._world = world
        self._updates = updates
        self._ids = itertools.count(1)
        self._reactions: dict[tuple[int, int, int], list[Json]] = {}

    def person(self, name: str, *, is_bot: bool = False, username: str | None = None) -> Person:
        """Somebody by name, with a private chat to the bot; the same again for the same name."""
        if name not in self._world.persons:
            number = 5_000_000_000 + next(self._ids)  # ids of today need more than 32 bits
            person = Person(number, name, username or name.lower(), is_bot)
            self._world.persons[name] = person
            self._world.chats[number] = Chat(number, "private", name)
        return self._world.persons[name]

    def group(self, title: str, *, kind: str = "supergroup", is_forum: bool = False) -> Chat:
        """A new group that has the bot in it."""
        number = next(self._ids)
        chat_id = -number if kind == "group" else -1_001_000_000_000 - number
        chat = Chat(chat_id, kind, title, is_forum=is_forum)
        self._world.chats[chat_id] = chat
        return chat

    def channel(self, title: str) -> Chat:
        """A channel that the bot is not in."""
        chat_id = -1_001_500_000_000 - next(self._ids)
        self._world.chats[chat_id] = Chat(chat_id, "channel", title)
        return self._world.chats[chat_id]

    def topic(self, chat: Chat, name: str) -> int:
        """A new topic, in a forum or in a private chat (Bot API 9.3); returns its thread id."""
        thread_id = chat.next_message_id() + 1  # 1 is General
        chat.topics[thread_id] = name
        chat.last_message_id = thread_id
        return thread_id

    def close_topic(self, chat: Chat, topic: int) -> None:
        """Let nobody but administrators write there; 1 is General."""
        chat.closed_topics.add(topic)

    def say(
        self,
        person: Person,
        text: str,
        *,
        chat: Chat | None = None,
        reply_to: Message | None = None,
        topic: int | None = None,
        as_chat: Chat | None = None,
        content: Json | None = None,
    ) -> Message:
        """Write a message, to the bot if no chat is named.

        `as_chat`: as an anonymous admin, or as a channel. In ordinary supergroups a reply gets a
        thread id, as it really does. `content`: further fields; see media.py.
        """
        place = chat or self._world.chats[person.id]
        if reply_to is not None and topic is None and place.type == "supergroup":
            topic = reply_to.topic or (None if place.is_forum else reply_to.id)
        message = Message(
            chat=place,
            id=place.next_message_id(),
            sender=person if as_chat is None else _stand_in(as_chat),
            text=text,
            entities=found_entities(text),
            reply_to=reply_to,
            topic=topic,
            sender_chat=as_chat,
            content=content or {},
        )
        place.add(message)
        self._updates.put("message", message.to_json())
        return message

    def send(
        self, person: Person, content: Json, caption: str = "", *, chat: Chat | None = None
    ) -> Message:
        """Send something that is not, or not only, text."""
        return self.say(person, caption, chat=chat, content=content)

    def album(
        self, person: Person, contents: list[Json], caption: str = "", *, chat: Chat | None = None
    ) -> list[Message]:
        """Send several pictures or files at once; the first has the caption, as clients do it."""
        album = {"media_group_id": str(13_000_000_000_000_000 + next(self._ids))}
        captions = [caption, *[""] * (len(contents) - 1)]
        return [
            self.say(person, text, chat=chat, content=content | album)
            for content, text in zip(contents, captions, strict=True)
        ]

    def post(self, channel: Chat, text: str, *, into: Chat) -> Message:
        """A channel's post, which Telegram puts into the linked group by itself."""
        origin = {"type": "channel", "date": 1, "chat": channel.to_json(), "message_id": 3}
        content = {"is_automatic_forward": True, "forward_origin": origin}
        message = Message(
            chat=into,
            id=into.next_message_id(),
            sender=TELEGRAM,
            text=text,
            entities=found_entities(text),
            sender_chat=channel,
            content=content,
        )
        into.add(message)
        self._updates.put("message", message.to_json())
        return message

    def service(self, person: Person, content: Json, *, chat: Chat) -> None:
        """Something that happened, such as a new title, told as a message."""
        self.say(person, "", chat=chat, content=content)

    def rewrite(self, message: Message, text: str) -> None:
        """Edit one's own message."""
        message.text, message.entities = text, found_entities(text)
        message.versions.append(text)
        edited = message.to_json() | {"edit_date": message.date + 1}
        self._updates.put("edited_message", edited)

    def react(self, person: Person, message: Message, *emoji: str) -> None:
        """Leave exactly these reactions of one's own under a message."""
        reactions = self._reactions.setdefault((message.chat.id, message.id, person.id), [])
        new = [{"type": "emoji", "emoji": one} for one in emoji]
        content: Json = {
            "chat": message.chat.to_json(),
            "message_id": message.id,
            "user": person.to_json(),
            "date": message.date + 1,
            "old_reaction": list(reactions),
            "new_reaction": new,
        }
        reactions[:] = new
        self._updates.put("message_reaction", content)

    def press(self, message: Message, label: str, *, by: Person | None = None) -> Query:
        """Press the button with this label; in a private chat its person does."""
        found = [button for row in message.keyboard for button in row if button["text"] == label]
        assert found, f"no button {label!r} under #{message.id}\n{self._world.transcript()}"
        person = by or next(
            one for one in self._world.persons.values() if one.id == message.chat.id
        )
        return self.make_up(message, found[0]["callback_data"], by=person)

    def make_up(self, message: Message, data: str, *, by: Person) -> Query:
        """Say that a button was pressed, as clients can, whether the message has one or not."""
        query_id = str(4_000_000_000_000_000_000 + next(self._ids))
        query = Query(message, by)
        self._world.queries[query_id] = query
        content: Json = {
            "id": query_id,
            "from": by.to_json(),
            "message": message.to_json(),
            "chat_instance": "1",
            "data": data,
        }
        self._updates.put("callback_query", content)
        return query

    def stop(self, draft: Draft, *, tells_bot: bool = False) -> None:
        """Press the button under a growing draft. `tells_bot`: as servers did at first, which told
        the bot itself as the chat."""
        has_button = draft.is_shown and draft.can_stop
        assert has_button, f"no button\n{self._world.transcript()}"
        draft.is_shown = draft.keep_on_stop
        chat = self._world.chats[draft.chat_id].to_json()
        if tells_bot:
            chat["id"] = self._world.bot.id
        content: Json = {"chat": chat, "draft_id": draft.id}
        if draft.topic is not None:
            content["message_thread_id"] = draft.topic
        self._updates.put("stopped_message_generation", content)

    def delete(self, message: Message) -> None:
        """Take a message away. The bot is not told."""
        message.is_deleted = True

    def block(self, person: Person) -> None:
        """Block the bot."""
        chat = self._world.chats[person.id]
        chat.refusal = "bot was blocked by the user"
        self._member(chat, person, "member", "kicked")

    def unblock(self, person: Person) -> None:
        """Let the bot write again."""
        chat = self._world.chats[person.id]
        chat.refusal = None
        self._member(chat, person, "kicked", "member")

    def kick(self, chat: Chat, *, by: Person | None = None) -> None:
        """Throw the bot out."""
        chat.refusal = f"bot was kicked from the {chat.type} chat"
        self._member(chat, by or ANONYMOUS_ADMIN, "member", "kicked")

    def add_bot(self, chat: Chat, *, by: Person) -> None:
        """Add the bot to a group, which anybody may do with theirs."""
        chat.refusal = None
        self._member(chat, by, "left", "member")

    def migrate(self, chat: Chat, person: Person) -> Chat:
        """Make a group a supergroup: a new chat, and a service message in the old and in it."""
        new = self.group(chat.title)
        self.service(person, {"migrate_to_chat_id": new.id}, chat=chat)
        chat.moved_to = new.id
        self.service(person, {"migrate_from_chat_id": chat.id}, chat=new)
        return new

    def _member(self, chat: Chat, by: Person, before: str, after: str) -> None:
        content: Json = {
            "chat": chat.to_json(),
            "from": by.to_json(),
            "date": 1_700_000_000,
            "old_chat_member": _membership(self._world.bot, before),
            "new_chat_member": _membership(self._world.bot, after),
        }
        self._updates.put("my_chat_member", content)


def _membership(bot: Person, status: str) -> Json:
    until = {"until_date": 0} if status == "kicked" else {}
    return {"user": bot.to_json(), "status": status, **until}


def _stand_in(chat: Chat) -> Person:
    return CHANNEL_BOT if chat.type == "channel" else ANONYMOUS_ADMIN


def found_entities(text: str) -> list[Json]:
    """Commands, mentions and addresses in what a person wrote."""
    found = [
        {
            "type": kind,
            "offset": units(text[: match.start()]),
            "length": units(match.group()),
        }
        for kind, pattern in _ENTITIES
        for match in pattern.finditer(text)
    ]
    return sorted(found, key=lambda entity: int(str(entity["offset"])))
