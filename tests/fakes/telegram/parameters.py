"""Which parameters each method has ("Available methods"), and what those of simple types mean.

The real server passes over a parameter that it does not know, so a name that is spelled wrongly
does nothing, and nobody is told; here it is noted. A number that is none is 0, as there.
"""

from collections.abc import Iterator

from aiohttp.web import FileField

from tests.fakes.telegram.world import Json

_PLACE = "chat_id business_connection_id message_thread_id direct_messages_topic_id "
_SENT = _PLACE + (
    "disable_notification protect_content allow_paid_broadcast message_effect_id "
    "suggested_post_parameters reply_parameters reply_markup "
)
_CAPTION = "caption parse_mode caption_entities "
_SHOWN = "show_caption_above_media has_spoiler "
_EDITED = "business_connection_id chat_id message_id inline_message_id reply_markup "
_SHAPE = "duration width height thumbnail "

PARAMETERS = {
    method: frozenset(names.split())
    for method, names in {
        "getme": "",
        "getupdates": "offset limit timeout allowed_updates",
        "setwebhook": "url certificate ip_address max_connections allowed_updates "
        "drop_pending_updates secret_token",
        "deletewebhook": "drop_pending_updates",
        "getwebhookinfo": "",
        "getfile": "file_id",
        "sendmessage": _SENT + "text parse_mode entities link_preview_options",
        "sendphoto": _SENT + _CAPTION + _SHOWN + "photo",
        "senddocument": _SENT + _CAPTION + "document thumbnail disable_content_type_detection",
        "sendaudio": _SENT + _CAPTION + "audio duration performer title thumbnail",
        "sendvoice": _SENT + _CAPTION + "voice duration",
        "sendvideo": _SENT + _CAPTION + _SHOWN + _SHAPE + "video cover start_timestamp "
        "supports_streaming",
        "sendanimation": _SENT + _CAPTION + _SHOWN + _SHAPE + "animation",
        "sendmediagroup": _SENT.replace("reply_markup ", "") + "media",
        "sendmessagedraft": "chat_id message_thread_id draft_id text parse_mode entities "
        "can_stop keep_on_stop",  # the last two since Bot API 10.3
        "sendchataction": _PLACE + "action",
        "editmessagetext": _EDITED + "text parse_mode entities link_preview_options",
        "editmessagecaption": _EDITED + _CAPTION + "show_caption_above_media",
        "editmessagereplymarkup": _EDITED,
        "deletemessage": "chat_id message_id",
        "answercallbackquery": "callback_query_id text show_alert url cache_time",
        "setmessagereaction": "chat_id message_id reaction is_big",
        "setmycommands": "commands scope language_code",
        "getmycommands": "scope language_code",
        "deletemycommands": "scope language_code",
    }.items()
}


def unknown(method: str, arguments: Json) -> Iterator[str]:
    """What is passed over; files of a form may have any name."""
    known = PARAMETERS.get(method.lower())
    for name, value in arguments.items():
        if known is not None and name not in known and not isinstance(value, FileField):
            yield f"{method} has no parameter {name}"


def integer(arguments: Json, name: str, otherwise: int = 0) -> int:
    """A whole number, which may be written as a text."""
    value = arguments.get(name)
    if value in (None, ""):
        return otherwise
    try:
        return int(str(value))
    except ValueError:
        return 0
