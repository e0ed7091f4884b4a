"""Files on their way to Telegram: in which form they go, and what happens to their texts."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.base import (
    AdapterError,
    Ambiguous,
    Button,
    ChatGone,
    MediaKind,
    OutgoingFile,
    Part,
    Rejected,
    Unreachable,
)
from adapters.telegram.adapter import TelegramAdapter
from adapters.telegram.files import Facts, Form, form_of
from tests.adapters.telegram.sendable import MP3, MP4, OPUS, STRANGE_DDS, MakeFile, picture
from tests.adapters.telegram.serving import adapter_for, address_of, failure_of
from tests.fakes.telegram import FakeTelegram, Person, faults


@pytest.mark.parametrize(
    ("kind", "facts", "form"),
    [
        (MediaKind.IMAGE, Facts(9_000, b"", "JPEG", 5_000, 5_000), Form.PHOTO),
        (MediaKind.IMAGE, Facts(9_000, b"", "JPEG", 5_001, 5_000), Form.DOCUMENT),
        (MediaKind.IMAGE, Facts(9_000, b"", "PNG", 2_000, 100), Form.PHOTO),
        (MediaKind.IMAGE, Facts(9_000, b"", "PNG", 2_001, 100), Form.DOCUMENT),
        (MediaKind.IMAGE, Facts(10_000_000, b"", "WEBP", 9, 9), Form.PHOTO),
        (MediaKind.IMAGE, Facts(10_000_001, b"", "WEBP", 9, 9), Form.DOCUMENT),
        (MediaKind.IMAGE, Facts(9_000, b"", "GIF", 9, 9), Form.ANIMATION),
        (MediaKind.IMAGE, Facts(9_000, b"", "TIFF", 9, 9), Form.DOCUMENT),
        (MediaKind.IMAGE, Facts(9_000, b"<svg"), Form.DOCUMENT),
        (MediaKind.FILE, Facts(9_000, b"", "PNG", 9, 9), Form.DOCUMENT),
        (MediaKind.VOICE, Facts(9, OPUS), Form.VOICE),
        (MediaKind.VOICE, Facts(9, b"OggS\x00vorbis"), Form.DOCUMENT),
        (MediaKind.VOICE, Facts(9, MP3), Form.AUDIO),
        (MediaKind.AUDIO, Facts(9, OPUS), Form.DOCUMENT),
        (MediaKind.AUDIO, Facts(9, b"\xff\xfb\x90"), Form.AUDIO),
        (MediaKind.AUDIO, Facts(9, MP4), Form.AUDIO),
        (MediaKind.AUDIO, Facts(9, b"RIFF"), Form.DOCUMENT),
        (MediaKind.AUDIO, Facts(1, b"\xff"), Form.DOCUMENT),
        (MediaKind.VIDEO, Facts(9, MP4), Form.VIDEO),
        (MediaKind.VIDEO, Facts(9, b"\x1aE\xdf\xa3webm"), Form.DOCUMENT),
    ],
)
def test_a_file_takes_the_best_form_that_telegram_allows_it(
    kind: MediaKind, facts: Facts, form: Form
) -> None:
    assert form_of(kind, facts) is form


@pytest.mark.parametrize(
    ("kind", "content", "name", "field"),
    [
        (MediaKind.IMAGE, picture(), "cat.png", "photo"),
        (MediaKind.IMAGE, picture(form="GIF"), "wave.gif", "animation"),
        (MediaKind.IMAGE, picture(9_999, 2), "strip.png", "document"),
        (MediaKind.IMAGE, b"no picture at all", "cat.png", "document"),
        (MediaKind.IMAGE, STRANGE_DDS, "cat.png", "document"),
        (MediaKind.VOICE, OPUS, "words.ogg", "voice"),
        (MediaKind.AUDIO, MP3, "song.mp3", "audio"),
        (MediaKind.VIDEO, MP4, "film.mp4", "video"),
        (MediaKind.FILE, b"a,b\n1,2\n", "table.csv", "document"),
    ],
)
async def test_each_kind_of_file_arrives_whole(
    fake: FakeTelegram,
    ada: Person,
    adapter: TelegramAdapter,
    make: MakeFile,
    *,
    kind: MediaKind,
    content: bytes,
    name: str,
    field: str,
) -> None:
    [caption] = adapter.render("*here* it is")
    await adapter.send(address_of(ada), replace(caption, files=(make(kind, content, name),)))
    [message] = fake.replies(ada)
    assert list(message.content) == [field]
    stored = message.content[field][-1] if field == "photo" else message.content[field]
    assert fake.files.find(stored["file_id"]).content == content
    assert field in {"photo", "voice"} or stored["file_name"] == name
    assert (message.text, message.styled("italic")) == ("here it is", ["here"])


async def test_a_large_file_is_read_in_pieces_and_not_on_the_event_loop(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, make: MakeFile
) -> None:
    """The fixture of all tests fails on a file that is read on the event loop."""
    content = os.urandom(3_000_000)
    await adapter.send(
        address_of(ada), Part("", files=(make(MediaKind.FILE, content, "noise.bin"),))
    )
    [message] = fake.replies(ada)
    assert fake.files.find(message.content["document"]["file_id"]).content == content


@pytest.mark.parametrize(("length", "messages"), [(1_024, 1), (1_025, 2), (4_096, 2), (5_000, 3)])
async def test_a_text_too_long_for_a_caption_follows_the_file(
    fake: FakeTelegram,
    ada: Person,
    adapter: TelegramAdapter,
    make: MakeFile,
    *,
    length: int,
    messages: int,
) -> None:
    """Case 12b: neither the photo nor the text is lost."""
    text = "😀" + "x" * (length - 2)
    file = replace(make(MediaKind.IMAGE, picture(), "cat.png"), caption=text)
    for part in await asyncio.to_thread(adapter.render_files, [file]):
        await adapter.send(address_of(ada), part)
    replies = fake.replies(ada)
    assert ["photo" in one.content for one in replies] == [True] + [False] * (messages - 1)
    assert "".join(one.text for one in replies) == text


async def test_a_photo_that_telegram_refuses_after_all_goes_as_a_document(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, make: MakeFile
) -> None:
    """Case 12b."""
    content = picture()
    fake.fail("sendPhoto", faults.refused(400, "Bad Request: PHOTO_INVALID_DIMENSIONS"))
    await adapter.send(
        address_of(ada), Part("", files=(make(MediaKind.IMAGE, content, "cat.png"),))
    )
    [message] = fake.replies(ada)
    assert fake.files.find(message.content["document"]["file_id"]).content == content


async def test_somebody_who_takes_no_voice_messages_gets_the_speech_as_a_file(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, make: MakeFile
) -> None:
    fake.world.chats[ada.id].refuses_voice = True
    await adapter.send(address_of(ada), Part("", files=(make(MediaKind.VOICE, OPUS, "words.ogg"),)))
    assert [list(one.content) for one in fake.replies(ada)] == [["document"]]


async def test_a_file_carries_topic_reference_and_buttons(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, make: MakeFile
) -> None:
    """Case 20."""
    forum = fake.people.group("Club", is_forum=True)
    topic = fake.people.topic(forum, "Chess")
    asked = fake.people.say(ada, "the board?", chat=forum, topic=topic)
    part = Part(
        "", files=(make(MediaKind.IMAGE, picture(), "board.png"),), buttons=((Button("Go", "g"),),)
    )
    await adapter.send(address_of(forum, reply_to=asked.id, topic=topic), part)
    [message] = fake.replies(forum)
    assert (message.topic, message.reply_to, message.labels) == (topic, asked, ["Go"])


async def test_a_file_for_a_deleted_message_is_shown_all_the_same(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, make: MakeFile
) -> None:
    """Case 23b."""
    fake.fail("sendPhoto", faults.refused(400, "Bad Request: message to be replied not found"))
    content = picture()
    part = Part("", files=(make(MediaKind.IMAGE, content, "cat.png"),))
    await adapter.send(address_of(ada, reply_to=77), part)
    [message] = fake.replies(ada)
    assert fake.files.find(message.content["photo"][0]["file_id"]).content == content


async def test_a_topic_that_is_gone_is_an_error_for_files_too(
    fake: FakeTelegram, adapter: TelegramAdapter, make: MakeFile
) -> None:
    """Case 39a."""
    forum = fake.people.group("Club", is_forum=True)
    part = Part("", files=(make(MediaKind.IMAGE, picture(), "cat.png"),))
    with pytest.raises(ChatGone, match="thread not found"):
        await adapter.send(address_of(forum, topic=1), part)
    assert all(not fake.messages(chat) for chat in fake.world.chats.values())


async def test_caption_and_buttons_of_a_file_can_be_changed(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, make: MakeFile
) -> None:
    file = make(MediaKind.IMAGE, picture(), "cat.png")
    before = Part("a cat", files=(file,), buttons=((Button("More", "m"),),))
    (message_id,) = await adapter.send(address_of(ada), before)
    after = Part("the same cat", files=(file,))
    for _ in range(2):  # the second time nothing changes
        await adapter.edit(address_of(ada), message_id, after)
    [message] = fake.replies(ada)
    assert (message.versions, message.labels) == (["a cat", "the same cat"], [])
    await adapter.edit(address_of(ada), message_id, replace(before, text="x" * 1_025))
    assert (message.text, message.labels) == ("the same cat", ["More"])


@pytest.mark.parametrize(
    ("fault", "kind", "is_shown"),
    [
        (faults.hangs_after(), Ambiguous, True),
        (faults.lost_answer(), Ambiguous, True),
        (faults.no_message(), Ambiguous, True),
        (faults.bad_gateway(), Unreachable, False),
        (faults.refused(413, "Request Entity Too Large"), Rejected, False),
    ],
    ids=lambda value: getattr(value, "name", None),
)
async def test_each_failure_of_an_upload_has_its_kind(
    fake: FakeTelegram,
    ada: Person,
    make: MakeFile,
    *,
    fault: faults.Fault,
    kind: type[AdapterError],
    is_shown: bool,
) -> None:
    """Case 15, for files: what may have arrived is not sent twice."""
    part = Part("", files=(make(MediaKind.FILE, b"x", "x.txt"),))
    error = await failure_of(fake, "sendDocument", fault, address_of(ada), part)
    assert type(error) is kind
    assert len(fake.replies(ada)) == is_shown


async def test_what_can_not_be_read_is_refused_in_words(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, make: MakeFile, tmp_path: Path
) -> None:
    empty = make(MediaKind.FILE, b"", "empty.txt")
    secret = make(MediaKind.FILE, b"key", "secret.txt")
    link = OutgoingFile(tmp_path / "link.txt", MediaKind.FILE, "link.txt")
    await asyncio.to_thread(link.path.symlink_to, secret.path)
    pipe = OutgoingFile(tmp_path / "pipe", MediaKind.FILE, "pipe")
    await asyncio.to_thread(os.mkfifo, pipe.path)
    missing = OutgoingFile(tmp_path / "missing.txt", MediaKind.FILE, "missing.txt")
    for file, reason in (
        (empty, "is empty"),
        (pipe, "is empty"),
        (link, "can't be read"),
        (missing, "can't be read: No such file"),
    ):
        with pytest.raises(Rejected, match=reason):
            await adapter.send(address_of(ada), Part("", files=(file,)))
    assert fake.calls == []


async def test_the_public_server_is_spared_files_that_it_refuses(
    ada: Person, make: MakeFile
) -> None:
    """50 MB; a server of one's own may take more, and is asked. Nothing is sent here."""
    adapter = adapter_for(None)
    file = make(MediaKind.FILE, b"", "film.bin")
    await asyncio.to_thread(os.truncate, file.path, 50_000_001)
    with pytest.raises(Rejected, match="larger than 50,000,000 bytes"):
        await adapter.send(address_of(ada), Part("", files=(file,)))
    await adapter.close()
