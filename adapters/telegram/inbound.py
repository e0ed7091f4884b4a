"""What an update means: a message or the press of a button, or nothing of ours. Pure.

Taken: new messages with text or a caption, in private chats, groups and supergroups. Not taken:
edits, channel posts, service messages, and media without a caption. Who may talk, and whether an
unaddressed message in a group is answered, is the gateway's business.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from telegram import CallbackQuery, Message, MessageEntity, Update
from telegram.constants import ChatType, MessageEntityType

from adapters.base import Address, ButtonPress, ChatKind, Event, Inbound, Sender

PLATFORM = "telegram"

_KINDS: dict[str, ChatKind] = {
    ChatType.PRIVATE: ChatKind.DIRECT,
    ChatType.GROUP: ChatKind.GROUP,
    ChatType.SUPERGROUP: ChatKind.GROUP,
}

Acknowledge = Callable[[str, str | None], Awaitable[None]]
"""Given a callback query's id and the notice to show."""


@dataclass(frozen=True, slots=True)
class Me:
    """The bot itself, as `getMe` tells."""

    id: int
    username: str


def to_event(update: Update, me: Me, acknowledge: Acknowledge) -> Event | None:
    """The event in this update, or None if there is none for us."""
    event_id = str(update.update_id)
    if update.message is not None:
        return _message(event_id, update.message, me)
    if update.callback_query is not None:
        return _button_press(event_id, update.callback_query, acknowledge)
    return None


def _message(event_id: str, message: Message, me: Me) -> Inbound | None:
    kind = _KINDS.get(message.chat.type)
    sender = _sender(message)
    text = message.text or message.caption
    if kind is None or sender is None or not text:
        return None
    entities = message.entities if message.text else message.caption_entities
    found = [_Found.of(entity, text) for entity in entities]
    replied = _replied_to(message)
    return Inbound(
        event_id=event_id,
        address=Address(
            platform=PLATFORM,
            chat_id=str(message.chat.id),
            kind=kind,
            thread_id=_thread(message),
            # With one person it is plain what is being answered.
            reply_to=str(message.message_id) if kind is ChatKind.GROUP else None,
        ),
        sender=sender,
        text=_without_me(text, found, me),
        is_addressed=(
            kind is ChatKind.DIRECT
            or _mentions(found, me)
            or _is_our_command(found, me)
            or (replied is not None and _is_from(replied, me))
        ),
        chat_title=message.chat.title,
        quoted_text=_quoted(message, replied),
    )


def _button_press(
    event_id: str, query: CallbackQuery, acknowledge: Acknowledge
) -> ButtonPress | None:
    message = query.message
    kind = _KINDS.get(message.chat.type) if message else None
    if message is None or kind is None or query.data is None:
        return None

    async def acknowledge_this(notice: str | None) -> None:
        await acknowledge(query.id, notice)

    return ButtonPress(
        event_id=event_id,
        address=Address(
            platform=PLATFORM,
            chat_id=str(message.chat.id),
            kind=kind,
            thread_id=_thread(message) if isinstance(message, Message) else None,
        ),
        sender=Sender(
            str(query.from_user.id), query.from_user.full_name, is_bot=query.from_user.is_bot
        ),
        data=query.data,
        message_id=str(message.message_id),
        acknowledge=acknowledge_this,
    )


def _sender(message: Message) -> Sender | None:
    """Who wrote. Anonymous admins and channels write as a chat; Telegram then puts a
    stand-in bot into `from` (Bot API, Message.sender_chat)."""
    if message.sender_chat is not None:
        chat = message.sender_chat
        return Sender(str(chat.id), chat.title or chat.effective_name or "")
    user = message.from_user
    return Sender(str(user.id), user.full_name, is_bot=user.is_bot) if user else None


def _thread(message: Message) -> str | None:
    """The forum topic. Replies in ordinary supergroups carry a thread id too, and General none."""
    if message.is_topic_message and message.message_thread_id is not None:
        return str(message.message_thread_id)
    return None


def _replied_to(message: Message) -> Message | None:
    """The message replied to. Everything in a topic "replies" to the topic's creation."""
    replied = message.reply_to_message
    return None if replied is None or replied.forum_topic_created is not None else replied


def _is_from(message: Message, me: Me) -> bool:
    return message.from_user is not None and message.from_user.id == me.id


def _quoted(message: Message, replied: Message | None) -> str | None:
    if message.quote is not None:
        return message.quote.text
    return (replied.text or replied.caption) if replied else None


@dataclass(frozen=True, slots=True)
class _Found:
    """An entity with its place in code points; Telegram counts in UTF-16 units."""

    type: str
    start: int
    end: int
    text: str
    user_id: int | None

    @classmethod
    def of(cls, entity: MessageEntity, text: str) -> "_Found":
        units = text.encode("utf-16-le", "surrogatepass")
        start = _code_points(units[: 2 * entity.offset])
        end = start + _code_points(units[2 * entity.offset : 2 * (entity.offset + entity.length)])
        user_id = entity.user.id if entity.user else None
        return cls(entity.type, start, end, text[start:end], user_id)


def _code_points(units: bytes) -> int:
    return len(units.decode("utf-16-le", "surrogatepass"))


def _is_me(found: _Found, me: Me) -> bool:
    if found.type == MessageEntityType.MENTION:
        return found.text.lower() == f"@{me.username}".lower()
    return found.type == MessageEntityType.TEXT_MENTION and found.user_id == me.id


def _mentions(found: Sequence[_Found], me: Me) -> bool:
    return any(_is_me(one, me) for one in found)


def _command(found: Sequence[_Found]) -> _Found | None:
    """The command that the message begins with."""
    commands = (one for one in found if one.type == MessageEntityType.BOT_COMMAND)
    return next((one for one in commands if one.start == 0), None)


def _is_our_command(found: Sequence[_Found], me: Me) -> bool:
    command = _command(found)
    if command is None:
        return False
    _, at, bot = command.text.partition("@")
    return not at or bot.lower() == me.username.lower()


def _without_me(text: str, found: Sequence[_Found], me: Me) -> str:
    """The text as if it had been said to the bot's face; unchanged if nothing else was said."""
    command = _command(found)
    mentions = [one for one in found if _is_me(one, me)]
    stripped = text
    for mention in sorted(mentions, key=lambda one: one.start, reverse=True):
        before, after = stripped[: mention.start], stripped[mention.end :]
        stripped = after.lstrip(" \t\n,:") if not before.strip() else before.rstrip(" ") + after
    if command is not None and _is_our_command(found, me):
        name, _, _ = command.text.partition("@")
        stripped = name + stripped[command.end :]
    return stripped.strip() or text
