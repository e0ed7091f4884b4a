"""A message, new or as it was edited, as the gateway's `Inbound`. Pure.

No event are service messages, and the posts of a linked channel, which Telegram forwards to its
group by itself.
"""

from dataclasses import replace

from telegram import Message

from adapters.base import ChatKind, Inbound
from adapters.telegram.inbound.attachments import attachment_of
from adapters.telegram.inbound.audience import Audience, Said, is_addressed
from adapters.telegram.inbound.entities import Found, Me, without_me
from adapters.telegram.inbound.markup import marked_up
from adapters.telegram.inbound.origins import origin_label, quoted_text, replied_to
from adapters.telegram.inbound.places import address_of, is_known, label, sender_of, thread_of
from adapters.telegram.inbound.rich import rich_of, words_of
from adapters.telegram.inbound.wordless import in_words

# Clients cut a text of more than 4096 UTF-16 units. Where is up to them: Telegram Desktop looks
# for a good place in the second half of each piece (TextUtilities::CutPart), so this is the
# shortest that can have a continuation.
_MAY_BE_CUT_UTF16 = 2048


def to_inbound(event_id: str, message: Message, audience: Audience) -> Inbound | None:
    """What somebody said or sent, or None if nobody did."""
    sender = sender_of(message.from_user, message.sender_chat)
    if sender is None or not is_known(message.chat) or message.is_automatic_forward:
        return None
    words = words_of(message)
    attachment, instead = attachment_of(message), in_words(message)
    if not words and attachment is None and instead is None:
        return None
    found = _found_in(message, words)
    replied = replied_to(message)
    said = Said(
        address=address_of(message.chat, thread_of(message), message.message_id),
        text=words,
        found=found,
        is_reply_to_me=replied is not None and _is_from(replied, audience.me),
        is_forwarded=message.forward_origin is not None,
    )
    is_for_us = is_addressed(said, audience)
    if attachment is None and is_for_us and said.address.kind is ChatKind.GROUP and replied:
        # "What is this?" under somebody else's picture. What was sent to us we have had already.
        theirs = None if _is_from(replied, audience.me) else attachment_of(replied)
        attachment = theirs and replace(theirs, is_quoted=True)
    readable, found = marked_up(words, found)
    own_words = without_me(readable, found, audience.me) or ("" if attachment else words)
    return Inbound(
        event_id=event_id,
        address=said.address,
        sender=sender,
        text="\n".join(filter(None, (own_words, instead))),
        is_addressed=is_for_us,
        chat_title=label(message.chat.title) if message.chat.title else None,
        quoted_text=quoted_text(message),
        message_id=str(message.message_id),
        attachments=(attachment,) if attachment else (),
        forwarded_from=origin_label(message.forward_origin) if message.forward_origin else None,
        album_id=message.media_group_id,
        may_go_on=_utf16_length(message.text or "") >= _MAY_BE_CUT_UTF16,
    )


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _found_in(message: Message, words: str) -> list[Found]:
    if (rich := rich_of(message)) is not None:
        return list(rich.found)
    entities = message.entities if message.text else message.caption_entities
    return [Found.of(entity, words) for entity in entities]


def _is_from(message: Message, me: Me) -> bool:
    return message.from_user is not None and message.from_user.id == me.id
