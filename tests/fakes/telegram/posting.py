"""New messages of the bot's in a chat, whatever they hold: their place, and what hangs on them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tests.fakes.telegram.arguments import keyboard_of, reply_target, topic_of
from tests.fakes.telegram.drafts import end_drafts
from tests.fakes.telegram.world import Chat, Json, Message

if TYPE_CHECKING:
    from tests.fakes.telegram.server import FakeTelegram


def post(
    server: "FakeTelegram",
    chat: Chat,
    arguments: Json,
    styled: tuple[str, list[Json]],
    content: Json | None = None,
) -> Any:
    """Put a message with this text and its entities into the chat; gives what the call answers."""
    return post_all(server, chat, arguments, [(styled, content or {})])[0]


def post_all(
    server: "FakeTelegram",
    chat: Chat,
    arguments: Json,
    messages: Sequence[tuple[tuple[str, list[Json]], Json]],
) -> list[Json]:
    """Put several at once, or none of them: each has its text with entities, and its content."""
    topic = topic_of(chat, arguments)
    reply_to = reply_target(chat, arguments)
    keyboard = keyboard_of(arguments)
    server.flood.admit(chat.id, len(messages))
    end_drafts(server, chat.id)
    return [
        chat.add(
            Message(
                chat=chat,
                id=chat.next_message_id(),
                sender=server.world.bot,
                text=text,
                entities=entities,
                keyboard=keyboard,
                reply_to=reply_to,
                topic=topic,
                content=content,
            )
        ).to_json()
        for (text, entities), content in messages
    ]
