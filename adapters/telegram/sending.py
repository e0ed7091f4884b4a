"""Calls that put a part on the screen, change it or take it away.

Each raises the errors of adapters/base/errors.py. Nothing is tried twice here but a send whose
reply target is gone, and files that are refused as photos or as speech. Pauses, retries and the
ledger are the gateway's business.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from functools import partial

from telegram import (
    Bot,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputMediaAudio,
    InputMediaDocument,
    InputMediaPhoto,
    InputMediaVideo,
    LinkPreviewOptions,
    Message,
    MessageEntity,
    ReactionTypeEmoji,
    ReplyParameters,
)
from telegram.constants import ChatAction, KeyboardButtonStyle, ReactionEmoji
from telegram.error import BadRequest

from adapters.base import Address, Ambiguous, Mark, Part, Rejected
from adapters.telegram.errors import (
    DELETED_ALREADY,
    FORM_REFUSED,
    QUERY_TOO_OLD,
    REPLY_GONE,
    UNMODIFIED,
    has_text,
    translated,
)
from adapters.telegram.files import LARGEST_FILE_BYTES, Form, Opened, opened
from adapters.telegram.migration import Arguments, following
from adapters.telegram.rendering import entities_of, fits_caption

LONGEST_DATA_BYTES = 64  # Bot API, InlineKeyboardButton.callback_data
_LONGEST_NOTICE = 200  # Bot API, answerCallbackQuery.text
_PUBLIC_SERVER = "https://api.telegram.org/"
_MARKS = {  # from the list of Bot API, ReactionTypeEmoji: it has no ticks and crosses
    Mark.SEEN: ReactionEmoji.EYES,
    Mark.DONE: ReactionEmoji.THUMBS_UP,
    Mark.FAILED: ReactionEmoji.THUMBS_DOWN,
}
# Green and red, in clients from February 2026 on; others show all buttons alike.
_STYLES = {"good": KeyboardButtonStyle.SUCCESS, "bad": KeyboardButtonStyle.DANGER}
_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)  # an answer is not a page's advertisement
_Media = InputMediaAudio | InputMediaDocument | InputMediaPhoto | InputMediaVideo
_MEDIA: dict[Form, Callable[..., _Media]] = {
    Form.PHOTO: InputMediaPhoto,
    Form.VIDEO: InputMediaVideo,
    Form.AUDIO: InputMediaAudio,
    Form.DOCUMENT: InputMediaDocument,
}
_Ids = tuple[str, ...]


async def send(bot: Bot, address: Address, part: Part) -> _Ids:
    """Show a new part; returns its ids. A reply to a deleted message becomes a plain one."""
    async with AsyncExitStack() as stack:
        largest, is_album = largest_file_bytes(bot), len(part.files) > 1
        files = [
            await stack.enter_async_context(opened(file, largest, is_in_album=is_album))
            for file in part.files
        ]
        with translated(bot.token):
            return await _replying(address, part, _call_for(bot, part, files))


def _call_for(
    bot: Bot, part: Part, files: Sequence[Opened]
) -> Callable[[Arguments], Awaitable[_Ids]]:
    match files:
        case []:
            return partial(_send_text, bot, part)
        case [file]:
            return partial(_send_file, bot, part, file)
        case _:
            return partial(_send_album, bot, part, files)


async def _replying(
    address: Address, part: Part, call: Callable[[Arguments], Awaitable[_Ids]]
) -> _Ids:
    arguments: Arguments = {
        "chat_id": int(address.chat_id),
        "message_thread_id": int(address.thread_id) if address.thread_id else None,
    }
    if (keyboard := _keyboard(part)) is not None:
        arguments["reply_markup"] = keyboard
    if address.reply_to is None:
        return await following(call, arguments)
    reply = ReplyParameters(int(address.reply_to), allow_sending_without_reply=True)
    try:
        return await following(call, arguments | {"reply_parameters": reply})
    except BadRequest as error:
        if not has_text(error, *REPLY_GONE):
            raise
    return await following(call, arguments)


async def _send_text(bot: Bot, part: Part, arguments: Arguments) -> _Ids:
    with _unreadable_is_ambiguous():
        return _ids_of(
            await bot.send_message(
                text=part.text,
                entities=entities_for(part),
                link_preview_options=_NO_PREVIEW,
                **arguments,
            )
        )


async def _send_file(bot: Bot, part: Part, file: Opened, arguments: Arguments) -> _Ids:
    try:
        return await _send_as(file.form, bot, part, file, arguments)
    except BadRequest as error:
        if file.form is Form.DOCUMENT or not has_text(error, *FORM_REFUSED):
            raise
    return await _send_as(Form.DOCUMENT, bot, part, file, arguments)


async def _send_as(form: Form, bot: Bot, part: Part, file: Opened, arguments: Arguments) -> _Ids:
    method: Callable[..., Awaitable[object]] = getattr(bot, f"send_{form}")
    with _unreadable_is_ambiguous():
        return _ids_of(
            await method(
                **{form.value: file.upload},
                caption=part.text or None,
                caption_entities=entities_for(part),
                **arguments,
            )
        )


async def _send_album(bot: Bot, part: Part, files: Sequence[Opened], arguments: Arguments) -> _Ids:
    """All of them, or none: Telegram takes an album as a whole."""
    if "reply_markup" in arguments:
        raise Rejected("an album has no buttons")
    forms = [file.form for file in files]
    try:
        return await _send_album_as(forms, bot, part, files, arguments)
    except BadRequest as error:
        if set(forms) == {Form.DOCUMENT} or not has_text(error, *FORM_REFUSED):
            raise
    return await _send_album_as([Form.DOCUMENT] * len(files), bot, part, files, arguments)


async def _send_album_as(
    forms: Sequence[Form],
    bot: Bot,
    part: Part,
    files: Sequence[Opened],
    arguments: Arguments,
) -> _Ids:
    if not set(forms) <= _MEDIA.keys():
        raise Rejected(f"{', '.join(forms)} are no album")
    media = [_MEDIA[form](file.upload) for form, file in zip(forms, files, strict=True)]
    # Clients show the text of a picture's album if one of it has one; in a list of documents each
    # has its own below it, so that of all comes last.
    place = 0 if {Form.PHOTO, Form.VIDEO} & set(forms) else -1
    media[place] = _MEDIA[forms[place]](
        files[place].upload, caption=part.text or None, caption_entities=entities_for(part)
    )
    with _unreadable_is_ambiguous():
        return _ids_of(*await bot.send_media_group(media=media, **arguments), count=len(files))


def largest_file_bytes(bot: Bot) -> int | None:
    """A server of one's own has other limits than the public one, and says so itself."""
    return LARGEST_FILE_BYTES if bot.base_url.startswith(_PUBLIC_SERVER) else None


@contextmanager
def _unreadable_is_ambiguous() -> Iterator[None]:
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        # The client reads the answer only after Telegram has taken the message.
        raise Ambiguous(f"Telegram's answer is not a message: {error!r}") from None


def _ids_of(*messages: object, count: int = 1) -> _Ids:
    ids = tuple(str(one.message_id) for one in messages if isinstance(one, Message))
    if not len(ids) == len(messages) == count:
        raise Ambiguous(f"Telegram's answer is not {count} message(s)")
    return ids


async def edit(bot: Bot, address: Address, message_id: str, part: Part) -> None:
    """Replace a message, its buttons included; of a file its caption, as long as it is one."""
    with translated(bot.token):
        try:
            change = _edit_caption if part.files else _edit_text
            await following(partial(change, bot, part), _message(address, message_id))
        except BadRequest as error:
            if not has_text(error, UNMODIFIED):
                raise


async def _edit_text(bot: Bot, part: Part, message: Arguments) -> None:
    await bot.edit_message_text(
        **message,
        text=part.text,
        entities=entities_for(part),
        reply_markup=_keyboard(part),
        link_preview_options=_NO_PREVIEW,
    )


async def _edit_caption(bot: Bot, part: Part, message: Arguments) -> None:
    keyboard = _keyboard(part)
    if not fits_caption(part):
        await bot.edit_message_reply_markup(**message, reply_markup=keyboard)
        return
    await bot.edit_message_caption(
        **message,
        caption=part.text or None,
        caption_entities=entities_for(part),
        reply_markup=keyboard,
    )


async def delete(bot: Bot, address: Address, message_id: str) -> None:
    """Take a message away; one that is gone already is fine."""
    with translated(bot.token):
        try:
            await following(
                lambda message: bot.delete_message(**message), _message(address, message_id)
            )
        except BadRequest as error:
            if not has_text(error, DELETED_ALREADY):
                raise


async def typing(bot: Bot, address: Address) -> None:
    """Show "typing…" for five seconds, or until the next message."""
    with translated(bot.token):
        await following(
            lambda place: bot.send_chat_action(action=ChatAction.TYPING, **place),
            {
                "chat_id": int(address.chat_id),
                "message_thread_id": int(address.thread_id) if address.thread_id else None,
            },
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


def entities_for(part: Part) -> list[MessageEntity]:
    """The client's form of a part's entities."""
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


def _message(address: Address, message_id: str) -> Arguments:
    return {"chat_id": int(address.chat_id), "message_id": int(message_id)}


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
            [
                InlineKeyboardButton(
                    button.label, callback_data=button.data, style=_STYLES.get(button.meaning)
                )
                for button in row
            ]
            for row in part.buttons
        ]
    )
