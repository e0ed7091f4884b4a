"""What persons do: write, reply, press buttons, make groups, delete, block.

Entities in their texts (commands, mentions) are found here, as the real server finds them.
"""

import itertools
import re

from tests.fakes.telegram.texts import units
from tests.fakes.telegram.updates import UpdateQueue
from tests.fakes.telegram.world import Chat, Json, Message, Person, Query, World

_ENTITIES = (
    ("bot_command", re.compile(r"(?<![\w/])/\w{1,64}(?:@\w+)?")),
    ("mention", re.compile(r"(?<![\w@])@\w{4,32}\b")),
    ("url", re.compile(r"https?://\S+")),
)
ANONYMOUS_ADMIN = Person(1087968824, "Group", "GroupAnonymousBot", is_bot=True)


class People:
    """Everybody but the bot."""

    def __init__(self, world: World, updates: UpdateQueue) -> None:
        self._world = world
        self._updates = updates
        self._ids = itertools.count(1)

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

    def topic(self, chat: Chat, name: str) -> int:
        """A new topic in a forum; returns its thread id."""
        thread_id = chat.next_message_id() + 1  # 1 is General
        chat.topics[thread_id] = name
        chat.last_message_id = thread_id
        return thread_id

    def say(
        self,
        person: Person,
        text: str,
        *,
        chat: Chat | None = None,
        reply_to: Message | None = None,
        topic: int | None = None,
        as_chat: Chat | None = None,
        is_caption: bool = False,
    ) -> Message:
        """Write a message, to the bot if no chat is named.

        `as_chat`: as an anonymous admin, or as a channel. In ordinary supergroups a reply gets a
        thread id, as it really does.
        """
        place = chat or self._world.chats[person.id]
        if reply_to is not None and topic is None and place.type == "supergroup":
            topic = reply_to.topic or (None if place.is_forum else reply_to.id)
        message = Message(
            chat=place,
            id=place.next_message_id(),
            sender=ANONYMOUS_ADMIN if as_chat else person,
            text=text,
            entities=found_entities(text),
            reply_to=reply_to,
            topic=topic,
            sender_chat=as_chat,
            is_caption=is_caption,
        )
        place.add(message)
        self._updates.put("message", message.to_json())
        return message

    def rewrite(self, message: Message, text: str) -> None:
        """Edit one's own message."""
        message.text, message.entities = text, found_entities(text)
        message.versions.append(text)
        edited = message.to_json() | {"edit_date": message.date + 1}
        self._updates.put("edited_message", edited)

    def press(self, message: Message, label: str, *, by: Person | None = None) -> Query:
        """Press the button with this label; in a private chat its person does."""
        found = [button for row in message.keyboard for button in row if button["text"] == label]
        assert found, f"no button {label!r} under #{message.id}\n{self._world.transcript()}"
        person = by or next(
            one for one in self._world.persons.values() if one.id == message.chat.id
        )
        query_id = str(4_000_000_000_000_000_000 + next(self._ids))
        query = Query(message, person)
        self._world.queries[query_id] = query
        content: Json = {
            "id": query_id,
            "from": person.to_json(),
            "message": message.to_json(),
            "chat_instance": "1",
            "data": found[0]["callback_data"],
        }
        self._updates.put("callback_query", content)
        return query

    def delete(self, message: Message) -> None:
        """Take a message away. The bot is not told."""
        message.is_deleted = True

    def block(self, person: Person) -> None:
        """Block the bot."""
        self._world.chats[person.id].refusal = "bot was blocked by the user"

    def kick(self, chat: Chat) -> None:
        """Throw the bot out."""
        chat.refusal = f"bot was kicked from the {chat.type} chat"


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
