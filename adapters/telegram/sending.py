"""Calls that put a part on the screen, change it or take it away.

Each raises the errors of adapters/base.py; nothing is tried twice here but a send whose reply
target is gone. Pauses, retries and the ledger are the gateway's business.
"""

from telegram import (
    Bot,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    LinkPreviewOptions,
    Message,
    MessageEntity,
    ReactionTypeEmoji,
    ReplyParameters,
)
from telegram.constants import ChatAction, ReactionEmoji
from telegram.error import BadRequest

from adapters.base import Address, Ambiguous, Mark, Part, Rejected
from adapters.telegram.errors import (
    DELETED_ALREADY,
    QUERY_TOO_OLD,
    REPLY_GONE,
    UNMODIFIED,
    has_text,
    translated,
)
from adapters.telegram.rendering import entities_of

LONGEST_DATA_BYTES = 64  # Bot API, InlineKeyboardButton.callback_data
_LONGEST_NOTICE = 200  # Bot API, answerCallbackQuery.text
_MARKS = {  # from the list of Bot API, ReactionTypeEmoji: it has no ticks and crosses
    Mark.SEEN: ReactionEmoji.EYES,
    Mark.DONE: ReactionEmoji.THUMBS_UP,
    Mark.FAILED: ReactionEmoji.THUMBS_DOWN,
}
_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)  # an answer is not a page's advertisement


async def send(bot: Bot, address: Address, part: Part) -> str:
    """Show a new message; returns its id. A reply to a deleted message becomes a plain one."""
    reply_to = int(address.reply_to) if address.reply_to else None
    with translated(bot.token):
        try:
            return await _send(bot, address, part, reply_to)
        except BadRequest as error:
            if reply_to is None or not has_text(error, *REPLY_GONE):
                raise
        return await _send(bot, address, part, None)


async def _send(bot: Bot, address: Address, part: Part, reply_to: int | None) -> str:
    reply = None
    if reply_to is not None:
        reply = ReplyParameters(message_id=reply_to, allow_sending_without_reply=True)
    try:
        message = await bot.send_message(
            chat_id=int(address.chat_id),
            text=part.text,
            entities=_entities(part),
            message_thread_id=int(address.thread_id) if address.thread_id else None,
            reply_parameters=reply,
            reply_markup=_keyboard(part),
            link_preview_options=_NO_PREVIEW,
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        # The client reads the answer only after Telegram has taken the message.
        raise Ambiguous(f"Telegram's answer is not a message: {error!r}") from None
    if not isinstance(message, Message):
        raise Ambiguous("Telegram's answer is not a message")
    return str(message.message_id)


async def edit(bot: Bot, address: Address, message_id: str, part: Part) -> None:
    """Replace a message, its buttons included."""
    with translated(bot.token):
        try:
            await bot.edit_message_text(
                chat_id=int(address.chat_id),
                message_id=int(message_id),
                text=part.text,
                entities=_entities(part),
                reply_markup=_keyboard(part),
                link_preview_options=_NO_PREVIEW,
            )
        except BadRequest as error:
            if not has_text(error, UNMODIFIED):
                raise


async def delete(bot: Bot, address: Address, message_id: str) -> None:
    """Take a message away; one that is gone already is fine."""
    with translated(bot.token):
        try:
            await bot.delete_message(chat_id=int(address.chat_id), message_id=int(message_id))
        except BadRequest as error:
            if not has_text(error, DELETED_ALREADY):
                raise


async def typing(bot: Bot, address: Address) -> None:
    """Show "typing…" for five seconds, or until the next message."""
    with translated(bot.token):
        await bot.send_chat_action(
            chat_id=int(address.chat_id),
            action=ChatAction.TYPING,
            message_thread_id=int(address.thread_id) if address.thread_id else None,
        )


async def mark(bot: Bot, address: Address, message_id: str, mark: Mark | None) -> None:
    """React to a message with one of the emoji that every chat allows by default."""
    reaction = [] if mark is None else [ReactionTypeEmoji(_MARKS[mark])]
    with translated(bot.token):
        await bot.set_message_reaction(int(address.chat_id), int(message_id), reaction)


async def acknowledge(bot: Bot, query_id: str, notice: str | None) -> None:
    """End a button's spinner. Too late is no error: the spinner has ended by itself."""
    with translated(bot.token):
        try:
            await bot.answer_callback_query(query_id, notice and notice[:_LONGEST_NOTICE])
        except BadRequest as error:
            if not has_text(error, *QUERY_TOO_OLD):
                raise


def _entities(part: Part) -> list[MessageEntity]:
    return [
        MessageEntity(
            type=entity.type,
            offset=entity.offset,
            length=entity.length,
            url=entity.url,
            language=entity.language,
        )
        for entity in entities_of(part)
    ]


def _keyboard(part: Part) -> InlineKeyboardMarkup | None:
    for row in part.buttons:
        for button in row:
            size = len(button.data.encode())
            if not 1 <= size <= LONGEST_DATA_BYTES:
                raise Rejected(f"a button's data takes {size} bytes; 1 to 64 are allowed")
    if not part.buttons:
        return None
    return InlineKeyboardMarkup(
        [
            [InlineKeyboardButton(button.label, callback_data=button.data) for button in row]
            for row in part.buttons
        ]
    )
