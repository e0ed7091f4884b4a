"""What the bot's calls do: one function per method, named as in the documentation.

Each takes the server and the call's arguments, returns the `result`, or raises `ApiError` with the
real server's words.
"""

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from tests.fakes.telegram import texts, webhook
from tests.fakes.telegram.errors import ApiError, bad_request
from tests.fakes.telegram.world import GENERAL_TOPIC, Chat, Json, Message

if TYPE_CHECKING:
    from tests.fakes.telegram.server import FakeTelegram

_NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly "
    "the same as a current content and reply markup of the message"
)
_UPGRADED = "Bad Request: group chat was upgraded to a supergroup chat"
_QUERY_TOO_OLD = "query is too old and response timeout expired or query ID is invalid"
_ACTIONS = {"typing", "upload_photo", "record_voice", "upload_voice", "upload_document"}
_COMMAND = re.compile(r"[a-z0-9_]{1,32}")


async def get_me(server: "FakeTelegram", _arguments: Json) -> Any:
    """Who the bot is."""
    return server.world.bot.to_json() | {
        "can_join_groups": True,
        "can_read_all_group_messages": True,
        "supports_inline_queries": False,
    }


async def get_updates(server: "FakeTelegram", arguments: Json) -> Any:
    """Long polling."""
    return await server.updates.get(arguments)


async def set_webhook(server: "FakeTelegram", arguments: Json) -> Any:
    """From now on updates are sent to an address. An empty one ends that."""
    webhook.check(arguments, is_local=server.is_local)
    server.webhook.set(arguments)
    return True


async def delete_webhook(server: "FakeTelegram", arguments: Json) -> Any:
    """Back to polling; drops what is pending if asked."""
    server.webhook.set({"drop_pending_updates": arguments.get("drop_pending_updates", False)})
    return True


async def get_webhook_info(server: "FakeTelegram", _arguments: Json) -> Any:
    """Where updates go, and how many wait."""
    return server.webhook.describe()


async def get_file(server: "FakeTelegram", arguments: Json) -> Any:
    """Where a file can be fetched."""
    return server.files.describe(str(arguments.get("file_id", "")))


async def send_message(server: "FakeTelegram", arguments: Json) -> Any:
    """A new text message."""
    chat = _chat(server, arguments)
    text, entities = _text(server, arguments, too_long="message is too long")
    topic = _topic(chat, arguments)
    reply_to = _reply_target(chat, arguments)
    keyboard = _keyboard(arguments)
    server.flood.admit(chat.id)
    message = Message(
        chat=chat,
        id=chat.next_message_id(),
        sender=server.world.bot,
        text=text,
        entities=entities,
        keyboard=keyboard,
        reply_to=reply_to,
        topic=topic,
    )
    return chat.add(message).to_json()


async def edit_message_text(server: "FakeTelegram", arguments: Json) -> Any:
    """Another text, and other buttons, in an old message."""
    chat = _chat(server, arguments)
    message = _own_message(server, chat, arguments)
    text, entities = _text(server, arguments, too_long="MESSAGE_TOO_LONG")
    keyboard = _keyboard(arguments)
    if (text, entities, keyboard) == (message.text, message.entities, message.keyboard):
        raise bad_request(_NOT_MODIFIED)
    server.flood.admit(chat.id)
    message.text, message.entities, message.keyboard = text, entities, keyboard
    message.versions.append(text)
    return message.to_json()


async def edit_message_reply_markup(server: "FakeTelegram", arguments: Json) -> Any:
    """Other buttons under an old message."""
    chat = _chat(server, arguments)
    message = _own_message(server, chat, arguments)
    keyboard = _keyboard(arguments)
    if keyboard == message.keyboard:
        raise bad_request(_NOT_MODIFIED)
    message.keyboard = keyboard
    return message.to_json()


async def delete_message(server: "FakeTelegram", arguments: Json) -> Any:
    """Take a message away."""
    message = _chat(server, arguments).find(int(arguments.get("message_id", 0)))
    if message is None:
        raise bad_request("message to delete not found")
    message.is_deleted = True
    return True


async def send_chat_action(server: "FakeTelegram", arguments: Json) -> Any:
    """Typing, and the like."""
    chat = _chat(server, arguments)
    _topic(chat, arguments)
    if arguments.get("action") not in _ACTIONS:
        raise bad_request("wrong parameter action in request")
    server.world.actions.append((chat.id, arguments["action"]))
    return True


async def answer_callback_query(server: "FakeTelegram", arguments: Json) -> Any:
    """End a button's spinner."""
    query = server.world.queries.get(str(arguments.get("callback_query_id")))
    if query is None or query.is_answered:
        raise bad_request(_QUERY_TOO_OLD)
    if len(arguments.get("text", "")) > 200:
        raise bad_request("MESSAGE_TOO_LONG")
    query.is_answered = True
    query.notice = arguments.get("text")
    return True


async def set_my_commands(server: "FakeTelegram", arguments: Json) -> Any:
    """The menu of commands."""
    commands = arguments.get("commands", [])
    if len(commands) > 100:
        raise bad_request("BOT_COMMANDS_TOO_MUCH")
    for command in commands:
        if not _COMMAND.fullmatch(command["command"].removeprefix("/")):
            raise bad_request("BOT_COMMAND_INVALID")
        if not 1 <= len(command["description"]) <= 256:
            raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
    server.world.commands = commands
    return True


async def get_my_commands(server: "FakeTelegram", _arguments: Json) -> Any:
    """The menu of commands as it was set."""
    return server.world.commands


def _chat(server: "FakeTelegram", arguments: Json) -> Chat:
    chat_id = arguments.get("chat_id")
    if chat_id in (None, ""):
        raise bad_request("chat_id is empty")
    chat = server.world.chats.get(int(chat_id))
    if chat is None:
        raise bad_request("chat not found")
    if chat.moved_to is not None:
        raise ApiError(400, _UPGRADED, migrate_to_chat_id=chat.moved_to)
    if chat.refusal is not None:
        raise ApiError(403, f"Forbidden: {chat.refusal}")
    return chat


def _own_message(server: "FakeTelegram", chat: Chat, arguments: Json) -> Message:
    message = chat.find(int(arguments.get("message_id", 0)))
    if message is None:
        raise bad_request("message to edit not found")
    if message.sender != server.world.bot:
        raise bad_request("message can't be edited")
    return message


def _text(server: "FakeTelegram", arguments: Json, too_long: str) -> tuple[str, list[Json]]:
    if arguments.get("parse_mode"):
        server.world.violations.append("parse_mode: this server takes entities only")
    entities = arguments.get("entities", [])
    server.world.violations += texts.violations(entities)
    return texts.accept(arguments.get("text", ""), entities, too_long)


def _topic(chat: Chat, arguments: Json) -> int | None:
    topic = arguments.get("message_thread_id")
    if topic is None:
        return None
    if int(topic) == GENERAL_TOPIC or int(topic) not in chat.topics:
        raise bad_request("message thread not found")
    return int(topic)


def _reply_target(chat: Chat, arguments: Json) -> Message | None:
    reply = arguments.get("reply_parameters")
    if not reply:
        return None
    message = chat.find(int(reply["message_id"]))
    if message is None and not reply.get("allow_sending_without_reply"):
        raise bad_request("message to be replied not found")
    return message


def _keyboard(arguments: Json) -> list[list[Json]]:
    rows: list[list[Json]] = (arguments.get("reply_markup") or {}).get("inline_keyboard", [])
    for row in rows:
        for button in row:
            if "callback_data" in button and not 1 <= len(button["callback_data"].encode()) <= 64:
                raise bad_request("BUTTON_DATA_INVALID")
    return [row for row in rows if row]


Method = Callable[["FakeTelegram", Json], Awaitable[Any]]

# By lower-case name: the server does not mind the case.
METHODS: dict[str, Method] = {
    method.__name__.replace("_", ""): method
    for method in (
        get_me,
        get_updates,
        set_webhook,
        delete_webhook,
        get_webhook_info,
        get_file,
        send_message,
        edit_message_text,
        edit_message_reply_markup,
        delete_message,
        send_chat_action,
        answer_callback_query,
        set_my_commands,
        get_my_commands,
    )
}
