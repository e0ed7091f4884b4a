"""Which events an update brings, by its kind. Pure.

Only what stands in the table is asked for: Telegram sends nothing else (Bot API, allowed_updates).
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from telegram import (
    CallbackQuery,
    Message,
    MessageReactionUpdated,
    ReactionType,
    ReactionTypeEmoji,
    Update,
)
from telegram.constants import UpdateType

from adapters.base import (
    Address,
    ButtonPress,
    ChatKind,
    Edited,
    Event,
    Moved,
    Reaction,
    Sender,
)
from adapters.telegram.inbound.audience import Audience
from adapters.telegram.inbound.messages import to_inbound
from adapters.telegram.inbound.places import (
    PLATFORM,
    address_of,
    is_known,
    sender_of,
    thread_of,
)

Acknowledge = Callable[[str, str | None], Awaitable[None]]
"""Given a callback query's id and the notice to show."""

DraftButton = Callable[[int], tuple[Address, str] | None]
"""Given a draft's id: where it is shown, and the data of the button that it stands for."""

# Bot API 10.3, MessageGenerationStopped; the client does not know it yet.
_STOPPED_DRAFT = "stopped_message_generation"

# my_chat_member brings no event: reader.py writes it into the log.
ALLOWED_UPDATES: tuple[str, ...] = (
    UpdateType.MESSAGE,
    UpdateType.EDITED_MESSAGE,
    UpdateType.CALLBACK_QUERY,
    UpdateType.MESSAGE_REACTION,  # never sent unless it is named here
    UpdateType.MY_CHAT_MEMBER,
    _STOPPED_DRAFT,
)


def to_events(
    update: Update, audience: Audience, acknowledge: Acknowledge, draft_button: DraftButton
) -> Sequence[Event]:
    """The events in this update, in their order; none if it is none of our business."""
    event_id = str(update.update_id)
    event: Event | None = None
    if update.message is not None:
        event = _moved(update.message) or to_inbound(event_id, update.message, audience)
    elif update.edited_message is not None:
        event = _edited(event_id, update.edited_message, audience)
    elif update.callback_query is not None:
        event = _button_press(event_id, update.callback_query, acknowledge)
    elif update.message_reaction is not None:
        return _reactions(event_id, update.message_reaction)
    elif (stopped := update.api_kwargs.get(_STOPPED_DRAFT)) is not None:
        event = _draft_stop(event_id, stopped, audience.me.id, draft_button)
    return () if event is None else (event,)


def _edited(event_id: str, message: Message, audience: Audience) -> Edited | None:
    if message.location is not None:
        return None  # a shared live location moves by edits, every few seconds
    inbound = to_inbound(event_id, message, audience)
    return None if inbound is None else Edited(inbound)


def _moved(message: Message) -> Moved | None:
    """Told twice, in the old chat and in the new; the id is the same, so it is taken once."""
    if message.migrate_to_chat_id is not None:
        old, new = message.chat.id, message.migrate_to_chat_id
    elif message.migrate_from_chat_id is not None:
        old, new = message.migrate_from_chat_id, message.chat.id
    else:
        return None
    address = Address(PLATFORM, str(old), ChatKind.GROUP)
    return Moved(event_id=f"moved:{old}:{new}", address=address, new_chat_id=str(new))


def _button_press(
    event_id: str, query: CallbackQuery, acknowledge: Acknowledge
) -> ButtonPress | None:
    message, sender = query.message, sender_of(query.from_user, None)
    if message is None or sender is None or query.data is None or not is_known(message.chat):
        return None

    async def acknowledge_this(notice: str | None) -> None:
        await acknowledge(query.id, notice)

    thread_id = thread_of(message) if isinstance(message, Message) else None
    return ButtonPress(
        event_id=event_id,
        address=address_of(message.chat, thread_id),
        sender=sender,
        data=query.data,
        message_id=str(message.message_id),
        is_on_message=isinstance(message, Message) and _has_button(message, query.data),
        acknowledge=acknowledge_this,
    )


def _has_button(message: Message, data: str) -> bool:
    """Whether it has a button that says this. Telegram does not check what a client says it is."""
    rows = message.reply_markup.inline_keyboard if message.reply_markup else ()
    return any(button.callback_data == data for row in rows for button in row)


def _draft_stop(
    event_id: str, stopped: dict[str, Any], my_id: int, draft_button: DraftButton
) -> ButtonPress | None:
    """A press of the button that Telegram has put under a draft. Nobody waits for an answer to it.

    Only the person to whom a draft is shown can press it. Servers have told the bot itself as the
    chat (github.com/tdlib/telegram-bot-api/issues/891).
    """
    found = draft_button(stopped["draft_id"])
    if found is None:
        return None
    address, data = found
    if stopped["chat"]["id"] not in {int(address.chat_id), my_id}:
        return None

    async def acknowledge(_notice: str | None) -> None:
        return

    return ButtonPress(event_id, address, Sender(address.chat_id, ""), data, acknowledge)


def _reactions(event_id: str, update: MessageReactionUpdated) -> Sequence[Reaction]:
    """What was taken away, then what was added. The update does not say in which topic it was.

    Custom emoji are left out: bots are told their numbers, not what they show.
    """
    sender = sender_of(update.user, update.actor_chat)
    if sender is None or not is_known(update.chat):
        return ()
    before, after = _emoji(update.old_reaction), _emoji(update.new_reaction)
    changes = [(emoji, False) for emoji in before if emoji not in after]
    changes += [(emoji, True) for emoji in after if emoji not in before]
    return [
        Reaction(
            event_id=event_id if number == 0 else f"{event_id}.{number}",
            address=address_of(update.chat),
            sender=sender,
            message_id=str(update.message_id),
            emoji=emoji,
            is_added=is_added,
        )
        for number, (emoji, is_added) in enumerate(changes)
    ]


def _emoji(reactions: Sequence[ReactionType]) -> list[str]:
    return [one.emoji for one in reactions if isinstance(one, ReactionTypeEmoji)]
