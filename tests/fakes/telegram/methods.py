"""What the bot's calls do: one function per method, named as in the documentation.

Each takes the server and the call's arguments, returns the `result`, or raises `ApiError` with the
real server's words.
"""

import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from tests.fakes.telegram import albums, drafts, menus, reactions, uploads, webhook
from tests.fakes.telegram.arguments import (
    NOT_MODIFIED,
    chat_of,
    keyboard_of,
    message_id_of,
    own_message,
    text_of,
    topic_of,
)
from tests.fakes.telegram.errors import bad_request
from tests.fakes.telegram.posting import post
from tests.fakes.telegram.world import Json

if TYPE_CHECKING:
    from tests.fakes.telegram.server import FakeTelegram

_DEADLINE_S = 15.0  # for answering a button; the documentation gives no number, clients give up
_QUERY_TOO_OLD = "query is too old and response timeout expired or query ID is invalid"
_ACTIONS = {"typing", "choose_sticker", "find_location"} | {
    f"{verb}_{what}"
    for verb, whats in (
        ("upload", ("photo", "video", "voice", "document", "video_note")),
        ("record", ("video", "voice", "video_note")),
    )
    for what in whats
}


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
    chat = chat_of(server, arguments)
    styled = text_of(server, arguments, too_long="message is too long")
    return post(server, chat, arguments, styled)


async def edit_message_text(server: "FakeTelegram", arguments: Json) -> Any:
    """Another text, and other buttons, in an old message."""
    chat = chat_of(server, arguments)
    message = own_message(server, chat, arguments)
    if message.is_caption:
        raise bad_request("there is no text in the message to edit")
    text, entities = text_of(server, arguments, too_long="MESSAGE_TOO_LONG")
    keyboard = keyboard_of(arguments)
    if (text, entities, keyboard) == (message.text, message.entities, message.keyboard):
        raise bad_request(NOT_MODIFIED)
    server.flood.admit(chat.id)
    message.text, message.entities, message.keyboard = text, entities, keyboard
    message.versions.append(text)
    return message.to_json()


async def edit_message_reply_markup(server: "FakeTelegram", arguments: Json) -> Any:
    """Other buttons under an old message."""
    chat = chat_of(server, arguments)
    message = own_message(server, chat, arguments)
    keyboard = keyboard_of(arguments)
    if keyboard == message.keyboard:
        raise bad_request(NOT_MODIFIED)
    message.keyboard = keyboard
    return message.to_json()


async def delete_message(server: "FakeTelegram", arguments: Json) -> Any:
    """Take a message away."""
    chat = chat_of(server, arguments)
    message = chat.find(message_id_of(arguments))
    if message is None:
        raise bad_request("message to delete not found")
    if message.sender != server.world.bot and chat.type != "private":  # it is no administrator
        raise bad_request("message can't be deleted")
    message.is_deleted = True
    return True


async def send_chat_action(server: "FakeTelegram", arguments: Json) -> Any:
    """Typing, and the like."""
    chat = chat_of(server, arguments)
    topic_of(chat, arguments)
    if arguments.get("action") not in _ACTIONS:
        raise bad_request("wrong parameter action in request")
    server.world.actions.append((chat.id, arguments["action"]))
    return True


async def answer_callback_query(server: "FakeTelegram", arguments: Json) -> Any:
    """End a button's spinner."""
    query = server.world.queries.get(str(arguments.get("callback_query_id")))
    if query is None or query.is_answered or time.monotonic() - query.pressed_at > _DEADLINE_S:
        raise bad_request(_QUERY_TOO_OLD)
    if len(arguments.get("text", "")) > 200:
        raise bad_request("MESSAGE_TOO_LONG")
    query.is_answered = True
    query.notice = arguments.get("text")
    return True


Method = Callable[["FakeTelegram", Json], Awaitable[Any]]

# By lower-case name: the server does not mind the case.
METHODS: dict[str, Method] = {
    "sendphoto": uploads.send_photo,
    "senddocument": uploads.send_document,
    "sendaudio": uploads.send_audio,
    "sendvoice": uploads.send_voice,
    "sendvideo": uploads.send_video,
    "sendanimation": uploads.send_animation,
} | {
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
        menus.set_my_commands,
        menus.get_my_commands,
        menus.delete_my_commands,
        drafts.send_message_draft,
        reactions.set_message_reaction,
        albums.send_media_group,
        uploads.edit_message_caption,
    )
}
