"""Whose words something is: where a forwarded message comes from, what a reply quotes. Pure."""

from telegram import (
    Chat,
    ExternalReplyInfo,
    Message,
    MessageOrigin,
    MessageOriginChannel,
    MessageOriginChat,
    MessageOriginHiddenUser,
    MessageOriginUser,
)

from adapters.base import MediaKind
from adapters.telegram.inbound.attachments import attachment_of
from adapters.telegram.inbound.places import label
from adapters.telegram.inbound.rich import words_of
from adapters.telegram.inbound.wordless import in_words

_KINDS = {
    MediaKind.IMAGE: "A picture",
    MediaKind.VOICE: "A voice message",
    MediaKind.AUDIO: "A piece of music",
    MediaKind.VIDEO: "A film",
    MediaKind.FILE: "A file",
}


def origin_label(origin: MessageOrigin) -> str:
    """Who wrote it first: a person (who may hide their account), a group, a channel."""
    if isinstance(origin, MessageOriginUser):
        return label(origin.sender_user.full_name)
    if isinstance(origin, MessageOriginHiddenUser):
        return label(origin.sender_user_name)
    if isinstance(origin, MessageOriginChat):
        return _signed(origin.sender_chat, origin.author_signature)
    if isinstance(origin, MessageOriginChannel):
        return _signed(origin.chat, origin.author_signature)
    return "somebody"


def replied_to(message: Message) -> Message | None:
    """The message replied to. Everything in a topic "replies" to the topic's creation."""
    replied = message.reply_to_message
    return None if replied is None or replied.forum_topic_created is not None else replied


def quoted_text(message: Message) -> str | None:
    """What a reply refers to: the part that was chosen, else the whole; also from another chat."""
    if message.quote is not None:
        return message.quote.text
    if (replied := replied_to(message)) is not None:
        return _whole(replied, words_of(replied))
    if message.external_reply is not None:
        said = _whole(message.external_reply, None)
        return said and f"{said} of {origin_label(message.external_reply.origin)}"
    if message.reply_to_story is not None:
        return f"[A story of {label(message.reply_to_story.chat.effective_name or '')}]"
    return None


def _whole(message: Message | ExternalReplyInfo, text: str | None) -> str | None:
    attachment = attachment_of(message)
    if attachment is None:
        return text or in_words(message)
    name = f": {label(attachment.name)}" if attachment.name else ""
    return " ".join(filter(None, (f"[{_KINDS[attachment.kind]}{name}]", text)))


def _signed(chat: Chat, signature: str | None) -> str:
    title = label(chat.effective_name or "")
    return f"{title} ({label(signature)})" if signature else title
