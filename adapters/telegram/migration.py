"""Groups that have become supergroups: the same chat, under an id that the refusal names.

The gateway hears of it as well (`Moved`), but what was being written by then still has the old id
in its address. Following it is no fallback to another chat: Telegram itself says that it is this
one (Bot API, ResponseParameters.migrate_to_chat_id).
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from telegram.error import ChatMigrated

Arguments = dict[str, Any]
_T = TypeVar("_T")


async def following(call: Callable[[Arguments], Awaitable[_T]], arguments: Arguments) -> _T:
    """Make a call, and once more in the chat that its chat has become."""
    try:
        return await call(arguments)
    except ChatMigrated as error:
        moved = arguments | {"chat_id": error.new_chat_id}
    return await call(moved)
