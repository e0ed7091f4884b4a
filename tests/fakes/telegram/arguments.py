"""What the arguments that many methods share mean: chat, topic, reply target, text, buttons.

Each function takes the server or a chat and the call's arguments, and raises `ApiError` with the
real server's words.
"""

from typing import TYPE_CHECKING

from tests.fakes.telegram import texts
from tests.fakes.telegram.errors import ApiError, bad_request
from tests.fakes.telegram.parameters import integer
from tests.fakes.telegram.world import GENERAL_TOPIC, Chat, Json, Message

if TYPE_CHECKING:
    from tests.fakes.telegram.server import FakeTelegram

NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly "
    "the same as a current content and reply markup of the message"
)
_BUTTON_STYLES = {"primary", "success", "danger"}
_UPGRADED = "Bad Request: group chat was upgraded to a supergroup chat"


def chat_of(server: "FakeTelegram", arguments: Json) -> Chat:
    """The chat that is written to."""
    chat_id = arguments.get("chat_id")
    if chat_id in (None, ""):
        raise bad_request("chat_id is empty")
    chat = server.world.chats.get(integer(arguments, "chat_id"))
    if chat is None:
        raise bad_request("chat not found")
    if chat.moved_to is not None:
        raise ApiError(400, _UPGRADED, migrate_to_chat_id=chat.moved_to)
    if chat.refusal is not None:
        raise ApiError(403, f"Forbidden: {chat.refusal}")
    return chat


def own_message(server: "FakeTelegram", chat: Chat, arguments: Json) -> Message:
    """A message of the bot that can be edited."""
    message = chat.find(message_id_of(arguments))
    if message is None:
        raise bad_request("message to edit not found")
    if message.sender != server.world.bot:
        raise bad_request("message can't be edited")
    return message


def message_id_of(arguments: Json) -> int:
    """The message that is changed or taken away."""
    if not (message_id := integer(arguments, "message_id")):
        raise bad_request("message identifier is not specified")
    return message_id


def text_of(server: "FakeTelegram", arguments: Json, too_long: str) -> tuple[str, list[Json]]:
    """The text of a message and its entities, as the server keeps them."""
    entities = _checked_entities(server, arguments, "entities")
    return texts.accept(str(arguments.get("text", "")), entities, too_long)


def caption_of(server: "FakeTelegram", arguments: Json) -> tuple[str, list[Json]]:
    """The caption of a file, or of an item of an album, and its entities; it may be empty."""
    entities = _checked_entities(server, arguments, "caption_entities")
    return texts.accept_caption(str(arguments.get("caption", "")), entities)


def topic_of(chat: Chat, arguments: Json) -> int | None:
    """The topic's thread id. General has none."""
    topic = integer(arguments, "message_thread_id") or None
    if topic is not None and (topic == GENERAL_TOPIC or topic not in chat.topics):
        raise bad_request("message thread not found")
    if (topic or GENERAL_TOPIC) in chat.closed_topics:
        raise bad_request("TOPIC_CLOSED")
    return topic


def reply_target(chat: Chat, arguments: Json) -> Message | None:
    """The message that is replied to."""
    reply = _object_of(arguments, "reply_parameters")
    if not reply:
        return None
    message = chat.find(message_id_of(reply))
    if message is None and not reply.get("allow_sending_without_reply"):
        raise bad_request("message to be replied not found")
    return message


def keyboard_of(arguments: Json) -> list[list[Json]]:
    """The buttons under a message."""
    rows: list[list[Json]] = _object_of(arguments, "reply_markup").get("inline_keyboard", [])
    for row in rows:
        for button in row:
            if not button.get("text"):
                raise bad_request('can\'t parse inline keyboard button: Field "text" is empty')
            if button.get("style", "primary") not in _BUTTON_STYLES:
                raise bad_request("can't parse inline keyboard button: invalid style specified")
            if "callback_data" in button and not 1 <= len(button["callback_data"].encode()) <= 64:
                raise bad_request("BUTTON_DATA_INVALID")
    return [row for row in rows if row]


def _object_of(arguments: Json, name: str) -> Json:
    value = arguments.get(name) or {}
    if not isinstance(value, dict):
        raise bad_request(f"object expected as {name.replace('_', ' ')}")
    return value


def _checked_entities(server: "FakeTelegram", arguments: Json, name: str) -> list[Json]:
    if arguments.get("parse_mode"):
        server.world.violations.append("parse_mode: this server takes entities only")
    entities: list[Json] = arguments.get(name, [])
    server.world.violations += texts.violations(entities)
    return entities
