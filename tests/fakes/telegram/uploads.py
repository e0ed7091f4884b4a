"""Files that the bot sends: one method for each kind, with the limits of "Sending files".

What a file is, is seen by its first bytes, as the real server does: a photo that is none, or has
impossible measures, is refused. Also `editMessageCaption`.
"""

import io
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from aiohttp.web import FileField
from PIL import Image, UnidentifiedImageError

from tests.fakes.telegram.arguments import (
    NOT_MODIFIED,
    caption_of,
    chat_of,
    keyboard_of,
    own_message,
)
from tests.fakes.telegram.errors import ApiError, bad_request
from tests.fakes.telegram.files import StoredFile
from tests.fakes.telegram.posting import post
from tests.fakes.telegram.world import Json

if TYPE_CHECKING:
    from tests.fakes.telegram.server import FakeTelegram

LARGEST_UPLOAD_BYTES = 50 << 20
LARGEST_PHOTO_BYTES = 10 << 20
_LARGEST_SUM = 10_000  # of a photo's width and height, in pixels
_LARGEST_RATIO = 20
_PHOTO_FORMATS = {"JPEG", "PNG", "WEBP", "GIF", "BMP"}


async def edit_message_caption(server: "FakeTelegram", arguments: Json) -> Any:
    """Other words, and other buttons, under a file."""
    chat = chat_of(server, arguments)
    message = own_message(server, chat, arguments)
    if not message.is_caption:
        raise bad_request("there is no caption in the message to edit")
    text, entities = caption_of(server, arguments)
    keyboard = keyboard_of(arguments)
    if (text, entities, keyboard) == (message.text, message.entities, message.keyboard):
        raise bad_request(NOT_MODIFIED)
    server.flood.admit(chat.id)
    message.text, message.entities, message.keyboard = text, entities, keyboard
    message.versions.append(text)
    return message.to_json()


def _sending(name: str, describe: "Callable[[Upload], Json]") -> Callable[..., Awaitable[Any]]:
    """The method for one kind of file; `name` is also the field in the message."""

    async def send(server: "FakeTelegram", arguments: Json) -> Any:
        chat = chat_of(server, arguments)
        caption = caption_of(server, arguments)
        if name == "voice" and chat.refuses_voice:
            raise bad_request("VOICE_MESSAGES_FORBIDDEN")
        content = describe(uploaded(server, arguments.get(name), name))
        return post(server, chat, arguments, caption, content)

    return send


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it came."""

    file: StoredFile
    name: str
    media_type: str

    def to_json(self) -> Json:
        """What all kinds of files with a name have in common."""
        return self.file.to_json() | {"file_name": self.name, "mime_type": self.media_type}


def uploaded(server: "FakeTelegram", value: object, name: str) -> Upload:
    """The file of a multipart field, kept. Raises `ApiError`."""
    if not isinstance(value, FileField):
        raise bad_request(f"there is no {name} in the request")
    value.file.seek(0)  # an album may hold one file twice
    content = value.file.read()
    if len(content) > LARGEST_UPLOAD_BYTES:
        raise ApiError(413, "Request Entity Too Large")
    if not content:
        raise bad_request("file must be non-empty")
    suffix = PurePosixPath(value.filename).suffix
    file = server.files.put(content, f"{name}s", suffix)
    return Upload(file, value.filename, value.content_type)


def photo(upload: Upload) -> Json:
    """What a photo adds to a message. Raises `ApiError` for what Telegram can't show as one."""
    file = upload.file
    if file.size > LARGEST_PHOTO_BYTES:
        raise bad_request(
            f"file of size {file.size} bytes is too big for a photo; the maximum size is "
            f"{LARGEST_PHOTO_BYTES} bytes"
        )
    try:
        with Image.open(io.BytesIO(file.content)) as image:
            width, height, form = image.width, image.height, image.format
    except (UnidentifiedImageError, OSError):
        raise bad_request("IMAGE_PROCESS_FAILED") from None
    if form not in _PHOTO_FORMATS:
        raise bad_request("IMAGE_PROCESS_FAILED")
    if width + height > _LARGEST_SUM or max(width, height) > _LARGEST_RATIO * min(width, height):
        raise bad_request("PHOTO_INVALID_DIMENSIONS")
    return {"photo": [file.to_json() | {"width": width, "height": height}]}


def _voice(upload: Upload) -> Json:
    if not upload.file.content.startswith(b"OggS"):
        # The real server shows anything else as a document, whatever it was sent as.
        return {"document": upload.to_json()}
    return {"voice": upload.file.to_json() | {"duration": 1, "mime_type": "audio/ogg"}}


def document(upload: Upload) -> Json:
    """What a file of any kind adds to a message."""
    return {"document": upload.to_json()}


def played(kind: str) -> Callable[[Upload], Json]:
    """What a recording of some kind adds to a message."""
    shape = {"width": 320, "height": 240} if kind != "audio" else {}
    return lambda upload: {kind: upload.to_json() | {"duration": 1} | shape}


send_photo = _sending("photo", photo)
send_document = _sending("document", document)
send_audio = _sending("audio", played("audio"))
send_voice = _sending("voice", _voice)
send_video = _sending("video", played("video"))
send_animation = _sending("animation", played("animation"))
