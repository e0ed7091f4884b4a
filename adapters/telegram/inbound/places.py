"""Where something happened, and who did it. Pure.

Taken are private chats, groups and supergroups; a linked channel's posts reach its group as
messages, and are left out there (messages.py).
"""

import re

from telegram import Chat, Message, User
from telegram.constants import ChatType

from adapters.base import Address, ChatKind, Sender

PLATFORM = "telegram"
GENERAL_TOPIC = "1"  # its id everywhere but in messages, which carry none there

_KINDS: dict[str, ChatKind] = {
    ChatType.PRIVATE: ChatKind.DIRECT,
    ChatType.GROUP: ChatKind.GROUP,
    ChatType.SUPERGROUP: ChatKind.GROUP,
}
_LONGEST_LABEL = 100
_UNSEEN = re.compile(r"[\s\x00-\x1f\x7f]+")


def address_of(chat: Chat, thread_id: str | None = None, reply_to: int | None = None) -> Address:
    """The address of a place in a chat of a known kind."""
    kind = _KINDS[chat.type]
    # With one person it is plain what is being answered.
    is_reply = reply_to is not None and kind is ChatKind.GROUP
    return Address(
        platform=PLATFORM,
        chat_id=str(chat.id),
        kind=kind,
        thread_id=thread_id,
        reply_to=str(reply_to) if is_reply else None,
    )


def is_known(chat: Chat) -> bool:
    """Whether it is of a kind that the gateway serves."""
    return chat.type in _KINDS


def thread_of(message: Message) -> str | None:
    """The forum topic. Replies in ordinary supergroups carry a thread id too, and General none."""
    if message.is_topic_message and message.message_thread_id is not None:
        return str(message.message_thread_id)
    return None


def sender_of(user: User | None, chat: Chat | None) -> Sender | None:
    """Who did something. Anonymous admins and channels write as a chat; Telegram then puts a
    stand-in bot into `from` (Bot API, Message.sender_chat)."""
    if chat is not None:
        return Sender(str(chat.id), label(chat.title or chat.effective_name or ""))
    return Sender(str(user.id), user.full_name, is_bot=user.is_bot) if user else None


def label(text: str) -> str:
    """A name that somebody gave themselves, as one short line."""
    line = _UNSEEN.sub(" ", text).strip()
    return line if len(line) <= _LONGEST_LABEL else f"{line[: _LONGEST_LABEL - 1]}…"
