"""Several files at once: which go together, and what can befall an album on its way."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
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
    RateLimited,
    Rejected,
    TargetGone,
    Unreachable,
)
from adapters.telegram.adapter import TelegramAdapter
from adapters.telegram.files import albums_of
from tests.adapters.telegram.sendable import MP3, MP4, OPUS, MakeFile, picture
from tests.adapters.telegram.serving import address_of, failure_of
from tests.fakes.telegram import FakeTelegram, Message, Person, faults

KINDS = {
    "photo": (MediaKind.IMAGE, picture()),
    "gif": (MediaKind.IMAGE, picture(form="GIF")),
    "strip": (MediaKind.IMAGE, picture(9_999, 2)),
    "video": (MediaKind.VIDEO, MP4),
    "audio": (MediaKind.AUDIO, MP3),
    "voice": (MediaKind.VOICE, OPUS),
    "text": (MediaKind.FILE, b"words"),
    "empty": (MediaKind.FILE, b""),
}

Album = Callable[..., Awaitable[Part]]


@pytest.fixture
def album(adapter: TelegramAdapter, make: MakeFile) -> Album:
    """The one part that shows files of these kinds, with what is said of them."""

    async def made(*kinds: str, captions: Sequence[str] = ()) -> Part:
        said = [*captions, *[""] * (len(kinds) - len(captions))]
        files = [
            replace(make(*KINDS[kind], f"{number}-{kind}"), caption=caption)
            for number, (kind, caption) in enumerate(zip(kinds, said, strict=True))
        ]
        (part,) = await asyncio.to_thread(adapter.render_files, files)
        return part

    return made


def kinds_of(messages: Sequence[Message]) -> list[str]:
    """What each message holds."""
    return [next(key for key in one.content if key != "media_group_id") for one in messages]


def ids_of(messages: Sequence[Message]) -> tuple[str, ...]:
    return tuple(str(message.id) for message in messages)


@pytest.mark.parametrize(
    ("kinds", "albums"),
    [
        ("photo photo video photo", [4]),
        ("photo text text photo", [1, 2, 1]),
        ("text strip text", [3]),  # what is no photo after all is a document
        ("audio audio text", [2, 1]),
        ("photo gif photo", [1, 1, 1]),
        ("voice voice", [1, 1]),
        ("text empty text", [1, 1, 1]),
        ("photo " * 12, [10, 2]),
        ("photo", [1]),
        ("", []),
    ],
)
async def test_neighbours_that_telegram_shows_together_are_one_album(
    make: MakeFile, kinds: str, albums: list[int]
) -> None:
    files = [make(*KINDS[kind], f"{n}-{kind}") for n, kind in enumerate(kinds.split())]
    found = await asyncio.to_thread(albums_of, files, None)
    assert [len(one) for one in found] == albums
    assert [file for one in found for file in one] == files


async def test_what_can_not_be_sent_takes_nothing_else_along(
    make: MakeFile, tmp_path: Path
) -> None:
    """The public server takes 50 MB, and no more than that in one request."""
    files = [make(MediaKind.FILE, bytes(20), f"{number}.bin") for number in range(5)]
    files.insert(2, OutgoingFile(tmp_path / "missing", MediaKind.FILE, "missing"))
    files.insert(4, make(MediaKind.FILE, bytes(51), "large.bin"))
    found = await asyncio.to_thread(albums_of, files, 50)
    assert [[file.name for file in one] for one in found] == [
        ["0.bin", "1.bin"],
        ["missing"],
        ["2.bin"],
        ["large.bin"],
        ["3.bin", "4.bin"],
    ]


async def test_an_album_is_shown_at_once_with_its_text_and_all_its_ids(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, make: MakeFile
) -> None:
    contents = [picture(grey=grey) for grey in (10, 20, 30)]
    names = ["cat.png", "dog.png", "fox.png"]
    files = [
        make(MediaKind.IMAGE, content, name) for content, name in zip(contents, names, strict=True)
    ]
    files[1] = replace(files[1], caption="a *dog*")
    (part,) = await asyncio.to_thread(adapter.render_files, files)
    message_ids = await adapter.send(address_of(ada), part)
    replies = fake.replies(ada)
    assert message_ids == ids_of(replies)
    assert len({message.content["media_group_id"] for message in replies}) == 1
    ids = [message.content["photo"][-1]["file_id"] for message in replies]
    assert [fake.files.find(id_).content for id_ in ids] == contents
    assert [message.text for message in replies] == ["a dog", "", ""]
    assert replies[0].styled("italic") == ["dog"]
    assert [call.method for call in fake.calls] == ["sendMediaGroup"]


async def test_several_texts_are_one_with_numbers(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, album: Album
) -> None:
    part = await album("photo", "video", "photo", captions=["Cats", "", "Foxes"])
    await adapter.send(address_of(ada), part)
    assert [message.text for message in fake.replies(ada)] == ["1. Cats\n3. Foxes", "", ""]
    assert kinds_of(fake.replies(ada)) == ["photo", "video", "photo"]


async def test_the_text_of_documents_stands_below_the_last(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, album: Album
) -> None:
    part = await album("text", "text", captions=["The plan"])
    await adapter.send(address_of(ada), part)
    assert [message.text for message in fake.replies(ada)] == ["", "The plan"]
    names = [message.content["document"]["file_name"] for message in fake.replies(ada)]
    assert names == ["0-text", "1-text"]


async def test_a_text_too_long_for_an_album_follows_it(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, make: MakeFile
) -> None:
    files = [
        replace(make(*KINDS["photo"], f"{number}.png"), caption=f"{number} " + "word " * 120)
        for number in range(2)
    ]
    shown, text = await asyncio.to_thread(adapter.render_files, files)
    assert (shown.text, len(shown.files)) == ("", 2)
    for part in (shown, text):
        await adapter.send(address_of(ada), part)
    assert fake.replies(ada)[-1].text.startswith("1. 0 word")
    assert "\n2. 1 word" in fake.replies(ada)[-1].text


async def test_an_album_carries_topic_and_reference(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, album: Album
) -> None:
    """Case 20."""
    forum = fake.people.group("Club", is_forum=True)
    topic = fake.people.topic(forum, "Chess")
    asked = fake.people.say(ada, "the board?", chat=forum, topic=topic)
    await adapter.send(
        address_of(forum, reply_to=asked.id, topic=topic), await album("photo", "photo")
    )
    found = [(message.topic, message.reply_to) for message in fake.replies(forum)]
    assert found == [(topic, asked)] * 2


async def test_an_album_for_a_deleted_message_is_shown_all_the_same(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, album: Album
) -> None:
    """Case 23b."""
    gone = faults.refused(400, "Bad Request: message to be replied not found")
    fake.fail("sendMediaGroup", gone)
    part = await album("photo", "photo")
    await adapter.send(address_of(ada, reply_to=77), part)
    assert len(fake.replies(ada)) == 2
    fake.fail("sendMediaGroup", gone, times=2)
    with pytest.raises(TargetGone):
        await adapter.send(address_of(ada, reply_to=77), part)


async def test_a_topic_that_is_gone_is_an_error_for_albums_too(
    fake: FakeTelegram, adapter: TelegramAdapter, album: Album
) -> None:
    """Case 39a."""
    forum = fake.people.group("Club", is_forum=True)
    with pytest.raises(ChatGone, match="thread not found"):
        await adapter.send(address_of(forum, topic=1), await album("photo", "photo"))
    assert all(not fake.messages(chat) for chat in fake.world.chats.values())


async def test_an_album_follows_its_group_and_can_be_taken_away(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, album: Album
) -> None:
    """Case 27."""
    group = fake.people.group("Kitchen", kind="group")
    address = address_of(group)
    moved = fake.people.migrate(group, ada)
    message_ids = await adapter.send(address, await album("photo", "photo"))
    assert message_ids == ids_of(fake.replies(moved))
    for message_id in message_ids:
        await adapter.delete(address, message_id)
    assert fake.replies(moved) == []


async def test_photos_that_telegram_refuses_after_all_go_as_documents_together(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, album: Album
) -> None:
    """Case 12b: the server tells which of them it was, and shows none."""
    words = 'Bad Request: failed to send message #2 with the error message "PHOTO_EXT_INVALID"'
    fake.fail("sendMediaGroup", faults.refused(400, words))
    part = await album("photo", "photo", "video", captions=["", "Cats"])
    message_ids = await adapter.send(address_of(ada), part)
    assert kinds_of(fake.replies(ada)) == ["document"] * 3
    assert message_ids == ids_of(fake.replies(ada))
    assert [message.text for message in fake.replies(ada)] == ["", "", "Cats"]
    names = [message.content["document"]["file_name"] for message in fake.replies(ada)]
    assert names == [file.name for file in part.files]


async def test_what_is_refused_as_documents_too_is_refused(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, album: Album
) -> None:
    words = 'Bad Request: failed to send message #1 with the error message "IMAGE_PROCESS_FAILED"'
    fake.fail("sendMediaGroup", faults.refused(400, words), times=2)
    with pytest.raises(Rejected, match="image_process_failed"):
        await adapter.send(address_of(ada), await album("photo", "photo"))
    assert [call.method for call in fake.calls] == ["sendMediaGroup"] * 2
    assert fake.replies(ada) == []


async def test_who_has_blocked_the_bot_gets_no_album(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, album: Album
) -> None:
    fake.world.chats[ada.id].refusal = "bot was blocked by the user"
    with pytest.raises(ChatGone):
        await adapter.send(address_of(ada), await album("photo", "photo"))


async def test_an_album_with_buttons_is_refused_before_it_is_sent(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, album: Album
) -> None:
    part = replace(await album("photo", "photo"), buttons=((Button("Go", "g"),),))
    with pytest.raises(Rejected, match="buttons"):
        await adapter.send(address_of(ada), part)
    assert fake.calls == []


async def test_a_file_that_is_gone_is_an_error_and_nothing_is_sent(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, album: Album
) -> None:
    part = await album("photo", "photo")
    part.files[1].path.unlink()
    with pytest.raises(Rejected, match="can't be read"):
        await adapter.send(address_of(ada), part)
    assert fake.calls == []


@pytest.mark.parametrize(
    ("fault", "kind", "is_shown"),
    [
        (faults.hangs_after(), Ambiguous, True),
        (faults.lost_answer(), Ambiguous, True),
        (faults.garbled(), Ambiguous, True),
        (faults.no_message(), Ambiguous, True),
        (faults.Fault("true", is_done=True, body=b'{"ok": true, "result": true}'), Ambiguous, True),
        (
            faults.Fault("[1]", is_done=True, body=b'{"ok": true, "result": [1, 2]}'),
            Ambiguous,
            True,
        ),
        (faults.gateway_timeout(), Ambiguous, False),
        (faults.bad_gateway(), Unreachable, False),
        (faults.server_error(), Unreachable, False),
        (faults.retry_after(7), RateLimited, False),
        (faults.refused(413, "Request Entity Too Large"), Rejected, False),
        (faults.refused(400, "Bad Request: group send failed"), Rejected, False),
    ],
    ids=lambda value: getattr(value, "name", None),
)
async def test_each_failure_of_an_album_has_its_kind(
    fake: FakeTelegram,
    ada: Person,
    album: Album,
    *,
    fault: faults.Fault,
    kind: type[AdapterError],
    is_shown: bool,
) -> None:
    """Case 15, for albums: what may have arrived is not sent twice."""
    part = await album("photo", "photo")
    error = await failure_of(fake, "sendMediaGroup", fault, address_of(ada), part)
    assert type(error) is kind
    assert len(fake.replies(ada)) == 2 * is_shown


async def test_an_answer_that_holds_one_message_of_two_is_no_answer(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, album: Album
) -> None:
    part = await album("photo", "photo")
    message_ids = await adapter.send(address_of(ada), part)
    one = [fake.replies(ada)[0].to_json()]
    body = json.dumps({"ok": True, "result": one}).encode()
    fake.fail("sendMediaGroup", faults.Fault("half", is_done=True, body=body))
    with pytest.raises(Ambiguous, match="not 2 message"):
        await adapter.send(address_of(ada), part)
    assert len(fake.replies(ada)) == 2 * len(message_ids)
