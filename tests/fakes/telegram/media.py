"""What a message can be beside text, as the fields that it adds to a `Message`.

Nothing is sent here; `People.send` does that.

Each function that makes a file puts it into the server's `Files` first.
"""

from typing import Literal

from tests.fakes.telegram.files import Files
from tests.fakes.telegram.world import Chat, Json, Person

_JPEG = b"\xff\xd8\xff\xe0 not really a picture \xff\xd9"
_OGG = b"OggS not really a voice"
_MP4 = b"\x00\x00\x00\x18ftypmp42 not really a film"
_WEBP = b"RIFF\x00\x00\x00\x00WEBP not really a sticker"


def photo(files: Files, content: bytes = _JPEG, *, size: int | None = None) -> Json:
    """A picture: a small size, and then the largest."""
    small = files.put(content[:8], "thumbnails", ".jpg")
    large = files.put(content, "photos", ".jpg", size)
    return {
        "photo": [
            small.to_json() | {"width": 90, "height": 67},
            large.to_json() | {"width": 1280, "height": 960},
        ]
    }


def document(
    files: Files,
    content: bytes,
    *,
    name: str | None = "notes.txt",
    media_type: str | None = "text/plain",
    size: int | None = None,
) -> Json:
    """A file of any kind."""
    file = files.put(content, "documents", "", size).to_json()
    return {"document": file | _given(file_name=name, mime_type=media_type)}


def voice(files: Files, content: bytes = _OGG, *, duration: int = 3) -> Json:
    """Speech, recorded in the chat."""
    file = files.put(content, "voice", ".oga").to_json()
    return {"voice": file | {"duration": duration, "mime_type": "audio/ogg"}}


def audio(files: Files, content: bytes = b"ID3", *, title: str = "Blue", by: str = "Joni") -> Json:
    """A piece of music."""
    file = files.put(content, "music", ".mp3").to_json()
    described = {"duration": 180, "mime_type": "audio/mpeg", "file_name": "blue.mp3"}
    return {"audio": file | described | {"title": title, "performer": by}}


def video(files: Files, content: bytes = _MP4, *, name: str | None = "cat.mp4") -> Json:
    """A film."""
    file = files.put(content, "videos", ".mp4").to_json()
    described = {"duration": 12, "width": 640, "height": 360, "mime_type": "video/mp4"}
    return {"video": file | described | _given(file_name=name)}


def video_note(files: Files, content: bytes = _MP4) -> Json:
    """A round film."""
    file = files.put(content, "video_notes", ".mp4").to_json()
    return {"video_note": file | {"length": 240, "duration": 7}}


def animation(files: Files, content: bytes = _MP4) -> Json:
    """A film without sound; the server calls it a document as well, for old bots."""
    file = files.put(content, "animations", ".mp4").to_json()
    named = {"file_name": "wave.gif.mp4", "mime_type": "video/mp4"}
    shape = {"width": 320, "height": 240, "duration": 2}
    return {"animation": file | named | shape, "document": file | named}


def sticker(files: Files, *, emoji: str | None = "😺", of: str | None = "Cats") -> Json:
    """A sticker of a set."""
    file = files.put(_WEBP, "stickers", ".webp").to_json()
    shape = {"type": "regular", "width": 512, "height": 512}
    flags = {"is_animated": False, "is_video": False}
    return {"sticker": file | shape | flags | _given(emoji=emoji, set_name=of)}


def location(latitude: float, longitude: float, *, live_s: int | None = None) -> Json:
    """A place; with `live_s` one that moves for so long."""
    place = {"latitude": latitude, "longitude": longitude}
    return {"location": place | _given(live_period=live_s)}


def venue(latitude: float, longitude: float, *, title: str, address: str) -> Json:
    """A place with a name; the server calls it a location as well."""
    place = location(latitude, longitude)
    return place | {"venue": {**place, "title": title, "address": address}}


def contact(phone: str, first_name: str, last_name: str | None = None) -> Json:
    """Somebody's telephone number."""
    named = {"phone_number": phone, "first_name": first_name}
    return {"contact": named | _given(last_name=last_name)}


def poll(question: str, options: list[str], *, is_quiz: bool = False) -> Json:
    """A poll that nobody has voted in."""
    return {
        "poll": {
            "id": "5200000000000000001",
            "question": question,
            "options": [
                {"persistent_id": str(number), "text": option, "voter_count": 0}
                for number, option in enumerate(options)
            ],
            "total_voter_count": 0,
            "is_closed": False,
            "is_anonymous": True,
            "type": "quiz" if is_quiz else "regular",
            "allows_multiple_answers": False,
            "allows_revoting": False,
            "members_only": False,
        }
    }


def dice(value: int, emoji: str = "🎲") -> Json:
    """A throw."""
    return {"dice": {"emoji": emoji, "value": value}}


def checklist(title: str, tasks: dict[str, Person | None]) -> Json:
    """Tasks, each with whoever has done it. Of an open one the time is 0 (ChecklistTask)."""
    return {
        "checklist": {
            "title": title,
            "tasks": [
                {"id": number, "text": text, "completion_date": 1_700_000_000 if done_by else 0}
                | _given(completed_by_user=done_by and done_by.to_json())
                for number, (text, done_by) in enumerate(tasks.items(), 1)
            ],
        }
    }


def game(files: Files, title: str, description: str) -> Json:
    """A game of another bot's; its picture is a part of it."""
    return {"game": {"title": title, "description": description, **photo(files)}}


def story(chat: Chat, number: int = 7) -> Json:
    """A forwarded story: bots learn whose it is, and no more."""
    return {"story": {"chat": chat.to_json(), "id": number}}


def forwarded(
    *,
    user: Person | None = None,
    hidden: str | None = None,
    chat: Chat | None = None,
    channel: Chat | None = None,
    signature: str | None = None,
) -> Json:
    """Where a forwarded message comes from: one of the four kinds of `MessageOrigin`."""
    kind: Literal["user", "hidden_user", "chat", "channel"]
    who: Json
    if user is not None:
        kind, who = "user", {"sender_user": user.to_json()}
    elif hidden is not None:
        kind, who = "hidden_user", {"sender_user_name": hidden}
    elif chat is not None:
        kind, who = "chat", {"sender_chat": chat.to_json()}
    else:
        assert channel is not None
        kind, who = "channel", {"chat": channel.to_json(), "message_id": 3}
    origin = {"type": kind, "date": 1_700_000_000} | who | _given(author_signature=signature)
    return {"forward_origin": origin}


def _given(**fields: object) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


def rich(*blocks: Json) -> Json:
    """A rich message of such blocks (`RichBlock`, since Bot API 10.1)."""
    return {"rich_message": {"blocks": list(blocks)}}
