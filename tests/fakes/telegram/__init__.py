"""A Bot API server for tests, written from the public documentation (core.telegram.org/bots/api).

What it speaks, by the documentation's section names:

    Making requests              GET and POST; query string, form, JSON; the `ok` envelope, error
                                 texts and `parameters`; 401 for a wrong token, 404 for no method
    Getting updates              getUpdates: offset, limit, timeout (long polling), allowed_updates;
                                 409 for the earlier of two pollers, and while a webhook is set;
                                 setWebhook (HTTPS and its ports, secret token, one request at a
                                 time, repeated until it is taken), deleteWebhook, getWebhookInfo
    Available types              User, Chat (private, group, supergroup, forum, linked channel),
                                 Message with all that a person can send, MessageOrigin,
                                 MessageEntity, ReplyParameters, InlineKeyboardMarkup,
                                 CallbackQuery, MessageReactionUpdated, ChatMemberUpdated
    Available methods            getMe, sendMessage, sendMessageDraft, sendChatAction,
                                 answerCallbackQuery, setMessageReaction; sendPhoto, sendDocument,
                                 sendAudio, sendVoice, sendVideo, sendAnimation; sendMediaGroup,
                                 of files that come with it; getFile and the file's address;
                                 setMyCommands, getMyCommands, deleteMyCommands, by scope and
                                 language
    Using a Local Bot API Server files of any size by their path, webhooks over plain HTTP
    Updating messages            editMessageText, editMessageCaption, editMessageReplyMarkup,
                                 deleteMessage
    Limits ("My bot is hitting   per chat, per group and minute, over all, each as a setting;
    limits", the FAQ)            429 with `retry_after`, and every refusal is counted

It is strict: 4096 UTF-16 units after entities parsing (1024 in a caption), empty texts, photos of
impossible measures, entities out of bounds or within a surrogate pair, unchanged edits, 64 bytes
of callback data, unknown chats, deleted reply targets, topics that are closed or don't exist, and
albums of what does not go together each get the real server's error text. What the real server
silently repairs or loses (crossing entities, style around code, over 100 entities, an album of one,
parameters with a wrong name) it takes too, but notes in `violations`. It does not speak: parse
modes, inline mode, payments, channels, privacy mode (the bot reads all). It adds no entities of its
own to a bot's text, but knows whom the real server would notify (`FakeTelegram.notified`).

`world.py` holds chats and messages, `people.py` is what persons do, `media.py` what they send
beside text, `files.py` keeps the files, `texts.py` checks texts. `methods.py`, `uploads.py`,
`albums.py`, `drafts.py`, `menus.py` and `reactions.py` answer calls, by what `arguments.py` says of
their arguments and `parameters.py` of their names; `posting.py` puts the bot's messages into chats.
`updates.py` is the queue, `webhook.py` sends from it, `faults.py` fails on demand, `flood.py`
limits, `server.py` puts it together, `control.py` and `__main__.py` run it on its own.
"""

from tests.fakes.telegram import faults, media
from tests.fakes.telegram.flood import FloodLimits
from tests.fakes.telegram.server import FakeTelegram
from tests.fakes.telegram.world import Chat, Message, Person

__all__ = ["Chat", "FakeTelegram", "FloodLimits", "Message", "Person", "faults", "media"]
