"""What people write becomes the gateway's events, over HTTP and through the real client."""

import pytest
from telegram import Update

from adapters.base import ChatKind, Inbound
from adapters.telegram.inbound.audience import Audience
from adapters.telegram.inbound.entities import Me
from adapters.telegram.inbound.updates import to_events
from tests.adapters.telegram.serving import Serving
from tests.fakes.telegram import FakeTelegram, Person

ME = Me(id=123456789, username="hermes_test_bot")
AUDIENCE = Audience(ME)


async def test_a_private_message_is_addressed_to_us(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    fake.people.say(ada, "hello")
    event = await serving.inbound()
    assert event.text == "hello"
    assert event.is_addressed
    assert event.address.kind is ChatKind.DIRECT
    assert event.address.chat_id == event.sender.id == str(ada.id)
    assert event.address.reply_to is None
    assert (event.sender.name, event.sender.is_bot) == ("Ada", False)
    assert event.event_id == "1000"


async def test_a_group_message_carries_title_and_reply_reference(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    group = fake.people.group("Kitchen")
    message = fake.people.say(ada, "what's for dinner?", chat=group)
    event = await serving.inbound()
    assert event.chat_title == "Kitchen"
    assert event.address.kind is ChatKind.GROUP
    assert event.address.chat_id == str(group.id)
    assert event.address.reply_to == str(message.id)
    assert not event.is_addressed


@pytest.mark.parametrize(
    ("said", "text", "is_addressed"),
    [
        ("@hermes_test_bot hello", "hello", True),
        ("@Hermes_Test_Bot, hello", "hello", True),
        ("😀😀 @hermes_test_bot what is this?", "😀😀 what is this?", True),
        ("what is this, @hermes_test_bot?", "what is this,?", True),
        ("what is this @hermes_test_bot", "what is this", True),
        ("@hermes_test_bot", "@hermes_test_bot", True),
        ("@somebody_else hello", "@somebody_else hello", False),
        ("mail me: x@hermes_test_bot.org", "mail me: x@hermes_test_bot.org", False),
        ("/help", "/help", True),
        ("/help@hermes_test_bot", "/help", True),
        ("/new@HERMES_TEST_BOT now", "/new now", True),
        ("/help@another_bot", "/help@another_bot", False),
        ("/help@another_bot and @hermes_test_bot", "/help@another_bot and", True),
        ("see /help", "see /help", False),
    ],
)
async def test_in_a_group_we_are_addressed_by_mention_or_command(
    fake: FakeTelegram, serving: Serving, said: str, text: str, is_addressed: bool
) -> None:
    ada = fake.people.person("Ada")
    fake.people.say(ada, said, chat=fake.people.group("Kitchen"))
    event = await serving.inbound()
    assert (event.text, event.is_addressed) == (text, is_addressed)


async def test_a_reply_to_us_is_addressed_and_brings_the_quoted_text(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    group = fake.people.group("Kitchen")
    fake.people.say(ada, "@hermes_test_bot recipe?", chat=group)
    await serving.inbound()
    answer = fake.people.say(fake.world.bot, "Soup.", chat=group)
    fake.people.say(ada, "and then?", chat=group, reply_to=answer)
    event = await serving.inbound(2)
    assert event.is_addressed
    assert event.quoted_text == "Soup."


async def test_a_reply_to_somebody_else_is_not_addressed(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    group = fake.people.group("Kitchen")
    bob = fake.people.person("Bob")
    said = fake.people.say(bob, "soup", chat=group)
    fake.people.say(ada, "again?", chat=group, reply_to=said)
    event = await serving.inbound(1)
    assert not event.is_addressed
    assert event.quoted_text == "soup"


async def test_a_reply_in_an_ordinary_supergroup_makes_no_topic(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    """Case 26: the thread id that replies carry must not split the session."""
    group = fake.people.group("Kitchen")
    said = fake.people.say(ada, "soup", chat=group)
    reply = fake.people.say(ada, "again", chat=group, reply_to=said)
    assert reply.to_json()["message_thread_id"] == said.id
    event = await serving.inbound(1)
    assert event.address.thread_id is None


async def test_a_forum_topic_is_part_of_the_address_and_general_is_none(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    forum = fake.people.group("Club", is_forum=True)
    topic = fake.people.topic(forum, "Chess")
    fake.people.say(ada, "e4", chat=forum, topic=topic)
    fake.people.say(ada, "hello all", chat=forum)
    assert (await serving.inbound(0)).address.thread_id == str(topic)
    assert (await serving.inbound(1)).address.thread_id is None


async def test_an_anonymous_admin_speaks_as_the_group(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    """Case 31."""
    group = fake.people.group("Kitchen")
    fake.people.say(ada, "/help", chat=group, as_chat=group)
    event = await serving.inbound()
    assert event.sender.id == str(group.id)
    assert event.sender.name == "Kitchen"
    assert not event.sender.is_bot


async def test_another_bot_is_marked_as_one(fake: FakeTelegram, serving: Serving) -> None:
    """Case 36: whether to answer is the gateway's decision."""
    other = fake.people.person("Robo", is_bot=True)
    fake.people.say(other, "@hermes_test_bot hi", chat=fake.people.group("Kitchen"))
    assert (await serving.inbound()).sender.is_bot


def _update(**message: object) -> Update:
    content = {"message_id": 5, "date": 1, "chat": {"id": 7, "type": "private"}} | message
    update = Update.de_json({"update_id": 1, "message": content}, None)
    assert update is not None
    return update


async def _nobody(_query: str, _notice: str | None) -> None:
    raise AssertionError("nothing to acknowledge")


def _no_draft(_draft_id: int) -> None:
    return None


PERSON = {"id": 7, "is_bot": False, "first_name": "Ada"}
FORUM = {"id": -7, "type": "supergroup", "title": "Club", "is_forum": True}


@pytest.mark.parametrize(
    "message",
    [
        {"text": "from nobody"},
        {"from": PERSON},
        {"from": PERSON, "sticker": None},
        {"from": PERSON, "text": "x", "chat": {"id": -1, "type": "channel", "title": "News"}},
        {"from": PERSON, "new_chat_title": "Kitchen", "chat": FORUM},
    ],
)
def test_what_is_no_text_from_somebody_is_no_event(message: dict[str, object]) -> None:
    assert to_events(_update(**message), AUDIENCE, _nobody, _no_draft) == ()


def test_a_post_in_a_topic_is_no_reply_to_whoever_made_the_topic() -> None:
    created = {
        "message_id": 3,
        "date": 1,
        "chat": FORUM,
        "from": {"id": ME.id, "is_bot": True, "first_name": "Hermes"},
        "forum_topic_created": {"name": "Chess", "icon_color": 1},
    }
    update = _update(
        **{"from": PERSON},
        chat=FORUM,
        text="hi",
        is_topic_message=True,
        message_thread_id=3,
        reply_to_message=created,
    )
    (event,) = to_events(update, AUDIENCE, _nobody, _no_draft)
    assert isinstance(event, Inbound)
    assert (event.is_addressed, event.quoted_text) == (False, None)


def test_only_the_quoted_piece_of_a_long_message_is_the_quote() -> None:
    said = {"message_id": 3, "date": 1, "chat": FORUM, "from": PERSON, "text": "soup or salad"}
    update = _update(
        **{"from": PERSON},
        chat=FORUM,
        text="this",
        reply_to_message=said,
        quote={"text": "salad", "position": 8},
    )
    (event,) = to_events(update, AUDIENCE, _nobody, _no_draft)
    assert isinstance(event, Inbound)
    assert event.quoted_text == "salad"


def test_a_mention_by_name_of_a_bot_without_username_counts() -> None:
    me = {"id": ME.id, "is_bot": True, "first_name": "Hermes"}
    update = _update(
        **{"from": PERSON},
        chat=FORUM,
        text="𝕳ey Hermes hi",
        entities=[{"type": "text_mention", "offset": 5, "length": 6, "user": me}],
    )
    (event,) = to_events(update, AUDIENCE, _nobody, _no_draft)
    assert isinstance(event, Inbound)
    assert (event.is_addressed, event.text) == (True, "𝕳ey hi")
