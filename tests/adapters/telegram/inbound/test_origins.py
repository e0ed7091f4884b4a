"""Whose words something is: forwards of all kinds, quotations, replies to other chats."""

import pytest

from tests.adapters.telegram.serving import Serving
from tests.fakes.telegram import FakeTelegram, Person, media
from tests.fakes.telegram.files import Files
from tests.fakes.telegram.world import Chat, Json

GROUP = Chat(-1001, "supergroup", "Kitchen")
CHANNEL = Chat(-1002, "channel", "News")


@pytest.mark.parametrize(
    ("origin", "label"),
    [
        (media.forwarded(user=Person(9, "Bob\nBuilder")), "Bob Builder"),
        (media.forwarded(hidden="Somebody"), "Somebody"),
        (media.forwarded(chat=GROUP), "Kitchen"),
        (media.forwarded(chat=GROUP, signature="Boss"), "Kitchen (Boss)"),
        (media.forwarded(channel=CHANNEL), "News"),
        (media.forwarded(channel=CHANNEL, signature="Eve"), "News (Eve)"),
        (media.forwarded(hidden="x" * 300), "x" * 99 + "…"),
    ],
)
async def test_a_forward_names_its_origin(
    fake: FakeTelegram, ada: Person, serving: Serving, origin: Json, label: str
) -> None:
    fake.people.say(ada, "look at this", content=origin)
    event = await serving.inbound()
    assert (event.forwarded_from, event.text) == (label, "look at this")


async def test_a_forwarded_mention_or_command_is_not_said_to_us(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    group, origin = fake.people.group("Kitchen"), media.forwarded(hidden="Somebody")
    fake.people.say(ada, "@hermes_test_bot hello", chat=group, content=origin)
    fake.people.say(ada, "/new", chat=group, content=origin)
    assert not (await serving.inbound(0)).is_addressed
    assert not (await serving.inbound(1)).is_addressed


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        (({}, "soup"), "soup"),
        ((media.photo(Files()), ""), "[A picture]"),
        ((media.photo(Files()), "my soup"), "[A picture] my soup"),
        ((media.voice(Files()), ""), "[A voice message]"),
        ((media.document(Files(), b"x", name="a.txt"), ""), "[A file: a.txt]"),
        ((media.sticker(Files()), ""), "[Sticker 😺 from the set Cats]"),
    ],
)
async def test_a_reply_brings_what_it_replies_to(
    fake: FakeTelegram, ada: Person, serving: Serving, said: tuple[Json, str], quoted: str
) -> None:
    """Case 39c."""
    fake.people.say(ada, "and this?", reply_to=fake.people.send(ada, *said))
    assert (await serving.inbound(1)).quoted_text == quoted


async def test_in_a_group_a_question_under_somebody_elses_picture_brings_the_picture(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    group = fake.people.group("Kitchen")
    theirs = fake.people.send(fake.people.person("Bob"), media.photo(fake.files), chat=group)
    fake.people.say(ada, "@hermes_test_bot what is this?", chat=group, reply_to=theirs)
    fake.people.say(ada, "nice", chat=group, reply_to=theirs)
    ours = fake.people.send(fake.world.bot, media.photo(fake.files), chat=group)
    fake.people.say(ada, "and this?", chat=group, reply_to=ours)
    asked, remarked, of_ours = [await serving.inbound(number) for number in (1, 2, 4)]
    assert [one.ref for one in asked.attachments] == [theirs.content["photo"][-1]["file_id"]]
    assert (asked.text, asked.quoted_text) == ("what is this?", "[A picture]")
    assert remarked.attachments == of_ours.attachments == ()


async def test_a_reply_to_another_chat_brings_the_quoted_part_or_says_what_it_was(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    external = {"external_reply": media.forwarded(channel=CHANNEL)}
    external["external_reply"]["origin"] = external["external_reply"].pop("forward_origin")
    quote = {"quote": {"text": "it rains", "position": 3}}
    fake.people.say(ada, "really?", content=external | quote)
    photo = {"external_reply": external["external_reply"] | media.photo(fake.files)}
    fake.people.say(ada, "and this?", content=photo)
    fake.people.say(ada, "what?", content=external)
    assert (await serving.inbound(0)).quoted_text == "it rains"
    assert (await serving.inbound(1)).quoted_text == "[A picture] of News"
    assert (await serving.inbound(2)).quoted_text is None


async def test_a_reply_to_a_story_says_whose_it_is(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    story = {"reply_to_story": media.story(CHANNEL)["story"]}
    fake.people.say(ada, "nice", content=story)
    assert (await serving.inbound()).quoted_text == "[A story of News]"
