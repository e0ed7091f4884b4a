"""What people send beside text: files as attachments, everything else in words."""

import pytest

from adapters.base import Attachment, Inbound, MediaKind
from tests.adapters.telegram.serving import Serving
from tests.fakes.telegram import FakeTelegram, Person, media
from tests.fakes.telegram.files import Files
from tests.fakes.telegram.world import Chat, Json


def sent_file(fake: FakeTelegram, content: bytes) -> str:
    """The id of the file with these bytes."""
    return next(file.id for file in fake.files.all() if file.content == content)


async def test_of_a_photo_the_largest_size_is_taken(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    fake.people.send(ada, media.photo(fake.files, b"a large picture"), "what is this?")
    event = await serving.inbound()
    (attachment,) = event.attachments
    assert attachment == Attachment(
        MediaKind.IMAGE, sent_file(fake, b"a large picture"), media_type="image/jpeg", size_bytes=15
    )
    assert event.text == "what is this?"


async def test_a_photo_alone_is_a_message_without_words(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    fake.people.send(ada, media.photo(fake.files))
    event = await serving.inbound()
    assert (event.text, len(event.attachments)) == ("", 1)


async def test_the_photos_of_an_album_say_that_they_belong_together(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    """Case 33: whose album it is, so that the gateway makes one turn of it."""
    photos = [media.photo(fake.files, b"photo %d" % number) for number in range(4)]
    fake.people.album(ada, photos, "our holidays")
    events = [event for event in await serving.received(4) if isinstance(event, Inbound)]
    assert len({event.album_id for event in events}) == 1
    assert events[0].album_id is not None
    assert [event.text for event in events] == ["our holidays", "", "", ""]
    assert [event.message_id for event in events] == ["1", "2", "3", "4"]


FILES = [
    (
        media.document(Files(), b"text", name="a.txt"),
        Attachment(MediaKind.FILE, "", "a.txt", "text/plain", 4),
    ),
    (
        media.document(Files(), b"picture", name="a.png", media_type="image/png"),
        Attachment(MediaKind.IMAGE, "", "a.png", "image/png", 7),
    ),
    (
        media.document(Files(), b"?", name=None, media_type=None),
        Attachment(MediaKind.FILE, "", None, None, 1),
    ),
    (
        media.voice(Files(), b"hello", duration=3),
        Attachment(MediaKind.VOICE, "", None, "audio/ogg", 5, 3),
    ),
    (
        media.audio(Files(), b"song"),
        Attachment(MediaKind.AUDIO, "", "blue.mp3", "audio/mpeg", 4, 180),
    ),
    (
        media.video(Files(), b"film"),
        Attachment(MediaKind.VIDEO, "", "cat.mp4", "video/mp4", 4, 12),
    ),
    (
        media.video_note(Files(), b"round"),
        Attachment(MediaKind.VIDEO, "", None, "video/mp4", 5, 7),
    ),
    (
        media.animation(Files(), b"wave"),
        Attachment(MediaKind.VIDEO, "", "wave.gif.mp4", "video/mp4", 4, 2),
    ),
]


@pytest.mark.parametrize(
    ("content", "wanted"),
    FILES,
    ids=[next(iter(content)) + str(i) for i, (content, _) in enumerate(FILES)],
)
async def test_a_file_is_an_attachment_of_its_kind(
    fake: FakeTelegram, ada: Person, serving: Serving, content: Json, wanted: Attachment
) -> None:
    fake.people.send(ada, content)
    event = await serving.inbound()
    (found,) = event.attachments
    assert found.ref == next(iter(content.values()))["file_id"]
    assert (found.kind, found.name, found.media_type) == (
        wanted.kind,
        wanted.name,
        wanted.media_type,
    )
    assert (found.size_bytes, found.duration_s) == (wanted.size_bytes, wanted.duration_s)
    assert event.text == ""


async def test_music_without_a_file_name_is_called_by_its_title(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    song = media.audio(fake.files, title="Blue", by="Joni")
    del song["audio"]["file_name"]
    fake.people.send(ada, song)
    assert (await serving.inbound()).attachments[0].name == "Joni - Blue"


BOB = Person(2, "Bob")
STORIES = Chat(-1001, "channel", "Cat stories")
WORDS = [
    (media.sticker(Files()), "[Sticker 😺 from the set Cats]"),
    (media.sticker(Files(), emoji=None, of=None), "[Sticker]"),
    (media.location(52.520008, 13.404954), "[Location: 52.520008, 13.404954]"),
    (
        media.location(52.5, 13.4, live_s=900),
        "[Location, shared live for 15 minutes, now: 52.500000, 13.400000]",
    ),
    (
        media.location(52.5, 13.4, live_s=0x7FFFFFFF),
        "[Location, shared live, now: 52.500000, 13.400000]",
    ),
    (
        media.venue(52.5, 13.4, title="Café\nEins", address="Am Markt 1"),
        "[Place: Café Eins, Am Markt 1 (52.500000, 13.400000)]",
    ),
    (media.contact("+44 20 7946", "Ada", "Lovelace"), "[Contact: Ada Lovelace, +44 20 7946]"),
    (
        media.poll("Tea or coffee?", ["Tea", "Coffee"]),
        "[Poll: Tea or coffee? Options: Tea; Coffee]",
    ),
    (media.poll("2+2?", ["3", "4"], is_quiz=True), "[Quiz: 2+2? Options: 3; 4]"),
    (media.dice(4), "[🎲 shows 4]"),
    (media.dice(6, "🎯"), "[🎯 shows 6]"),
    (
        media.checklist("For the\nweekend", {"Buy milk": BOB, "Feed [the] cat": None}),
        "[Checklist For the weekend: done: Buy milk; open: Feed [the] cat]",
    ),
    (media.game(Files(), "Tetris", "Blocks that fall."), "[Game: Tetris]"),
    (media.story(STORIES), "[A story of Cat stories, which bots can't see]"),
]


@pytest.mark.parametrize(("content", "text"), WORDS, ids=[text for _, text in WORDS])
async def test_what_is_no_file_is_told_in_words(
    fake: FakeTelegram, ada: Person, serving: Serving, content: Json, text: str
) -> None:
    fake.people.send(ada, content)
    event = await serving.inbound()
    assert (event.text, event.attachments) == (text, ())


async def test_a_task_that_says_nothing_of_its_time_is_open(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    content = media.checklist("Today", {"Sleep": None})
    del content["checklist"]["tasks"][0]["completion_date"]
    fake.people.send(ada, content)
    assert (await serving.inbound()).text == "[Checklist Today: open: Sleep]"


async def test_a_caption_keeps_its_mention_and_its_command(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    group = fake.people.group("Kitchen")
    fake.people.send(ada, media.photo(fake.files), "@hermes_test_bot what is it?", chat=group)
    fake.people.send(ada, media.photo(fake.files), "/new@hermes_test_bot please", chat=group)
    fake.people.send(ada, media.photo(fake.files), "@hermes_test_bot", chat=group)
    fake.people.send(ada, media.photo(fake.files), "/new@another_bot", chat=group)
    events = [event for event in await serving.received(4) if isinstance(event, Inbound)]
    assert [(event.text, event.is_addressed) for event in events] == [
        ("what is it?", True),
        ("/new please", True),
        ("", True),
        ("/new@another_bot", False),
    ]


async def test_a_text_that_a_client_may_have_cut_says_so(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    """Case 34: the rest of a long paste comes as a message of its own."""
    for text in ("short", "x" * 4096, "x" * 2047, "😀" * 1024):
        fake.people.say(ada, text)
    events = [event for event in await serving.received(4) if isinstance(event, Inbound)]
    assert [event.may_go_on for event in events] == [False, True, False, True]


async def test_four_voice_messages_within_a_moment_are_four_events(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    """Case 28."""
    for number in range(4):
        fake.people.send(ada, media.voice(fake.files, b"voice %d" % number))
    events = [event for event in await serving.received(4) if isinstance(event, Inbound)]
    assert len({event.attachments[0].ref for event in events}) == 4
    assert len({event.event_id for event in events}) == 4
