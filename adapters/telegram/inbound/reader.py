"""The JSON of an update to events; what can't be read, or is only worth knowing, goes to the log.

The one part of this package that is not pure.
"""

from collections.abc import Sequence
from typing import Any

import structlog
from telegram import Bot, ChatMemberUpdated, Update
from telegram.constants import ChatMemberStatus, ChatType

from adapters.base import Event
from adapters.telegram.inbound.audience import Audience
from adapters.telegram.inbound.places import label
from adapters.telegram.inbound.updates import Acknowledge, DraftButton, to_events

RawUpdate = dict[str, Any]

_GONE = frozenset({ChatMemberStatus.LEFT, ChatMemberStatus.BANNED})

_log = structlog.get_logger(__name__)


class Reader:
    """Reads one update after the other."""

    def __init__(
        self, bot: Bot, audience: Audience, acknowledge: Acknowledge, draft_button: DraftButton
    ) -> None:
        self._bot = bot
        self._audience = audience
        self._acknowledge = acknowledge
        self._draft_button = draft_button

    def read(self, raw: RawUpdate) -> Sequence[Event]:
        """What happened. One that the client can't read is passed over: it would be as unreadable
        the next time."""
        try:
            update = Update.de_json(raw, self._bot)
            events = to_events(update, self._audience, self._acknowledge, self._draft_button)
        except Exception:  # noqa: BLE001 - the client promises no type for what it can't read
            _log.exception("an update could not be read", update_id=raw.get("update_id"))
            return ()
        if update.my_chat_member is not None:
            _note_membership(update.my_chat_member)
        return events


def _note_membership(change: ChatMemberUpdated) -> None:
    """Being added to a group is no permission: who may talk there is settled elsewhere."""
    chat, was, is_now = change.chat, change.old_chat_member.status, change.new_chat_member.status
    came = was in _GONE and is_now not in _GONE
    went = was not in _GONE and is_now in _GONE
    is_private = chat.type == ChatType.PRIVATE
    if came:
        event = "The bot was unblocked" if is_private else "The bot was added to a chat"
    elif went:
        event = "The bot was blocked" if is_private else "The bot was removed from a chat"
    else:
        event = "The bot's rights in a chat were changed"
    title = label(chat.title) if chat.title else None
    _log.info(event, chat=chat.id, title=title, by=change.from_user.id, status=str(is_now))
