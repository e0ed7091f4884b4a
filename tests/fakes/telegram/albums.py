"""Several files at once: `sendMediaGroup`, with the official server's checks in its order.

Texts and rules are those of the open Bot API server (get_input_media, on_message_send_failed) and
of TDLib: what Telegram refuses only when it looks at a file is told with the number of the message.
"""

import itertools
from typing import TYPE_CHECKING, Any

from tests.fakes.telegram.arguments import caption_of, chat_of
from tests.fakes.telegram.errors import ApiError, bad_request
from tests.fakes.telegram.posting import post_all
from tests.fakes.telegram.uploads import Upload, document, photo, played, uploaded
from tests.fakes.telegram.world import Chat, Json

if TYPE_CHECKING:
    from tests.fakes.telegram.server import FakeTelegram

MOST = 10
_DESCRIBED = {
    "photo": photo,
    "video": played("video"),
    "audio": played("audio"),
    "document": document,
}
_ALONE = ("audio", "document")  # only with their like
_BLOCKED = "bot was blocked by the user"
_numbers = itertools.count(13_000_000_000_000_001)


async def send_media_group(server: "FakeTelegram", arguments: Json) -> Any:
    """An album; all of it is shown, or nothing. Answers with a list of messages."""
    media = arguments.get("media")
    if media in (None, ""):
        raise bad_request('parameter "media" is required')
    if not isinstance(media, list):
        raise bad_request("expected an Array of InputMedia")
    items = [(_kind_of(item), item, _upload_of(server, arguments, item)) for item in media]
    captions = [caption_of(server, item) for _, item, _ in items]
    chat = _chat_of(server, arguments)
    _check(server, [kind for kind, _, _ in items])
    contents = [
        _content(number, kind, upload) for number, (kind, _, upload) in enumerate(items, start=1)
    ]
    shared = {"media_group_id": str(next(_numbers))} if len(items) > 1 else {}
    messages = [
        (caption, content | shared) for caption, content in zip(captions, contents, strict=True)
    ]
    # It has no such parameter; see parameters.py.
    without_buttons = {name: arguments[name] for name in arguments if name != "reply_markup"}
    return post_all(server, chat, without_buttons, messages)


def _kind_of(item: object) -> str:
    if not isinstance(item, dict):
        raise bad_request("can't parse InputMedia: expected an Object")
    kind = str(item.get("type", ""))
    if not kind:
        raise bad_request("can't parse InputMedia: Can't find field \"type\"")
    if kind == "animation":
        raise bad_request(
            f"can't parse InputMedia: type \"{kind}\" can't be used in sendMediaGroup"
        )
    if kind not in _DESCRIBED:
        raise bad_request(f'can\'t parse InputMedia: type "{kind}" is unsupported')
    return kind


def _upload_of(server: "FakeTelegram", arguments: Json, item: Json) -> Upload:
    """The field of the form that an item names; this server takes no addresses and no ids."""
    name = str(item.get("media", ""))
    field = arguments.get(name.removeprefix("attach://")) if "attach://" in name else None
    if field is None:
        raise bad_request("can't parse InputMedia: media not found")
    return uploaded(server, field, item["type"])


def _chat_of(server: "FakeTelegram", arguments: Json) -> Chat:
    try:
        return chat_of(server, arguments)
    except ApiError as error:
        # Known only when it is sent, and then no longer told as a 403.
        if _BLOCKED in error.description:
            raise _failed(1, "USER_IS_BLOCKED") from None
        raise


def _check(server: "FakeTelegram", kinds: list[str]) -> None:
    if not kinds:
        raise bad_request("there are no messages to send")
    if len(kinds) > MOST:
        raise bad_request("too many messages to send as an album")
    if len(kinds) == 1:
        server.world.violations.append("an album of one: 2 to 10 are documented")
    for kind in _ALONE:
        if kind in kinds and set(kinds) != {kind}:
            raise bad_request(f"{kind} can't be mixed with other media types")


def _content(number: int, kind: str, upload: Upload) -> Json:
    try:
        return _DESCRIBED[kind](upload)
    except ApiError as error:
        words = error.description.removeprefix("Bad Request: ")
        if not words.isupper():  # of the Bot API server itself, before anything is sent
            raise
        raise _failed(number, words) from None


def _failed(number: int, words: str) -> ApiError:
    return bad_request(f'failed to send message #{number} with the error message "{words}"')
