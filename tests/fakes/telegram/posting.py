"""A new message of the bot's in a chat, whatever it holds: where it goes, and what hangs on it."""

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
    topic = topic_of(chat, arguments)
    reply_to = reply_target(chat, arguments)
    keyboard = keyboard_of(arguments)
    server.flood.admit(chat.id)
    text, entities = styled
    message = Message(
        chat=chat,
        id=chat.next_message_id(),
        sender=server.world.bot,
        text=text,
        entities=entities,
        keyboard=keyboard,
        reply_to=reply_to,
        topic=topic,
        content=content or {},
    )
    end_drafts(server, chat.id)
    return chat.add(message).to_json()
