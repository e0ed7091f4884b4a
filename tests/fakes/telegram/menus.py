"""The menus of commands: one for each scope and language ("BotCommandScope", "setMyCommands")."""

import re
from typing import TYPE_CHECKING, Any

from tests.fakes.telegram.errors import bad_request
from tests.fakes.telegram.world import Json

if TYPE_CHECKING:
    from tests.fakes.telegram.server import FakeTelegram

_COMMAND = re.compile(r"[a-z0-9_]{1,32}")
_LANGUAGE = re.compile(r"([a-z]{2})?")
_SCOPES = {
    "default": (),
    "all_private_chats": (),
    "all_group_chats": (),
    "all_chat_administrators": (),
    "chat": ("chat_id",),
    "chat_administrators": ("chat_id",),
    "chat_member": ("chat_id", "user_id"),
}

Menus = dict[tuple[str, str], list[Json]]
"""By scope, such as `default` or `chat 17`, and language, which is empty for all others."""


async def set_my_commands(server: "FakeTelegram", arguments: Json) -> Any:
    """One menu."""
    commands = arguments.get("commands", [])
    if len(commands) > 100:
        raise bad_request("BOT_COMMANDS_TOO_MUCH")
    for command in commands:
        if not _COMMAND.fullmatch(command["command"].removeprefix("/")):
            raise bad_request("BOT_COMMAND_INVALID")
        if not 1 <= len(command["description"]) <= 256:
            raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
    server.world.menus[_key(server, arguments)] = commands
    return True


async def get_my_commands(server: "FakeTelegram", arguments: Json) -> Any:
    """A menu as it was set; empty if it never was."""
    return server.world.menus.get(_key(server, arguments), [])


async def delete_my_commands(server: "FakeTelegram", arguments: Json) -> Any:
    """Take a menu away, so that the next wider scope's is shown."""
    server.world.menus.pop(_key(server, arguments), None)
    return True


def _key(server: "FakeTelegram", arguments: Json) -> tuple[str, str]:
    scope = arguments.get("scope") or {"type": "default"}
    kind = scope.get("type")
    if kind not in _SCOPES:
        raise bad_request("can't parse BotCommandScope: Unsupported type specified")
    language = arguments.get("language_code") or ""
    if not _LANGUAGE.fullmatch(language):
        raise bad_request("invalid language code specified")
    if "chat_id" in _SCOPES[kind] and int(scope["chat_id"]) not in server.world.chats:
        raise bad_request("chat not found")
    return " ".join([kind, *(str(scope[name]) for name in _SCOPES[kind])]), language
